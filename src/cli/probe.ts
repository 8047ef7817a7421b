// `quoin probe`: a numbered conformance script against any exchange: reads, two orders that must be turned away, and one post-only order
// far from the market, which is modified and canceled. Prints which assumptions of docs/interface.md hold and how the exchange words its
// answers, and writes the configuration keys that follow from it.

import { type BotConfig, withoutPaper } from "../bot/config/config.ts";
import { createLog } from "../bot/telemetry/log.ts";
import { sockets } from "../bot/venue/remote/remote.ts";
import { reachVenue } from "../daemon/reach-venue.ts";
import type { Dialect } from "../domain/dialect.ts";
import {
  EXIT_DONE,
  EXIT_FAILED,
  EXIT_ORDERS_MAY_REST,
  EXIT_USAGE,
  type ExitCode,
  endWith,
  type Host,
} from "../host/host.ts";
import { printable, printableLines } from "../kernel/printable.ts";
import { YamlEditError } from "../kernel/yaml/edit.ts";
import { tryWriting, unwritable } from "../kernel/yaml/files.ts";
import { gatherFacts } from "./doctor/facts.ts";
import { type Held, holdKeys, ownDaemonUrl, readKeys } from "./doctor/judge-machine.ts";
import { type LiveTest, liveTestOf } from "./doctor/live-order.ts";
import { startLocalExchange } from "./local-exchange.ts";
import { Heard } from "./probe/heard.ts";
import { type Sent, sendSteps } from "./probe/order-steps.ts";
import { readSteps } from "./probe/read-steps.ts";
import { looked, type Seen, type Step, type Subject } from "./probe/step.ts";
import { dialectLines, withDialect } from "./probe/written-dialect.ts";
import { readWhole } from "./read-config.ts";

export type ProbeOptions = {
  readonly config: string;
  readonly out?: string;
  readonly write: boolean;
  readonly order: boolean;
  readonly json: boolean;
};

type Row = Omit<Step, "look"> & Seen & { readonly probe: number };

const READ_MS_MAX = 5000;
/** The probe waits for one pong, so its first ping comes soon. */
const PING_MS = 500;

/** Exit 1 when an assumption does not hold or `--write` is refused; 3 when an order of the probe may still rest. */
export async function probe(options: ProbeOptions, host: Host): Promise<ExitCode> {
  const { out } = options;
  if (out !== undefined && host.files.exists(out))
    return endWith(EXIT_USAGE, `${out} exists already and is not touched; name another --out`, host);
  const configuration = await readWhole(options.config, host);
  if (configuration === undefined) return EXIT_USAGE;
  const quiet = createLog("error", { write: host.stderr, terminal: host.terminal.stderr, wallMs: host.clock.wallMs });
  const local = await startLocalExchange(configuration, host, quiet);
  const config = withoutPaper(local?.reached ?? configuration.bot);
  const heard = new Heard();
  const venue = reachVenue(config, host, { readTimeoutMs: READ_MS_MAX, pingMs: PING_MS }, heard.on(sockets(host)));
  if (venue === null) return EXIT_USAGE;
  const { keys } = readKeys(config, local?.keys ?? new Map());
  const held = await holdKeys(config, keys, host);
  const stopping = stoppingOn(host);
  try {
    const refusal = options.write ? await writeRefusal(config, held, host) : null;
    if (refusal !== null) return endWith(EXIT_FAILED, `${refusal}; nothing was sent`, host);
    const facts = await gatherFacts(config, venue.reads, host.clock);
    const test = options.order ? testOf(config, facts, keys, held.verdict) : "--no-order was said";
    const subject: Subject = { config, venue, facts, clock: host.clock, heard, test, measured: {}, ...stopping };
    return await report(await examine(subject), subject, options, host);
  } finally {
    stopping.release();
    for (const lock of held.locks) lock.release();
    await venue.close();
    await local?.devnet.close();
  }
}

type Findings = Sent & { readonly rows: readonly Row[] };

