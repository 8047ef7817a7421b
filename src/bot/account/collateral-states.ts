// The collateral and positions that the book expected over the last seconds. A read shows the account at one unknown instant of its span,
// so it shows one of the states expected then.

import type { Fill } from "../../domain/fill.ts";
import type { Order } from "../../domain/order.ts";
import { type MarketId, type Size, type Usdc, usdc } from "../../domain/units.ts";
import type { AccountBook } from "../accounting/account-book.ts";
import { collateralOf } from "../accounting/totals.ts";
import { readTiming } from "../timing.ts";
import type { Span } from "./evidence.ts";

/** Signed contracts by market, flat markets left out. */
export type Inventories = ReadonlyMap<MarketId, Size>;

type Expected = { readonly collateral: Usdc; readonly inventories: Inventories };

/** A fill. `filled`: contracts of its order filled before and after it; null: the order is not tracked. */
type EndingFill = Pick<Fill, "key" | "orderId"> & {
  readonly filled: { readonly before: Size; readonly after: Size } | null;
};

/** `sinceMs`, `untilMs`: when the bot expected it, monotonic. The exchange may have reached it, and left it, a little sooner. */
export type ExpectedState = Expected & {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Fills before it. */
  readonly fills: number;
  /** The fill that ended it; null: none did. */
  readonly ended: EndingFill | null;
};

/** More changes than any account makes within a read's span; older states are dropped. */
const STATES_MAX = 1000;

/** What the book expects now. */
export function expectedIn(book: AccountBook): Expected {
  const inventories = new Map<MarketId, Size>();
  for (const [marketId, { now }] of book.markets) if (now.inventory !== 0n) inventories.set(marketId, now.inventory);
  return { collateral: collateralOf(book), inventories };
}

const areSame = (one: Inventories, other: Inventories): boolean =>
  one.size === other.size && one.entries().every(([marketId, held]) => other.get(marketId) === held);

/** What a read showed. `sentMs`: when the newest order of ours that it lists was sent, monotonic. */
export type CollateralRead = {
  readonly span: Span;
  readonly askedMs: number;
  readonly collateral: Usdc;
  readonly inventories: Inventories;
  readonly listed: readonly Pick<Order, "orderId" | "filledSize">[];
  readonly sentMs: number;
};

/** The states that fit the read: same positions, not before its newest listed order was sent, and the same fills of listed orders. */
export function statesShown(
  states: readonly ExpectedState[],
  { inventories, listed, sentMs }: CollateralRead,
): readonly ExpectedState[] {
  const filled = new Map(listed.map(({ orderId, filledSize }) => [orderId, filledSize]));
  let [fromMs, toMs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { ended, untilMs } of states) {
    const shown = ended === null ? undefined : filled.get(ended.orderId);
    if (!ended?.filled || shown === undefined) continue;
    if (shown >= ended.filled.after) fromMs = Math.max(fromMs, untilMs);
    if (shown <= ended.filled.before) toMs = Math.min(toMs, untilMs);
  }
  return states.filter(
    (state) =>
      state.untilMs > sentMs &&
      state.sinceMs >= fromMs &&
      state.untilMs <= toMs &&
      areSame(state.inventories, inventories),
  );
}

const withMoney = (state: ExpectedState, amount: Usdc): ExpectedState => ({
  ...state,
  collateral: usdc(state.collateral + amount),
});

export class CollateralStates {
  readonly #readLagMaxMs: number;
  /** Oldest first. */
  #past: readonly ExpectedState[] = [];
  #sinceMs = Number.NEGATIVE_INFINITY;
  #fills = 0;
  /** All states since then are kept, monotonic ms. */
  #knownSinceMs = Number.NEGATIVE_INFINITY;

  constructor(readLagMaxMs: number) {
    this.#readLagMaxMs = readLagMaxMs;
  }

  /** Call after a fill. `before`: what was expected until now. */
  filled(before: Expected, fill: EndingFill, nowMs: number): void {
    const state = { ...before, sinceMs: this.#sinceMs, untilMs: nowMs, fills: this.#fills, ended: fill };
    this.#fills += 1;
    this.#keep([...this.#past, state], nowMs);
  }

  /** A fill turned out to bring `amount` more than booked: adds it to all states since that fill. */
  amended(key: string, amount: Usdc): void {
    const ended = this.#past.find((state) => state.ended?.key === key)?.fills ?? Number.NEGATIVE_INFINITY;
    this.#past = this.#past.map((state) => (state.fills > ended ? withMoney(state, amount) : state));
  }

  /** `amount` was booked late: the exchange may have had it in any kept state, so each state counts with and without it. */
  posted(before: Expected, amount: Usdc, nowMs: number): void {
    const state = { ...before, sinceMs: this.#sinceMs, untilMs: nowMs, fills: this.#fills, ended: null };
    const without = [...this.#past, state];
    this.#keep([...without, ...without.map((each) => withMoney(each, amount))], nowMs);
  }

  /** Positions were taken from the exchange: earlier states explain nothing. */
  forget(): void {
    this.#past = [];
  }

  /** The states expected at some time of the span, the present one (`now`) first; null where some were dropped. */
  during({ fromMs, toMs }: Span, now: Expected): readonly ExpectedState[] | null {
    if (fromMs <= this.#knownSinceMs) return null;
    const present = {
      ...now,
      sinceMs: this.#sinceMs,
      untilMs: Number.POSITIVE_INFINITY,
      fills: this.#fills,
      ended: null,
    };
    return [present, ...this.#past.toReversed()].filter(({ sinceMs, untilMs }) => untilMs >= fromMs && sinceMs <= toMs);
  }

  /** Reads are judged late, once the frames behind them have come: the slowest read needs states this old. */
  #keep(states: readonly ExpectedState[], nowMs: number): void {
    const sinceMs = nowMs - 2 * this.#readLagMaxMs - readTiming.tookMaxMs;
    const kept = states.filter(({ untilMs }) => untilMs >= sinceMs);
    const dropped = kept.slice(0, -STATES_MAX).reduce((latest, { untilMs }) => Math.max(latest, untilMs), sinceMs);
    this.#past = kept.slice(-STATES_MAX);
    this.#sinceMs = nowMs;
    this.#knownSinceMs = Math.max(this.#knownSinceMs, dropped);
  }
}
