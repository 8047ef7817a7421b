// The blocks of a run: its stretches from print to print. A print moves the price at once, so blocks are close to independent, and what a
// run in one recorded market earned is judged by them.

import type { MarketSums } from "./market-record.ts";
import type { BlockLine } from "./outcome.ts";
import { rounded } from "./summary.ts";

/** Prints of several markets within so short a time are one. */
const SAME_PRINT_MS = 1000;

/** A run at one moment; amounts in USDC. */
export type Moment = {
  readonly atMs: number;
  readonly equity: number;
  readonly closingCost: number;
  readonly markets: readonly MarketSums[];
};

export class Blocks {
  readonly #lines: BlockLine[] = [];
  #last: Moment;
  #printMs = Number.NEGATIVE_INFINITY;

  constructor(start: Moment) {
    this.#last = start;
  }

  /** Whether a print now ends a block. */
  endsAt(atMs: number): boolean {
    const isNew = atMs >= this.#printMs + SAME_PRINT_MS;
    if (isNew) this.#printMs = atMs;
    return isNew;
  }

  end(moment: Moment): void {
    const { atMs, equity, markets } = this.#last;
    this.#last = moment;
    if (moment.atMs <= atMs) return;
    this.#lines.push({
      fromMs: atMs,
      toMs: moment.atMs,
      pnl: rounded(moment.equity - equity),
      closingCost: rounded(moment.closingCost),
      markets: moment.markets.map((sums, nth) => marketOf(sums, markets[nth])),
    });
  }

  get lines(): readonly BlockLine[] {
    return this.#lines;
  }
}

function marketOf(to: MarketSums, from: MarketSums = { ...to }): BlockLine["markets"][number] {
  const lastedMs = Math.max(1, to.atMs - from.atMs);
  const mean = (to.positionMs - from.positionMs) / lastedMs;
  const square = (to.squareMs - from.squareMs) / lastedMs;
  return {
    quoteUptime: rounded((to.quotedMs - from.quotedMs) / lastedMs),
    positionMean: rounded(mean),
    positionStd: rounded(Math.sqrt(Math.max(0, square - mean * mean))),
    actions: to.actions - from.actions,
  };
}
