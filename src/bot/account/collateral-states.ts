// The collateral that the book expected over the last seconds, and the positions beside it. A read shows the account at one instant, which
// nobody knows: it is one of the states that were held while it may be of.

import type { Order } from "../../domain/order.ts";
import { type MarketId, type OrderId, type Size, type Usdc, usdc } from "../../domain/units.ts";
import type { AccountBook } from "../accounting/account-book.ts";
import { collateralOf } from "../accounting/totals.ts";
import { readTiming } from "../timing.ts";
import type { Span } from "./evidence.ts";

/** Signed contracts by market, without those that are flat. */
export type Inventories = ReadonlyMap<MarketId, Size>;

type Expected = { readonly collateral: Usdc; readonly inventories: Inventories };

/** What a fill made of its order: contracts that were filled of it. */
type FilledOrder = { readonly orderId: OrderId; readonly before: Size; readonly after: Size };

/** `sinceMs`, `untilMs`: when the bot expected it, monotonic. The exchange may have reached it, and left it, a little sooner. */
export type ExpectedState = Expected & {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** The fill that ended it; null: none did, or one of an order that is not tracked. */
  readonly ended: FilledOrder | null;
};

/** More changes than any account has in the time that a read may be of; of older ones nothing is known then. */
const STATES_MAX = 1000;

/** As the book has it now. */
export function expectedIn(book: AccountBook): Expected {
  const inventories = new Map<MarketId, Size>();
  for (const [marketId, { now }] of book.markets) if (now.inventory !== 0n) inventories.set(marketId, now.inventory);
  return { collateral: collateralOf(book), inventories };
}

const areSame = (one: Inventories, other: Inventories): boolean =>
  one.size === other.size && one.entries().every(([marketId, held]) => other.get(marketId) === held);

/** What a read showed of the account at one instant. `sentMs`: when the newest order of ours that it lists was sent, monotonic. */
export type CollateralRead = {
  readonly span: Span;
  readonly askedMs: number;
  readonly collateral: Usdc;
  readonly inventories: Inventories;
  readonly listed: readonly Pick<Order, "orderId" | "filledSize">[];
  readonly sentMs: number;
};

/**
 * The states that the read's positions and orders leave of these: it lists no order before it was sent, and shows each fill of a listed one or
 * lacks it.
 */
export function statesShown(
  states: readonly ExpectedState[],
  { inventories, listed, sentMs }: CollateralRead,
): readonly ExpectedState[] {
  const filled = new Map(listed.map(({ orderId, filledSize }) => [orderId, filledSize]));
  let [fromMs, toMs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { ended, untilMs } of states) {
    const shown = ended === null ? undefined : filled.get(ended.orderId);
    if (ended === null || shown === undefined) continue;
    if (shown >= ended.after) fromMs = Math.max(fromMs, untilMs);
    if (shown <= ended.before) toMs = Math.min(toMs, untilMs);
  }
  return states.filter(
    (state) =>
      state.untilMs > sentMs &&
      state.sinceMs >= fromMs &&
      state.untilMs <= toMs &&
      areSame(state.inventories, inventories),
  );
}

export class CollateralStates {
  readonly #readLagMaxMs: number;
  /** Oldest first. */
  #past: readonly ExpectedState[] = [];
  #sinceMs = Number.NEGATIVE_INFINITY;
  /** Whatever was expected since then is here, monotonic ms. */
  #knownSinceMs = Number.NEGATIVE_INFINITY;

  constructor(readLagMaxMs: number) {
    this.#readLagMaxMs = readLagMaxMs;
  }

  /** A fill has changed what was expected until now. */
  filled(before: Expected, fill: FilledOrder | null, nowMs: number): void {
    this.#keep([...this.#past, { ...before, sinceMs: this.#sinceMs, untilMs: nowMs, ended: fill }], nowMs);
  }

  /** `amount` was booked that the exchange has had for a while: since some time before, what was expected was more by that. */
  posted(before: Expected, amount: Usdc, nowMs: number): void {
    const without = [...this.#past, { ...before, sinceMs: this.#sinceMs, untilMs: nowMs, ended: null }];
    const withIt = without.map((state) => ({ ...state, collateral: usdc(state.collateral + amount) }));
    this.#keep([...without, ...withIt], nowMs);
  }

  /** Positions are taken from the exchange: what was held before explains nothing. */
  forget(): void {
    this.#past = [];
  }

  /**
   * The states that were expected at some time of the span, the present one first; null where not all of them are known. `now`: what is
   * expected at present.
   */
  during({ fromMs, toMs }: Span, now: Expected): readonly ExpectedState[] | null {
    if (fromMs <= this.#knownSinceMs) return null;
    const present = { ...now, sinceMs: this.#sinceMs, untilMs: Number.POSITIVE_INFINITY, ended: null };
    return [present, ...this.#past.toReversed()].filter(({ sinceMs, untilMs }) => untilMs >= fromMs && sinceMs <= toMs);
  }

  /** A read that takes longest is judged that much later again, when frames that were behind it have come. */
  #keep(states: readonly ExpectedState[], nowMs: number): void {
    const sinceMs = nowMs - 2 * this.#readLagMaxMs - readTiming.tookMaxMs;
    const kept = states.filter(({ untilMs }) => untilMs >= sinceMs);
    const dropped = kept.slice(0, -STATES_MAX).reduce((latest, { untilMs }) => Math.max(latest, untilMs), sinceMs);
    this.#past = kept.slice(-STATES_MAX);
    this.#sinceMs = nowMs;
    this.#knownSinceMs = Math.max(this.#knownSinceMs, dropped);
  }
}
