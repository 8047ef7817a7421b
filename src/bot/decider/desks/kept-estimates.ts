// A market's estimates and fill losses, kept in the ledger across restarts: read before anything is sent, written once a minute and at
// the end. They never prevent a start: unusable ones are reported and learned again.

import type { FundedTo } from "../../../domain/market.ts";
import type { AccountId, MarketId } from "../../../domain/units.ts";
import { type Clocks, type Instant, instantOf } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/errors.ts";
import type { LedgerReads } from "../../ledger/store.ts";
import { movesText, readMovesText } from "../../strategy/kept-moves.ts";
import { readSignalsText, signalsText } from "../../strategy/kept-signals.ts";
import { type MarkMoves, noMarkMoves } from "../../strategy/mark-moves.ts";
import type { Say } from "../notice.ts";
import type { AccountDesk } from "./account-desk.ts";
import { adverseKept, type KeptMarket, readAdverse } from "./kept-adverse.ts";
import type { MarketDesk } from "./market-desk.ts";

type KeptModules = {
  readonly chainId: string;
  readonly kept: Pick<LedgerReads, "estimates">;
  readonly clock: Clocks;
  readonly log: Say;
};

/** Returns what earlier runs left of these markets of an account. */
export function keptEstimates(
  accountId: AccountId,
  markets: readonly MarketId[],
  { chainId, kept: reads, clock, log }: KeptModules,
): ReadonlyMap<MarketId, KeptMarket> {
  const kept = new Map<MarketId, KeptMarket>();
  const now = instantOf(clock);
  for (const { marketId, state } of reads.estimates(accountId)) {
    if (marketId === null || !markets.includes(marketId)) continue;
    try {
      const read = readSignalsText(state, marketId, chainId, now);
      kept.set(marketId, { ...read, adverse: readAdverse(read.adverse, read.downMs, now) });
    } catch (error) {
      sayDropped(accountId, marketId, messageOf(error), log);
    }
  }
  return kept;
}

/** Returns the correlations between the account's markets that earlier runs left. */
export function keptMoves(accountId: AccountId, { chainId, kept, clock, log }: KeptModules): MarkMoves<MarketId> {
  const row = kept.estimates(accountId).find(({ marketId }) => marketId === null);
  if (row === undefined) return noMarkMoves;
  try {
    return readMovesText(row.state, chainId, instantOf(clock));
  } catch (error) {
    sayDropped(accountId, null, messageOf(error), log);
    return noMarkMoves;
  }
}

/** Reports dropped estimates. `marketId` null: those of the account's markets together. */
export function sayDropped(accountId: AccountId, marketId: MarketId | null, why: string, log: Say): void {
  const place = marketId === null ? `account ${accountId}, its markets together` : `market ${marketId}`;
  log.warn(
    { event: "estimates.dropped", account: `${accountId}`, market: marketId },
    `${place}: the estimates that the ledger has cannot be used and are learned again: ${why}`,
  );
}

/** `funded`: until when the account's book has the market's funding. Returns null while nothing was learned yet. */
export function marketText(
  { estimates, knownName, strategy, observed }: MarketDesk,
  chainId: string,
  now: Instant,
  funded: FundedTo | null = null,
): string | null {
  if (knownName === null) return null;
  const beside = { memory: strategy.keptMemory, adverse: adverseKept(observed.adverse, now), funded };
  return signalsText(estimates.state, { chainId, name: knownName }, now, beside);
}

export const accountText = (
  { correlatedRisk: { moves } }: AccountDesk,
  chainId: string,
  now: Instant,
): string | null => (moves.looks.some((looks) => looks > 0) ? movesText(moves, chainId, now) : null);
