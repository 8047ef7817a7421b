// `quoin halt`, `quoin reduce` and `quoin resume`: change the trading state. They ask a running daemon over its HTTP; without one they
// write the state into the ledger, under its lock, for the next start.

import type { EmergencyAccount, EmergencyConfig } from "../bot/config/emergency.ts";
import { LedgerError } from "../bot/ledger/store.ts";
import type { TradingState } from "../bot/risk/trading-state.ts";
import { NO_REASON, type OperatorVerb } from "../bot/service/operator/trading-state.ts";
import { type Held, NotChanged, type StateChange, writeState } from "../daemon/ledger/write-state.ts";
import { findDaemon, isWrongPlace, postToDaemon } from "../daemon/running/ask-daemon.ts";
import type { Liftable } from "../domain/latch.ts";
import type { MarketId } from "../domain/units.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { printable } from "../kernel/printable.ts";
import { commandText } from "../kernel/typed-command.ts";
import { readConfig, readForEmergency } from "./read-config.ts";

export type TradingStateOptions = Omit<StateChange, "reason"> & {
  readonly config: string;
  /** Optional for a halt. */
  readonly reason?: string | undefined;
  readonly account?: string | undefined;
  readonly json: boolean;
};

/**
 * Exit 1 when neither a daemon nor the ledger took the change, when a daemon could not store it, and when a resume lifted nothing that
 * holds the account or market.
 */
