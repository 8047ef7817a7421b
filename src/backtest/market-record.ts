// One market of one account over a run, as the exchange executed it: its fills with the mid before each, what prints moved, how much
// of the time both sides were quoted, and what the bot did for it.

import type { PrintEvent } from "../bot/accounting/account-book.ts";
import type { FillEvent } from "../bot/accounting/market-book.ts";
import {
  createMarkouts,
  type MarkoutHorizon,
  MarkoutMeans,
  markoutHorizons,
  type PlacedFill,
} from "../bot/analytics/markouts.ts";
import type { Fill } from "../domain/fill.ts";
import { contractsOf, divideFloor, notional } from "../domain/rounding.ts";
import {
  type MarketId,
  NOTIONAL_DIVISOR,
  type Price,
  type Size,
  signOf,
  size,
  type Usdc,
  usdc,
} from "../domain/units.ts";
import { DAY_MS } from "../kernel/clock.ts";
import type { DayMarkouts } from "./outcome.ts";

/**
 * How long after a print the price still moves because of it: competing makers renew their quotes once a second, and a book needs about
 * three seconds to form again.
 */
export const PRINT_MS = 5000;

/** A print under whose effect the price moves. */
type Print = { readonly validUntilSec: number; readonly untilMs: number; mark: Price; moved: bigint };

const noPlaces = (): readonly MarkoutMeans[] => Array.from({ length: 10 }, () => new MarkoutMeans());

type PlaceMarkouts = { readonly decile: number; readonly means: MarkoutMeans };

const heldOf = (inventory: Size): Size => size(inventory < 0n ? -inventory : inventory);

export class MarketRecord {
  readonly marketId: MarketId;
  readonly strategy: string;
  readonly actions = { place: 0, modify: 0, cancel: 0 };
  fills = 0;
  volume: Usdc = usdc(0n);
  placed = 0;
  filled = 0;
  positionMax: Size = size(0n);
  isQuoted = false;
  #inventory: Size = size(0n);
  #print: Print | null = null;
  /** In the order of the exchange; the account book sorts by time, and blocks hold many fills. */
  #sequence = 0;
  #markouts = createMarkouts<PlacedFill>();
  /** By tenths of the queue, the front first. */
  #placeMarkouts = noPlaces();
  readonly #days: Record<MarkoutHorizon, { sum: number; count: number }>[] = [];
  #startMs: number;
  #atMs: number;
  /** Integrals over time: quoted, position, position squared. */
  #quotedMs = 0;
  #positionMs = 0;
  #squareMs = 0;

  constructor(marketId: MarketId, strategy: string, startMs: number) {
    this.marketId = marketId;
    this.strategy = strategy;
    this.#startMs = startMs;
    this.#atMs = startMs;
  }

