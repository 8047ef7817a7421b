// `quoin probe`: a numbered conformance script against any exchange. Reads, two orders that must be turned away, and one post-only
// order far from the market; says which assumptions of docs/interface.md hold there, and writes what replaces them.

import { type BotConfig, withoutPaper } from "../bot/config/config.ts";
import { createLog } from "../bot/telemetry/log.ts";
import { printable } from "../kernel/printable.ts";
import { gatherFacts } from "./doctor/facts.ts";
import { holdKeys, readKeys } from "./doctor/judge-machine.ts";
import { type LiveTest, liveTestOf } from "./doctor/live-order.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host } from "./host.ts";
import { startLocalExchange } from "./local-exchange.ts";
import { sendSteps } from "./probe/order-steps.ts";
import { readSteps } from "./probe/read-steps.ts";
import { looked, type Seen, type Step, type Subject } from "./probe/step.ts";
import { reachVenue, readWhole } from "./reach-venue.ts";

export type ProbeOptions = {
  readonly config: string;
  readonly out?: string;
  readonly order: boolean;
  readonly json: boolean;
};

type Row = Omit<Step, "look"> & Seen & { readonly probe: number };

const READ_MS_MAX = 5000;
/** A ping soon: the probe waits for one pong. */
const PING_MS = 500;

/** Exit 1 when an assumption does not hold there. */
export async function probe(options: ProbeOptions, host: Host): Promise<ExitCode> {
  const { out, json } = options;
  if (out !== undefined && host.files.exists(out)) {
    host.stderr(`quoin: ${out} exists already and is not touched; name another --out\n`);
    return EXIT_USAGE;
  }
  const configuration = await readWhole(options.config, host);
  if (configuration === undefined) return EXIT_USAGE;
  const quiet = createLog("error", { write: host.stderr, terminal: host.terminal.stderr, wallMs: host.clock.wallMs });
  const local = await startLocalExchange(configuration, host, quiet);
  const config = withoutPaper(local?.reached ?? configuration.bot);
  const venue = reachVenue(config, host, { readTimeoutMs: READ_MS_MAX, pingMs: PING_MS });
  if (venue === null) return EXIT_USAGE;
  const { keys } = readKeys(config, local?.keys ?? new Map());
  const held = await holdKeys(config, keys, host);
  try {
    const facts = await gatherFacts(config, venue.reads, host.clock);
    const test = options.order ? testOf(config, facts, keys, held.verdict) : "--no-order was said";
    const subject: Subject = { config, venue, facts, clock: host.clock, test, measured: {} };
    const found: (Omit<Step, "look"> & Seen)[] = [];
    for (const { look, ...step } of readSteps) found.push({ ...step, ...(await looked({ ...step, look }, subject)) });
    found.push(...(await sendSteps(subject)));
    const rows = found.map((row, index): Row => ({ probe: index + 1, ...row }));
    for (const row of rows) host.stdout(json ? `${JSON.stringify(row)}\n` : `${sentence(row)}\n`);
    if (out !== undefined) host.files.create(out, fileText(rows, subject, host));
    return rows.some(({ holds }) => holds === false) ? EXIT_FAILED : EXIT_DONE;
  } finally {
    for (const lock of held.locks) lock.release();
    await venue.close();
    await local?.devnet.close();
  }
}

/** Nothing is sent to another chain, by another's key, or beside a daemon. */
function testOf(
  config: BotConfig,
  facts: Subject["facts"],
  keys: ReturnType<typeof readKeys>["keys"],
  lock: { readonly ok: boolean; readonly detail: string },
): LiveTest | string {
  if (!lock.ok) return lock.detail;
  if (!facts.node.ok || facts.node.value.status.chainId !== config.venue.chainId) return "the exchange is another one";
  const test = liveTestOf(config, facts, keys);
  return "detail" in test ? test.detail : test;
}

const words = { true: "holds", false: "DIFFERS", null: "unseen" } as const;

const sentence = ({ probe, row, assumption, holds, seen }: Row): string =>
  printable(`${`${probe}`.padStart(2)} ${words[`${holds}`].padEnd(8)}${assumption} (row ${row}): ${seen}`);

/** YAML: what was seen as comments, and the keys that replace what is assumed. */
function fileText(rows: readonly Row[], { config, measured }: Subject, { clock }: Host): string {
  const limits = [
    ...(measured.openOrderCap === undefined ? [] : [`assumedOpenOrderCap: ${measured.openOrderCap}`]),
    ...(measured.takerFeeBps === undefined ? [] : [`assumedFeeBps: ${Math.ceil(measured.takerFeeBps)}`]),
  ];
  const accounts = config.accounts.flatMap(({ accountId, markets }) => [
    `  - accountId: ${accountId}`,
    "    markets:",
    ...markets.flatMap(({ marketId }) => [`      - marketId: ${marketId}`, `        limits: { ${limits.join(", ")} }`]),
  ]);
  return [
    `# What quoin probe saw of ${config.venue.chainId} on ${new Date(clock.wallMs()).toISOString()}.`,
    ...rows.map((row) => `# ${sentence(row).trim()}`),
    "",
    "# These keys replace what the configuration assumes.",
    "venue:",
    `  chainId: ${JSON.stringify(config.venue.chainId)}`,
    `  landingBoundMs: ${config.venue.landingBoundMs}`,
    "accounts:",
    ...accounts,
    "",
  ].join("\n");
}
