// How long a view stays what it is while no event comes: facts change by growing old, and nobody has to look at them before.

import type { Fact, View } from "../../domain/view.ts";
import type { FeedState } from "./state.ts";

/** So many ms after `view.nowMs` its facts are as fresh as they are now; 0: one of them may change at any time. */
export function viewHoldsForMs(state: FeedState, view: View): number {
  const { ages } = state;
  const account = state.accounts.get(view.accountId);
  const isInDoubt = state.markets.get(view.marketId)?.book.doubtedMs !== null;
  if (isInDoubt) return 0;
  return Math.min(
    leftMs(view.stream, ages.streamMs),
    leftMs(view.chain, ages.chainMs),
    leftMs(view.market, ages.marketMs),
    leftMs(view.oracle, ages.oracleMs),
    leftMs(view.book, ages.bookMs),
    leftMs(view.funding, ages.fundingMs),
    leftMs(view.reconciled, ages.reconciledMs),
    leftMs(view.agent, ages.reconciledMs),
    leftMs(view.feeTier, ages.feeTiersMs),
    leftMs(view.openOrderCap, ages.openOrderCapMs),
    validForMs(view),
    (account?.orders.vacatedUntilMs(view.marketId) ?? Number.POSITIVE_INFINITY) - view.nowMs,
  );
}

/** Only an event makes an absent fact known. A stale one may be fresh again for other reasons: nobody waits for it. */
function leftMs(fact: Fact<unknown>, ageMsMax: number): number {
  if (fact.state === "absent") return Number.POSITIVE_INFINITY;
  return fact.state === "fresh" ? ageMsMax - fact.ageMs : 0;
}

/** Beyond its validity the oracle is Stale. */
function validForMs({ oracle, chain }: View): number {
  if (oracle.state === "absent" || chain.state === "absent" || oracle.value.status !== "Active")
    return Number.POSITIVE_INFINITY;
  return oracle.value.validUntilSec * 1000 - chain.value.timeMs;
}