  /** Counting begins: what was before is left out of every figure, and the position stays. */
  begin(atMs: number, mark: Price): void {
    this.#pass(atMs);
    this.#follow(mark);
    if (this.#print !== null) this.#print.moved = 0n;
    Object.assign(this.actions, { place: 0, modify: 0, cancel: 0 });
    this.fills = 0;
    this.volume = usdc(0n);
    this.placed = 0;
    this.filled = 0;
    this.positionMax = heldOf(this.#inventory);
    this.#markouts = createMarkouts();
    this.#placeMarkouts = noPlaces();
    this.#days.length = 0;
    this.#startMs = atMs;
    this.#atMs = atMs;
    this.#quotedMs = 0;
    this.#positionMs = 0;
    this.#squareMs = 0;
  }

  /** What was held before, signed. */
  open(inventory: Size): void {
    this.#inventory = inventory;
    this.positionMax = heldOf(inventory);
  }

  /** A fill, with the mid before the transaction that made it, and the tenth of the queue that the order stood in; null: it took, or nobody knows. */
  fill(fill: Fill, mid: Price, atMs: number, decile: number | null = null): FillEvent {
    this.#pass(atMs);
    this.#follow(mid);
    this.fills += 1;
    this.volume = usdc(this.volume + notional(fill.price, fill.size));
    this.filled += contractsOf(fill.size);
    this.#inventory = size(this.#inventory + signOf(fill.side) * fill.size);
    const held = heldOf(this.#inventory);
    if (held > this.positionMax) this.positionMax = held;
    this.#markouts.follow({ ...fill, atMs, halfSpreadBps: 0, decile });
    this.#sequence += 1;
    const inOrder = { ...fill, timestampMs: this.#sequence };
    return { kind: "fill", fill: inOrder, referencePrice: mid, readsBefore: 0, money: "own" };
  }

  /** A print, with the mid before it. Returns what the one before has moved, where that still went on. */
  printed(validUntilSec: number, mid: Price, atMs: number): PrintEvent | null {
    this.#follow(mid);
    const over = this.#endPrint();
    this.#print = { validUntilSec, untilMs: atMs + PRINT_MS, mark: mid, moved: 0n };
    return over;
  }

  /** A block ended; `mark` is asked only where it matters. Returns what a print has moved, once that is over. */
  block(atMs: number, mark: () => Price): PrintEvent | null {
    this.#pass(atMs);
    if (this.#markouts.areDue(atMs)) this.#resolve(atMs, mark());
    if (this.#print === null) return null;
    this.#follow(mark());
    return atMs >= this.#print.untilMs ? this.#endPrint() : null;
  }

  /** The run ended. */
  end(atMs: number, mark: Price): PrintEvent | null {
    this.#pass(atMs);
    this.#follow(mark);
    return this.#endPrint();
  }

  get inventory(): Size {
    return this.#inventory;
  }

  get quoteUptime(): number {
    return this.#quotedMs / this.#lastedMs;
  }

  /** Contracts. */
  get positionStd(): number {
    const mean = this.#positionMs / this.#lastedMs;
    return Math.sqrt(Math.max(0, this.#squareMs / this.#lastedMs - mean * mean));
  }

  /** By day of the run. */
  get markouts(): readonly DayMarkouts[] {
    return this.#days;
  }

  /** By the tenth of the queue that orders stood in, of those with fills that were long enough ago. */
  get placeMarkouts(): readonly PlaceMarkouts[] {
    return this.#placeMarkouts.map((means, at) => ({ decile: at + 1, means })).filter(({ means }) => means.count > 0);
  }

  get #lastedMs(): number {
    return Math.max(1, this.#atMs - this.#startMs);
  }

  #pass(atMs: number): void {
    const passedMs = atMs - this.#atMs;
    if (passedMs <= 0) return;
    this.#atMs = atMs;
    const held = contractsOf(this.#inventory);
    if (this.isQuoted) this.#quotedMs += passedMs;
    this.#positionMs += held * passedMs;
    this.#squareMs += held * held * passedMs;
  }

  /** The price has come to `mid`: while a print works, that is its doing. */
  #follow(mid: Price): void {
    if (this.#print === null) return;
    this.#print.moved += this.#inventory * (mid - this.#print.mark);
    this.#print.mark = mid;
  }

  #endPrint(): PrintEvent | null {
    const print = this.#print;
    this.#print = null;
    if (print === null) return null;
    const amount = usdc(divideFloor(print.moved, NOTIONAL_DIVISOR));
    return { kind: "print", marketId: this.marketId, validUntilSec: print.validUntilSec, amount };
  }

  #resolve(atMs: number, mark: Price): void {
    for (const { horizon, bps, fill } of this.#markouts.resolve(atMs, mark)) {
      if (fill.decile !== null) this.#placeMarkouts[fill.decile - 1]?.add({ horizon, bps });
      const day = this.#day(Math.floor((atMs - this.#startMs) / DAY_MS))[horizon];
      day.sum += bps;
      day.count += 1;
    }
  }

  #day(nth: number): Record<MarkoutHorizon, { sum: number; count: number }> {
    for (let next = this.#days.length; next <= nth; next += 1) {
      const none = markoutHorizons.map((horizon) => [horizon, { sum: 0, count: 0 }]);
      this.#days.push(Object.fromEntries(none) as Record<MarkoutHorizon, { sum: number; count: number }>);
    }
    return this.#days[nth] as Record<MarkoutHorizon, { sum: number; count: number }>;
  }
}