/** Never rejects. */
async function examine(subject: Subject): Promise<Findings> {
  const found: (Omit<Step, "look"> & Seen)[] = [];
  for (const { look, ...step } of readSteps) {
    if (subject.isStopped()) break;
    found.push({ ...step, ...(await looked({ ...step, look }, subject)) });
  }
  const sent = await sendSteps(subject);
  return { ...sent, rows: [...found, ...sent.steps].map((row, index): Row => ({ probe: index + 1, ...row })) };
}

async function report(findings: Findings, subject: Subject, options: ProbeOptions, host: Host): Promise<ExitCode> {
  const { rows, learned, notLearned, survivors } = findings;
  const written = options.write && !subject.isStopped() ? writeInto(subject.config.file, learned, host) : null;
  for (const row of rows) host.stdout(options.json ? `${JSON.stringify(row)}\n` : `${sentence(row)}\n`);
  if (options.json)
    host.stdout(`${JSON.stringify({ dialect: learned, notLearned, written: written?.isWritten ?? false })}\n`);
  else
    host.stdout(
      `\n# What the interface does not show, as it was found here:\nvenue:\n${printableLines(dialectLines(findings).join("\n"))}\n`,
    );
  if (written !== null) host.stderr(`quoin: ${written.says}\n`);
  if (options.out !== undefined) host.files.create(options.out, fileText(findings, subject, host));
  if (survivors.length > 0) {
    host.stderr(`orders may still rest:\n${survivors.map((line) => `  ${printable(line)}\n`).join("")}`);
    return EXIT_ORDERS_MAY_REST;
  }
  const isUnwritten = options.write && written?.isWritten !== true;
  const isWrong = subject.isStopped() || isUnwritten || rows.some(({ holds }) => holds === false);
  return isWrong ? EXIT_FAILED : EXIT_DONE;
}

/** The first signal asks to stop; placed orders are canceled as usual. */
function stoppingOn(host: Host): Pick<Subject, "isStopped"> & { readonly release: () => void } {
  let isStopped = false;
  const releases = (["SIGINT", "SIGTERM"] as const).map((signal) =>
    host.onSignal(signal, () => {
      isStopped = true;
    }),
  );
  return { isStopped: () => isStopped, release: () => releases.forEach((release) => void release()) };
}

/** Why the configuration cannot be written: a daemon runs on it, or the file cannot be edited. Null: it can be. */
async function writeRefusal(config: BotConfig, held: Held, host: Host): Promise<string | null> {
  const { file } = config;
  if (!held.verdict.ok) return `${file} is not written while a daemon runs on it: ${held.verdict.detail}`;
  const url = await ownDaemonUrl(config, host);
  if (url !== null) return `${file} is not written while a daemon runs on it, which answers at ${url}`;
  try {
    tryWriting(file);
    withDialect(host.files.read(file), { cancel: "event" });
    return null;
  } catch (cause) {
    return `${file} cannot be written: ${cause instanceof YamlEditError ? `venue: ${cause.message}` : unwritable(cause)}`;
  }
}

function writeInto(
  file: string,
  learned: Partial<Dialect>,
  host: Host,
): { readonly isWritten: boolean; readonly says: string } {
  if (Object.keys(learned).length === 0)
    return { isWritten: false, says: `nothing was learned, and ${file} is as it was` };
  try {
    host.files.replace(file, withDialect(host.files.read(file), learned));
    return { isWritten: true, says: `${file} has it as venue.dialect; the daemon uses it from its next start` };
  } catch (cause) {
    return {
      isWritten: false,
      says: `${file} could not be written: ${cause instanceof YamlEditError ? cause.message : unwritable(cause)}`,
    };
  }
}

/** Sends nothing to another chain, with another's key, or beside a daemon. */
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

/** YAML with the observations as comments, and the keys that replace assumptions. */
function fileText(findings: Findings, { config, measured }: Subject, { clock }: Host): string {
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
    ...findings.rows.map((row) => `# ${sentence(row).trim()}`),
    "",
    "# These keys replace what the configuration assumes.",
    "venue:",
    `  chainId: ${JSON.stringify(config.venue.chainId)}`,
    `  landingBoundMs: ${config.venue.landingBoundMs}`,
    ...dialectLines(findings).map((line) => printable(line)),
    "accounts:",
    ...accounts,
    "",
  ].join("\n");
}
