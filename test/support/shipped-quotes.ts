// The shipped strategies as quotes of the experiment in papers.ts: their own functions, not copies of formulas.

import type { View } from "../../src/domain/view.ts";
import { optimalQuotes } from "../../strategies/avellaneda-stoikov.ts";
import { strategy as fixedSpread } from "../../strategies/fixed-spread.ts";
import { closedForm } from "../../strategies/glft.ts";
import { healthyView, market, now, oracle, usd } from "../unit/bot/risk/healthy.ts";
import { type Depths, paper, type Quoting } from "./papers.ts";

export const avellanedaStoikov =
  (gamma: number): Quoting =>
  (inventory, step, mid) => {
    const { sigma, k, dt } = paper;
    const { bid, ask } = optimalQuotes({ mid, inventory, gamma, sigma, k, timeLeft: 1 - step * dt });
    return { bid: mid - bid, ask: ask - mid };
  };

export function glft(gamma: number): Quoting {
  const { sigma, intensityA, k } = paper;
  const { halfSpreadUsd, skewUsd } = closedForm({ sigma, intensityA, intensityK: k }, gamma);
  return (inventory) => ({ bid: halfSpreadUsd + skewUsd * inventory, ask: halfSpreadUsd - skewUsd * inventory });
}

/** The symmetric benchmark: the strategy itself quotes at each price that the paths reach, on the finest tick. */
export function symmetric(halfSpreadUsd: number): Quoting {
  const quoted = new Map<number, Depths>();
  const book = now({ marketId: market.marketId, bids: [], asks: [] });
  const view: View = { ...healthyView, book, market: now({ ...market, tickSize: 1n as never }) };
  return (_inventory, _step, mid) => {
    const known = quoted.get(mid);
    if (known !== undefined) return known;
    const params = fixedSpread.params.parse({
      size: 1,
      center: "oracle",
      halfSpreadBps: (10_000 * halfSpreadUsd) / mid,
    });
    const { quotes } = fixedSpread.quote({ ...view, oracle: now({ ...oracle, price: usd(mid) }) }, params, null);
    const at = (side: "buy" | "sell") => Number(quotes.find((one) => one.side === side)?.price) / 1e8;
    const depths = { bid: mid - at("buy"), ask: at("sell") - mid };
    quoted.set(mid, depths);
    return depths;
  };
}