export async function changeTradingState(
  verb: OperatorVerb,
  options: TradingStateOptions,
  host: Host,
): Promise<ExitCode> {
  // A halt must work with faults elsewhere in the file. A resume may demand a file with which a daemon would start.
  const config = verb === "resume" ? await readConfig(options.config, host) : readForEmergency(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  const accounts = namedAccounts(config, options);
  const { reason = NO_REASON } = options;
  const change = { ...options, reason };
  const fault =
    accounts.length === 0
      ? `${options.config} has no such account or market`
      : reason.trim() === ""
        ? "--reason must say why"
        : undefined;
  if (fault !== undefined) return endWith(EXIT_USAGE, fault, host);
  try {
    const answered = await askRunning(verb, change, config, accounts, host);
    const by = answered === undefined ? "ledger" : "daemon";
    const held = answered ?? writeState(verb, change, config, accounts, host);
    report(verb, held, by, options, host);
    const isDone = (one: Held) => one.isWritten && !(verb === "resume" && isInVain(one, options.latch));
    return held.every(isDone) ? EXIT_DONE : EXIT_FAILED;
  } catch (error) {
    if (!(error instanceof NotChanged || error instanceof LedgerError)) throw error;
    return endWith(EXIT_FAILED, error.message, host);
  }
}

/** The accounts to change: all, the named one, or those that quote the market. */
const namedAccounts = (
  config: EmergencyConfig,
  { account, market }: TradingStateOptions,
): readonly EmergencyAccount[] =>
  config.accounts.filter(
    ({ accountId, markets }) =>
      (account === undefined || `${accountId}` === account) &&
      (market === undefined || markets === null || markets.some(({ marketId }) => marketId === market)),
  );

/** Undefined when no daemon of this configuration runs these accounts. */
async function askRunning(
  verb: OperatorVerb,
  { reason, market, latch }: StateChange,
  config: EmergencyConfig,
  accounts: readonly EmergencyAccount[],
  host: Host,
): Promise<readonly Held[] | undefined> {
  const held: Held[] = [];
  const daemon = await findDaemon(config, host);
  for (const { accountId } of accounts) {
    const request = { reason, chainId: config.venue.chainId, account: `${accountId}`, market, latch };
    const answer = await postToDaemon(daemon, `/${verb}`, request);
    if (answer.kind === "done") held.push(...heldIn(answer.body, market, host));
    else if (answer.kind === "nobody") return undefined;
    else if (!isWrongPlace(answer)) throw new NotChanged(answer.why);
    else {
      host.stderr(`quoin: ${daemon.url}: ${answer.why}\n`);
      return undefined;
    }
  }
  return held;
}

/** The daemon's answer. */
type Changed = {
  readonly accounts: readonly (Pick<Held, "state" | "lifted" | "holds" | "heldAlready" | "isWritten"> & {
    readonly accountId: string;
    readonly markets: readonly { readonly marketId: MarketId; readonly state: TradingState }[];
  })[];
};

function heldIn(answer: unknown, market: MarketId | undefined, host: Host): readonly Held[] {
  return (answer as Changed).accounts.map(({ accountId, state, markets, isWritten, ...rest }) => {
    if (!isWritten) host.stderr(`quoin: account ${accountId}: ${UNWRITTEN}\n`);
    const own = markets.find(({ marketId }) => marketId === market);
    const { lifted, holds, heldAlready } = rest;
    return { account: accountId, state: own?.state ?? state, lifted, holds, heldAlready, isWritten };
  });
}

const UNWRITTEN =
  "this is in effect, but not written, and the daemon's log says why: a restart may not know of it; stop the daemon, and run this command once more while no daemon runs";

/** Not latches: a resume that names one confirms the print, or restarts the premium book. */
const isNoLatch = (latch: Liftable | undefined): boolean => latch === "printMove" || latch === "premiumLoss";

/** Whether a resume lifted nothing and the account or market is still held. */
const isInVain = ({ lifted, holds }: Held, latch: Liftable | undefined): boolean =>
  lifted.length === 0 && holds.length > 0 && !isNoLatch(latch);

function report(
  verb: OperatorVerb,
  held: readonly Held[],
  by: "daemon" | "ledger",
  options: TradingStateOptions,
  host: Host,
): void {
  if (options.json) {
    const accounts = held.map(({ account, holds, heldAlready }) => ({
      account,
      holds,
      ...(heldAlready !== null && { heldAlready }),
    }));
    host.stdout(`${JSON.stringify({ done: verb, by, accounts })}\n`);
    return;
  }
  const { market } = options;
  for (const one of held) {
    const where = market === undefined ? `account ${one.account}` : `market ${market} of account ${one.account}`;
    host.stdout(
      `${where}: ${printable(verb === "resume" ? resumedText(one, options) : changedText(verb, one, options))}\n`,
    );
  }
  if (by === "ledger") {
    const rest = verb === "halt" ? `; orders may rest: ${commandText("cancel-all", options.config)}` : "";
    host.stdout(`no daemon answers: written in the ledger for the next start${rest}\n`);
  }
}

function changedText(
  verb: "halt" | "reduce",
  { state, holds, heldAlready }: Held,
  { reason }: TradingStateOptions,
): string {
  const wanted = verb === "halt" ? "halted" : "reducing";
  const words = state === "halted" ? "halted" : "reducing only";
  const done = state !== wanted || heldAlready?.holds === state ? `stays ${words}` : words;
  const held = `held by ${holds.join("; ")}`;
  if (heldAlready === null) return `${done}; ${held}`;
  const since = heldAlready.holds !== state || heldAlready.since === null ? "" : ` since ${heldAlready.since}`;
  const kept = reason === undefined || reason === heldAlready.reason ? "" : "; the new reason is kept in the ledger";
  return `${done}${since}; ${held}${kept}`;
}

function resumedText(held: Held, { market, latch, config }: TradingStateOptions): string {
  const { account, lifted, holds } = held;
  if (holds.length === 0)
    return lifted.length === 0 && !isNoLatch(latch) ? "nothing was halted" : "resumed; no latch holds it";
  const gone = isNoLatch(latch) ? `${latch}` : lifted.length === 0 ? "nothing" : lifted.join("; ");
  const resume = commandText(`resume --account ${account} --reason TEXT`, config);
  const remedy =
    market === undefined || latch !== undefined
      ? `${resume} without --latch lifts every kind`
      : `the whole account is held: ${resume} lifts that, and what holds its markets`;
  return `lifted ${gone}; still held by ${holds.join("; ")}; ${remedy}`;
}
