// `quoin halt`, `quoin reduce`, `quoin resume`: change the trading state from outside. They ask a running daemon over its HTTP; without
// one they write it into the ledger, under the ledger's lock, for the next start.

import type { EmergencyAccount, EmergencyConfig } from "../bot/config/emergency.ts";
import { LedgerError } from "../bot/ledger/store.ts";
import type { OperatorVerb } from "../bot/service/operator/operator.ts";
import type { MarketId } from "../domain/units.ts";
import { printable } from "../kernel/printable.ts";
import { commandText } from "../kernel/typed-command.ts";
import { askStatus, daemonOf, isWrongPlace, postToDaemon } from "./ask-daemon.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host } from "./host.ts";
import { readConfig, readForEmergency } from "./reach-venue.ts";
import { type Held, NotChanged, type StateChange, writeState } from "./write-state.ts";

export type TradingStateOptions = StateChange & {
  readonly config: string;
  readonly account?: string | undefined;
  readonly json: boolean;
};

/** Exit 1 when neither a daemon nor the ledger took the change, and where a daemon took it but could not write it. */
export async function changeTradingState(
  verb: OperatorVerb,
  options: TradingStateOptions,
  host: Host,
): Promise<ExitCode> {
  // What halts must work whatever else is wrong; what lets trade again may ask for a file that a daemon would start with.
  const config = verb === "resume" ? await readConfig(options.config, host) : readForEmergency(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  const accounts = namedAccounts(config, options);
  const fault =
    accounts.length === 0
      ? `${options.config} has no such account or market`
      : options.reason.trim() === ""
        ? "--reason must say why"
        : undefined;
  if (fault !== undefined) {
    host.stderr(`quoin: ${fault}\n`);
    return EXIT_USAGE;
  }
  try {
    const answered = await askRunning(verb, options, config, accounts, host);
    const by = answered === undefined ? "ledger" : "daemon";
    const held = answered ?? writeState(verb, options, config, accounts, host);
    report(verb, held, by, options, host);
    return held.every(({ isWritten }) => isWritten) ? EXIT_DONE : EXIT_FAILED;
  } catch (error) {
    if (!(error instanceof NotChanged || error instanceof LedgerError)) throw error;
    host.stderr(`quoin: ${error.message}\n`);
    return EXIT_FAILED;
  }
}

/** With a market the accounts that quote it. */
const namedAccounts = (
  config: EmergencyConfig,
  { account, market }: TradingStateOptions,
): readonly EmergencyAccount[] =>
  config.accounts.filter(
    ({ accountId, markets }) =>
      (account === undefined || `${accountId}` === account) &&
      (market === undefined || markets === null || markets.some(({ marketId }) => marketId === market)),
  );

/** Undefined when no daemon runs these accounts where the configuration says. */
async function askRunning(
  verb: OperatorVerb,
  { reason, market, latch }: TradingStateOptions,
  config: EmergencyConfig,
  accounts: readonly EmergencyAccount[],
  host: Host,
): Promise<readonly Held[] | undefined> {
  const held: Held[] = [];
  const daemon = daemonOf(config, host);
  const before = verb === "resume" ? await askStatus(daemon) : undefined;
  for (const { accountId } of accounts) {
    const request = { reason, chainId: config.venue.chainId, account: `${accountId}`, market, latch };
    const answer = await postToDaemon(daemon, `/${verb}`, request);
    if (answer.kind === "done") held.push(...heldIn(answer.body, before, host));
    else if (answer.kind === "nobody") return undefined;
    else if (!isWrongPlace(answer)) throw new NotChanged(answer.why);
    else {
      host.stderr(`quoin: ${daemon.url}: ${answer.why}\n`);
      return undefined;
    }
  }
  return held;
}

type Latched = { readonly accounts: readonly { readonly accountId: string; readonly latches: readonly string[] }[] };
type Changed = { readonly accounts: readonly (Latched["accounts"][number] & { readonly isWritten?: boolean })[] };

function heldIn(answer: unknown, before: Latched | undefined, host: Host): readonly Held[] {
  return (answer as Changed).accounts.map(({ accountId, latches, isWritten }) => {
    if (isWritten === false) host.stderr(`quoin: account ${accountId}: ${UNWRITTEN}\n`);
    const known = before?.accounts.find((account) => account.accountId === accountId);
    const wasHeld = known === undefined ? null : known.latches.length > 0;
    return { account: accountId, holds: latches, wasHeld, isWritten: isWritten !== false };
  });
}

const UNWRITTEN =
  "this is in effect, but not written, and the daemon's log says why: a restart may not know of it; stop the daemon, and run this command once more while no daemon runs";

const done: Readonly<Record<OperatorVerb, string>> = {
  halt: "halted",
  reduce: "reducing only",
  resume: "resumed",
};

/** Of a latch as the daemon shows it: whether it halts the account or this market, and not only lets it reduce. */
function isHalt(shown: string, market: MarketId | undefined): boolean {
  const [found, of] = /^\w+(?: \(market (\d+)\))?: /.exec(shown) ?? [];
  return found !== undefined && (of === undefined || Number(of) === market);
}

function report(
  verb: OperatorVerb,
  held: readonly Held[],
  by: "daemon" | "ledger",
  { json, latch, market, config }: TradingStateOptions,
  host: Host,
): void {
  if (json) {
    const accounts = held.map(({ account, holds }) => ({ account, holds }));
    host.stdout(`${JSON.stringify({ done: verb, by, accounts })}\n`);
    return;
  }
  for (const { account, holds, wasHeld } of held) {
    const held = holds.length === 0 ? "no latch holds it" : `held by ${printable(holds.join("; "))}`;
    // These are no latches, and may have been lifted.
    const isOther = latch === "printMove" || latch === "premiumLoss";
    const isIdle = verb === "resume" && wasHeld === false && !isOther;
    const state = verb === "reduce" && holds.some((hold) => isHalt(hold, market)) ? "stays halted" : done[verb];
    host.stdout(`account ${account}: ${isIdle ? "nothing was halted" : `${state}; ${held}`}\n`);
  }
  if (by === "ledger") {
    const rest = verb === "halt" ? `; orders may rest: ${commandText("cancel-all", config)}` : "";
    host.stdout(`no daemon answers: written in the ledger for the next start${rest}\n`);
  }
}
