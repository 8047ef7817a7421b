// Records one market of one account over a run, as the exchange executed it: fills with the mid before each, price moves by prints, the
// share of time with both sides quoted, and the bot's actions.

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

/** A print that still moves the price. */
type Print = { readonly validUntilSec: number; readonly untilMs: number; mark: Price; moved: bigint };

const noPlaces = (): readonly MarkoutMeans[] => Array.from({ length: 10 }, () => new MarkoutMeans());

type PlaceMarkouts = { readonly decile: number; readonly means: MarkoutMeans };

/** `positionMs`, `squareMs`: position and its square in contracts, each times ms. */
export type MarketSums = Readonly<Record<"atMs" | "quotedMs" | "positionMs" | "squareMs" | "actions", number>>;

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
  /** Position in the exchange's order, because the account book sorts by time, and blocks have many fills. */
  #sequence = 0;
  #markouts = createMarkouts<PlacedFill>();
  /** By tenth of the queue, front first. */
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

  /** Starts counting: nothing before it is in any figure; the position stays. */
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

  /** Sets the position held before, signed. */
  open(inventory: Size): void {
    this.#inventory = inventory;
    this.positionMax = heldOf(inventory);
  }

  /**
   * Takes a fill, with the mid before its transaction, and the tenth of the queue where the order was; null: it took, or this is unknown.
   */
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

  /** Takes a print, with the mid before it. Returns the effect of the previous print if that was still counted. */
  printed(validUntilSec: number, mid: Price, atMs: number): PrintEvent | null {
    this.#follow(mid);
    const over = this.#endPrint();
    this.#print = { validUntilSec, untilMs: atMs + PRINT_MS, mark: mid, moved: 0n };
    return over;
  }

  /** A block ended; `mark` is called only if needed. Returns the effect of a print once its time is over. */
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

  /** Standard deviation over time, contracts. */
  get positionStd(): number {
    const mean = this.#positionMs / this.#lastedMs;
    return Math.sqrt(Math.max(0, this.#squareMs / this.#lastedMs - mean * mean));
  }

  /** Integrals over time since counting began, and executed actions. */
  get sums(): MarketSums {
    const { place, modify, cancel } = this.actions;
    return {
      atMs: this.#atMs,
      quotedMs: this.#quotedMs,
      positionMs: this.#positionMs,
      squareMs: this.#squareMs,
      actions: place + modify + cancel,
    };
  }

  /** By day of the run. */
  get markouts(): readonly DayMarkouts[] {
    return this.#days;
  }

  /** Markouts by the tenth of the queue where orders were, from fills that are old enough. */
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

  /** The price moved to `mid`; counts as the print's effect while one is active. */
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
