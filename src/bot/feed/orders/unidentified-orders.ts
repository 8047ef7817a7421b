// Orders that landed without an answer and were over before anybody named their id, as when the bot died in between: their fills stand
// in the public trades (S2.5) under ids that we do not know. Ids are taken for ours when what they traded, as makers at the orders' own
// prices and in their lifetimes, is together exactly what our position moved by without a fill: somebody else's order of the same shape
// moves nothing of ours.

import type { Trade } from "../../../domain/fill.ts";
import { UNIDENTIFIED_MS } from "../../../domain/intent.ts";
import { type MarketId, type OrderId, opposite, signOf, size } from "../../../domain/units.ts";
import {
  claimId,
  isAnyUnidentified,
  isOurs,
  type LandedRecord,
  type OrderRecords,
  recordOf,
  type TrackedRecord,
} from "./order-records.ts";

/** Nonces are chain time in ms (S5); they and the times of trades disagree by less than this. */
const TIMES_DIFFER_MS = 2000;
const LANDED_MAX = 100;

/** Public trades of a market, and what they may explain. */
export type TradeSearch = {
  readonly marketId: MarketId;
  readonly trades: readonly Trade[];
  /** By how much the position moved without a fill, signed. */
  readonly moved: bigint;
  /** Chain time minus monotonic time, ms; null: no clock. */
  readonly chainOffsetMs: number | null;
  readonly receivedMs: number;
};

/** An id that may be a landed order's, and what it moved our position by if it is. */
type Candidate = { readonly landed: LandedRecord; readonly orderId: OrderId; readonly moved: bigint };

/**
 * True when ids were found: from then on they are ours, so that their trades are booked. Where more than one choice of ids would
 * explain the movement, none is taken; nor is any where the trades do not reach back to when the order was sent, since others that
 * fit may have left the list.
 */
export function identifyLanded(records: OrderRecords, search: TradeSearch): boolean {
  const { marketId, moved } = search;
  const landed = records.landed.filter(({ order }) => order.marketId === marketId);
  if (moved === 0n || landed.length === 0) return false;
  if (isAnyUnidentified(records, marketId, Math.max(...landed.map(({ resolvedMs }) => resolvedMs)))) return false;
  const chosen = onlyChoice(
    landed.map((one) => candidatesOf(records, one, search)),
    moved,
  );
  for (const one of chosen) takeLanded(records, one.landed, one.orderId, search.receivedMs);
  return chosen.length > 0;
}

/** An order landed and is over, and nobody named its id. */
export function rememberLanded(records: OrderRecords, { order, sentMs }: TrackedRecord, nowMs: number): void {
  forgetLanded(records, nowMs);
  records.landed = [...records.landed.slice(1 - LANDED_MAX), { order, sentMs, resolvedMs: nowMs }];
}

export function forgetLanded(records: OrderRecords, nowMs: number): void {
  records.landed = records.landed.filter(({ resolvedMs }) => nowMs - resolvedMs < UNIDENTIFIED_MS);
}

/** The landed order is identified: the id is ours. `endedMs`: when it was found to be over, null where it may yet be listed. */
export function takeLanded(
  records: OrderRecords,
  landed: LandedRecord,
  orderId: OrderId,
  endedMs: number | null,
): void {
  const { marketId, side } = landed.order;
  const filled = recordOf(records, orderId)?.filled ?? size(0n);
  claimId(records, { orderId, marketId, side }, { endedMs, placedMs: null, filled });
  records.landed = records.landed.filter((other) => other !== landed);
}

function candidatesOf(
  records: OrderRecords,
  landed: LandedRecord,
  { trades, chainOffsetMs }: TradeSearch,
): readonly Candidate[] {
  const life = lifeOf(landed, chainOffsetMs);
  if (life === null || !trades.some(({ timestampMs }) => timestampMs !== null && timestampMs < life.fromMs)) return [];
  const traded = new Map<OrderId, bigint>();
  for (const trade of trades) {
    if (!canBeOf(landed, life, trade) || isOurs(records, trade.makerOrderId)) continue;
    traded.set(trade.makerOrderId, (traded.get(trade.makerOrderId) ?? 0n) + trade.size);
  }
  const { side, size: whole } = landed.order;
  return [...traded]
    .filter(([, sum]) => sum <= whole)
    .map(([orderId, sum]) => ({ landed, orderId, moved: signOf(side) * sum }));
}

/** More ways to choose than this are not looked through. */
const WAYS_MAX = 20_000;

/** The one set of ids, at most one per order, that moved the position by exactly `moved`; empty where there is none or another. */
function onlyChoice(choices: readonly (readonly Candidate[])[], moved: bigint): readonly Candidate[] {
  if (choices.reduce((ways, candidates) => ways * (candidates.length + 1), 1) > WAYS_MAX) return [];
  const found = new Map<string, readonly Candidate[]>();
  const choose = (at: number, chosen: readonly Candidate[], left: bigint): void => {
    const candidates = choices[at];
    if (candidates === undefined) {
      if (left === 0n) found.set(nameOf(chosen), chosen);
      return;
    }
    choose(at + 1, chosen, left);
    for (const candidate of candidates) {
      if (chosen.some(({ orderId }) => orderId === candidate.orderId)) continue;
      choose(at + 1, [...chosen, candidate], left - candidate.moved);
    }
  };
  choose(0, [], moved);
  const [only, another] = found.values();
  return another === undefined ? (only ?? []) : [];
}

/** Two orders of one shape may have each other's id: the ids are the same. */
const nameOf = (chosen: readonly Candidate[]): string =>
  chosen
    .map(({ orderId }) => `${orderId}`)
    .sort()
    .join();

/** Chain time, ms: from its sending until it was proven to be over. */
type Life = { readonly fromMs: number; readonly toMs: number };

function lifeOf({ order, resolvedMs }: LandedRecord, chainOffsetMs: number | null): Life | null {
  if (chainOffsetMs === null || order.nonce === null) return null;
  return { fromMs: Number(order.nonce) - TIMES_DIFFER_MS, toMs: resolvedMs + chainOffsetMs + TIMES_DIFFER_MS };
}

function canBeOf({ order }: LandedRecord, { fromMs, toMs }: Life, trade: Trade): boolean {
  if (trade.price !== order.price || opposite(trade.takerSide) !== order.side) return false;
  return trade.timestampMs !== null && trade.timestampMs >= fromMs && trade.timestampMs <= toMs;
}
