// `quoin flatten`: cancels everything, then closes all positions with reduce-only orders. A halted daemon does it itself, through its
// guard. Without a daemon, this command starts the same bot, halted, which does it and stops.

import { type BotConfig, withoutPaper } from "../bot/config/config.ts";
import type { EmergencyConfig } from "../bot/config/emergency.ts";
import { defaultFlatten } from "../bot/decider/acting/flatten.ts";
import type { Flattened } from "../bot/decider/output.ts";
import { startBot } from "../bot/service/lifecycle/bot.ts";
import { StartError } from "../bot/service/lifecycle/start-error.ts";
import { createLog } from "../bot/telemetry/log.ts";
import { createMetrics } from "../bot/telemetry/metrics.ts";
import { type PreparedBot, prepareBot } from "../daemon/prepare.ts";
import { reachVenue } from "../daemon/reach-venue.ts";
import { findDaemon, isWrongPlace, postToDaemon } from "../daemon/running/ask-daemon.ts";
import {
  EXIT_DONE,
  EXIT_FAILED,
  EXIT_ORDERS_MAY_REST,
  EXIT_USAGE,
  type ExitCode,
  endWith,
  type Host,
} from "../host/host.ts";
import { messageOf } from "../kernel/errors.ts";
import { commandText } from "../kernel/typed-command.ts";
import { closingConfig } from "./closing-config.ts";
import { readForEmergency } from "./read-config.ts";

export type FlattenCommand = { readonly config: string; readonly maxSlippageBps: number; readonly json: boolean };

/** The result for an account, with its id as text. */
type Result = Pick<Flattened, "kind" | "lines"> & { readonly accountId: string };

/** Canceling takes up to 25 s and closing up to a minute; lagging reads and the answer's way are added. */
const answerMsMax = ({ readLagMaxMs }: EmergencyConfig["venue"]): number =>
  25_000 + defaultFlatten.deadlineMs + 5000 + 2 * readLagMaxMs;
const HALT = "quoin flatten";

/** Exit 1 when positions are left, or a daemon runs and is not halted; 3 when orders may rest. What is left is listed. */
export async function flatten(options: FlattenCommand, host: Host): Promise<ExitCode> {
  const config = readForEmergency(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  const { maxSlippageBps } = options;
  const answer = await postToDaemon(
    await findDaemon(config, host),
    "/flatten",
    { maxSlippageBps, chainId: config.venue.chainId },
    answerMsMax(config.venue),
  );
  if (answer.kind === "done") return report((answer.body as { accounts: readonly Result[] }).accounts, options, host);
  if (answer.kind === "refused") host.stderr(`quoin: ${answer.why}\n`);
  if (answer.kind === "refused" && !isWrongPlace(answer)) return EXIT_FAILED;
  if (config.venue.kind === "embedded")
    return endWith(EXIT_FAILED, "no daemon answers, and the exchange is embedded in it", host);
  const real = withoutPaper(config);
  if (real.accounts.length === 0)
    return endWith(EXIT_FAILED, "no daemon answers, and every account is on paper in it", host);
  try {
    return report(await flattenHere(real, options, host), options, host);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    host.stderr(`quoin: ${error.message}\n`);
    return error.code === "configuration" ? EXIT_USAGE : EXIT_FAILED;
  }
}

/** The production bot without a listener, halted in its ledger before anything is sent. Throws StartError. */
async function flattenHere(
  emergency: EmergencyConfig,
  { maxSlippageBps }: FlattenCommand,
  host: Host,
): Promise<readonly Result[]> {
  const { clock, version, commit } = host;
  const log = createLog("info", { write: host.stderr, terminal: host.terminal.stderr, wallMs: clock.wallMs });
  const metrics = createMetrics();
  const serve = () => Promise.resolve({ url: "", close: () => Promise.resolve() });
  let prepared: PreparedBot | undefined;
  try {
    const config = await toClose(emergency, host);
    prepared = await prepareBot({ bot: config, devnet: null }, host, log, metrics);
    const bot = await startBot(config, { ...prepared, halt: HALT }, { clock, version, commit, log, metrics, serve });
    const flattened = await bot.flatten({ ...defaultFlatten, maxSlippageBps });
    const remaining = await bot.stop();
    const results = (flattened ?? []).map((result) => ({ ...result, accountId: `${result.accountId}` }));
    if (remaining.length === 0) return results;
    return [...results, { accountId: "", kind: "ordersMayRest", lines: remaining }];
  } finally {
    await prepared?.close();
  }
}

/** Throws StartError when the exchange does not answer with the positions. */
async function toClose(emergency: EmergencyConfig, host: Host): Promise<BotConfig> {
  const venue = reachVenue(emergency, host);
  if (venue === null) throw new StartError("failed", "the exchange is embedded in a daemon");
  try {
    return await closingConfig(emergency, venue.reads);
  } catch (cause) {
    throw new StartError("failed", `${messageOf(cause)}; nothing was sent`, { cause });
  } finally {
    await venue.close();
  }
}

function report(results: readonly Result[], { json, config }: FlattenCommand, host: Host): ExitCode {
  const left = results.flatMap(({ lines }) => lines);
  const kinds = results.map(({ kind }) => kind);
  if (json) host.stdout(`${JSON.stringify({ accounts: results })}\n`);
  else if (left.length === 0)
    host.stdout(`flat; the accounts stay halted: ${commandText("resume --reason TEXT", config)} lifts it\n`);
  else host.stdout(`not flat:\n${left.map((line) => `  ${line}\n`).join("")}`);
  if (kinds.includes("ordersMayRest")) return EXIT_ORDERS_MAY_REST;
  return kinds.every((kind) => kind === "flat") ? EXIT_DONE : EXIT_FAILED;
}
