// Whether the exchange still runs the chain of the ledger's rows. An order id belongs to a chain: on another one it is somebody else's. A
// chain has restarted where the account was created at another time, or has traded less than before; a lower height alone proves nothing.
// Then the ledger archives the account's rows, and its book begins with an opening balance.

import type { Account } from "../../../domain/account.ts";
import { usdcOf } from "../../../domain/rounding.ts";
import { type Clock, sleep } from "../../../kernel/clock.ts";
import { markOf } from "../../decider/desks/equity.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Log } from "../../telemetry/log.ts";
import { processTiming } from "../../timing.ts";
import type { VenueReads } from "../../venue/port.ts";
import { readAtStart } from "./start-checks.ts";
import { StartError } from "./start-error.ts";

export type ChainModules = {
  readonly ledger: Pick<Ledger, "read" | "keep">;
  readonly reads: Pick<VenueReads, "account">;
  /** A read asked later than this after the start shows no state from before it. */
  readonly readLagMaxMs: number;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Resolves true where the ledger is reset for the account: parts built from it before are of the old chain. A read may come from a node
 * that is behind, so one alone is not believed. Throws StartError where the account can no longer be read, or the disk fails.
 */
export async function beginChainAgain(found: Account, modules: ChainModules): Promise<boolean> {
  const { ledger, reads, readLagMaxMs, clock, log } = modules;
  const { accountId } = found;
  const untilMs = clock.monotonicMs() + readLagMaxMs;
  let account = found;
  let why = otherChain(account, ledger);
  for (let isLast = false; why !== null && !isLast; why = otherChain(account, ledger)) {
    await sleep(clock, processTiming.startAgainMs);
    isLast = clock.monotonicMs() >= untilMs;
    account = await readAtStart(`account ${accountId}`, () => reads.account(accountId), clock);
  }
  const { collateral } = account;
  const mark = markOf(account);
  const atMs = clock.wallMs();
  const known = ledger.read.chain(accountId);
  if (why === null) {
    if (known === null) ledger.keep({ kind: "chain", accountId, mark, atMs });
    return false;
  }
  const number = known?.number ?? 1;
  const sentence =
    `account ${accountId}: the chain began again (${why}): what the ledger has of it is archived as chain ${number}` +
    ` (ledger export --chain ${number} prints it), and its book begins with the collateral of ${usdcOf(collateral)} USDC`;
  ledger.keep({
    kind: "audit",
    entry: {
      atMs,
      call: "chainBegan",
      caller: "daemon",
      isAuthorized: true,
      reason: sentence,
      body: null,
      status: 0,
    },
  });
  if (!ledger.keep({ kind: "chainBegan", accountId, mark, atMs }))
    throw new StartError("failed", `${sentence}; but the disk did not take it; nothing was sent`);
  log.warn({ event: "chain.began", account: `${accountId}`, chain: number + 1 }, sentence);
  return true;
}

/** Why the account is not on the chain of the ledger's rows, a clause; null: no evidence. */
function otherChain(
  { accountId, createdAtMs, lifetimeVolume }: Account,
  ledger: ChainModules["ledger"],
): string | null {
  const known = ledger.read.chain(accountId);
  if (known === null) {
    if (createdAtMs === null) return null;
    // Rows of an earlier version.
    const lastOrderedMs = ledger.read.lastOrderedMs(accountId) ?? createdAtMs;
    const isOlder = Array.from(ledger.read.fills(accountId)).some(
      ({ fill }) => (fill.timestampMs ?? createdAtMs) < createdAtMs,
    );
    return isOlder || lastOrderedMs < createdAtMs
      ? `the account was created ${at(createdAtMs)}, after what the ledger has of it`
      : null;
  }
  if (createdAtMs !== null && known.createdAtMs !== 0 && known.createdAtMs !== createdAtMs)
    return `the account was created ${at(createdAtMs)}, the one that the ledger knows ${at(known.createdAtMs)}`;
  if (lifetimeVolume !== null && lifetimeVolume < known.lifetimeVolume)
    return `the account has traded ${usdcOf(lifetimeVolume)} USDC, and had traded ${usdcOf(known.lifetimeVolume)}`;
  return null;
}

const at = (ms: number): string => new Date(ms).toISOString();
