// Builds what one turn may know of one market of one account. Cheap enough to be built for every turn: facts are referred to, not
// copied, and the list of orders is kept until one of them changes.

import type { AccountId, MarketId } from "../../domain/units.ts";
import { absent, type PositionFact, type Signals, type View } from "../../domain/view.ts";
import { assert } from "../../kernel/assert.ts";
import type { AccountState } from "../account/account-state.ts";
import { fundsOf } from "../account/funds.ts";
import { paidTier, scheduledTier } from "../account/paid-fees.ts";
import { positionRange } from "../account/position-range.ts";
import { resyncOf } from "../account/resync-reasons.ts";
import { unreadableIn } from "../account/unreadable.ts";
import { entryPriceIn, inventoryIn } from "../accounting/account-book.ts";
import {
  agentFact,
  bookFact,
  chainFact,
  mapFact,
  type Now,
  oracleFact,
  readFact,
  reconciledFact,
  streamFact,
} from "./freshness.ts";
import { type FeedState, marketOf } from "./state.ts";

/**
 * The view at `now`; `extraInventory` is what the account's other markets add to the skew, contracts. The account must be one of the
 * feed's: asking for another is a fault of this code.
 */
export function buildView(
  state: FeedState,
  accountId: AccountId,
  marketId: MarketId,
  now: Now,
  signals: Signals,
  extraInventory = 0,
): View {
  const account = state.accounts.get(accountId);
  assert(account !== undefined, "a view is of an account that the feed was made for");
  const market = marketOf(state, marketId);
  const { ages } = state;
  const stream = streamFact(state, now);
  const chain = chainFact(state, stream, now);
  const marketFact = readFact(state, market.market, ages.marketMs, now);
  const reconciled = reconciledFact(state, account, marketId, stream, now);
  const unreadable = unreadableIn(account, marketId);
  return {
    nowMs: now.monotonicMs,
    accountId,
    marketId,
    market: marketFact,
    oracle: oracleFact(state, market, chain, now),
    book: bookFact(state, market, stream, now),
    funding: readFact(state, market.funding, ages.fundingMs, now),
    chain,
    stream,
    position: unreadable.some(({ what }) => what === "position")
      ? absent
      : mapFact(reconciled, () => positionOf(account, marketId)),
    funds: mapFact(reconciled, () => fundsOf(state, account, marketId)),
    reconciled,
    resync: resyncing(account, marketId, now),
    agent: agentFact(state, account, now),
    feeTier: mapFact(readFact(state, state.feeTiers, ages.feeTiersMs, now), () => {
      const tier = scheduledTier(state, account, marketId);
      return tier && paidTier(account, marketId, tier, now.monotonicMs);
    }),
    openOrderCap: mapFact(readFact(state, state.openOrderCap, ages.openOrderCapMs, now), (cap) => cap),
    orders: account.orders.inMarket(marketId),
    vacated: account.orders.vacatedIn(marketId, now.monotonicMs),
    unreadable,
    accountOrderCount: account.orders.restingCount,
    signals,
    guidance: { extraInventory, fairValueUsd: null },
  };
}

function resyncing(account: AccountState, marketId: MarketId, now: Now): View["resync"] {
  const resync = resyncOf(account, marketId);
  return resync === undefined ? null : { reason: resync.reason, forMs: now.monotonicMs - resync.sinceMs };
}

/** As our fills moved it since the last read. */
const positionOf = (account: AccountState, marketId: MarketId): PositionFact => ({
  inventory: inventoryIn(account.book, marketId),
  ...positionRange(account, marketId),
  entryPrice: entryPriceIn(account.book, marketId),
});
