// The curves of a run, thinned while it runs: a chart shows some hundred points, and a run has one sample per minute.

import { type Pnl, pnlComponents } from "../bot/accounting/market-book.ts";
import { usdcOf } from "../domain/rounding.ts";
import type { Curves, MarketCurves, PnlComponent } from "./outcome.ts";

/** Most points of a curve; more than the columns of a screen. */
export const POINTS_MAX = 2000;

type Sample = {
  readonly hours: number;
  /** USDC since the start. */
  readonly pnl: number;
  /** USDC below the best so far, 0 or less. */
  readonly drawdown: number;
  readonly markets: readonly { readonly position: number; readonly pnl: Pnl }[];
};

type Rest = {
  readonly days: readonly number[];
  readonly markets: readonly Pick<MarketCurves, "markouts" | "placed" | "filled">[];
};

/**
 * Keeps one point per interval: the last sample, with the deepest drawdown of the interval. If there are too many points, pairs of
 * neighbors are merged and intervals are twice as long from then on.
 */
export class CurveSampler {
  readonly #markets: number;
  #points: Sample[] = [];
  #perPoint = 1;
  /** Samples in the last point. */
  #inLast = 0;

  constructor(markets: number) {
    this.#markets = markets;
  }

  add(sample: Sample): void {
    const last = this.#points.at(-1);
    if (last !== undefined && this.#inLast < this.#perPoint) {
      this.#points[this.#points.length - 1] = joined(last, sample);
      this.#inLast += 1;
      return;
    }
    if (this.#points.length === POINTS_MAX) {
      const pairs = this.#points;
      this.#points = pairs.flatMap((point, at) => (at % 2 === 0 ? [] : [joined(pairs[at - 1] as Sample, point)]));
      this.#perPoint *= 2;
    }
    this.#points.push(sample);
    this.#inLast = 1;
  }

  end({ days, markets }: Rest): Curves {
    const points = this.#points;
    return {
      hours: points.map(({ hours }) => short(hours)),
      pnl: points.map(({ pnl }) => short(pnl)),
      drawdown: points.map(({ drawdown }) => short(drawdown)),
      days,
      markets: Array.from({ length: this.#markets }, (_, nth) => {
        const own = points.map((point) => point.markets[nth] as Sample["markets"][number]);
        const pnl = pnlComponents.map((component) => [
          component,
          own.map((each) => short(usdcOf(each.pnl[component]))),
        ]);
        return {
          ...(markets[nth] as Rest["markets"][number]),
          position: own.map(({ position }) => short(position)),
          pnl: Object.fromEntries(pnl) as Record<PnlComponent, readonly number[]>,
        };
      }),
    };
  }
}

const joined = (before: Sample, after: Sample): Sample => ({
  ...after,
  drawdown: Math.min(before.drawdown, after.drawdown),
});

/** Three decimals are enough for a drawing. */
const short = (value: number): number => Math.round(value * 1000) / 1000;
