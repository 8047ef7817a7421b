// The curves of a run, thinned out while it goes on: a chart shows some hundred points, and a run has a sample for every minute.

import { type Pnl, pnlComponents } from "../bot/accounting/market-book.ts";
import { usdcOf } from "../domain/rounding.ts";
import type { Curves, MarketCurves, PnlComponent } from "./outcome.ts";

/** Points of a curve; more than a screen has columns for it. */
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
 * Keeps one point per stretch of time: the last sample, with the deepest drawdown of the stretch. When there are too many points,
 * neighbors are joined two by two and stretches are twice as long from then on.
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

/** A curve is drawn, not added up: three digits behind the point. */
const short = (value: number): number => Math.round(value * 1000) / 1000;
