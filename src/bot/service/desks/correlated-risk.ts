// What the positions of an account in other markets amount to in one of them: indices that surprise together share their risk, so that
// a position in a metro hedges one in the nation. How much they do is found in their prints.

import { contractsOf } from "../../../domain/rounding.ts";
import type { MarketId } from "../../../domain/units.ts";
import { type AccountBook, inventoryIn } from "../../accounting/account-book.ts";
import { riskElsewhere, type Surprise, skewWeights, surpriseCorrelations } from "../../strategy/correlation.ts";
import { nowcastErrorBps } from "../../strategy/nowcast.ts";
import { deskTiming } from "../../timing.ts";
import type { MarketDesk } from "./market-desk.ts";

type Desks = ReadonlyMap<MarketId, Pick<MarketDesk, "marketId" | "signals" | "quoted">>;

/** With more, working them out would keep cancels waiting: each market then counts alone. */
const MARKETS_MAX = 32;

export class CorrelatedRisk {
  #weights: ReadonlyMap<MarketId, readonly number[]> | null = null;
  #series: readonly (readonly Surprise[])[] = [];
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** Contracts of the market, never more than its limit lets us hold; 0 while nothing is known. `nowMs` is monotonic. */
  contractsIn(marketId: MarketId, desks: Desks, book: AccountBook, nowMs: number): number {
    if (desks.size < 2 || desks.size > MARKETS_MAX) return 0;
    if (nowMs - this.#lookedMs >= deskTiming.correlationEveryMs) this.#look(desks, nowMs);
    const own = desks.get(marketId);
    const row = this.#weights?.get(marketId);
    if (own === undefined || row === undefined || row.length !== desks.size) return 0;
    const surpriseUsd = surpriseUsdOf(own);
    if (surpriseUsd === 0) return 0;
    const exposures = [...desks.values()].map((desk) => ({
      contracts: desk === own ? 0 : contractsOf(inventoryIn(book, desk.marketId)),
      surpriseUsd: surpriseUsdOf(desk),
    }));
    const most = contractsOf(own.quoted.limits.maxPosition);
    return Math.min(most, Math.max(-most, riskElsewhere(surpriseUsd, exposures, row)));
  }

  #look(desks: Desks, nowMs: number): void {
    this.#lookedMs = nowMs;
    const series = [...desks.values()].map(({ signals }) => signals.nowcast.dated);
    if (series.length === this.#series.length && series.every((each, at) => each === this.#series[at])) return;
    this.#series = series;
    const correlations = surpriseCorrelations(series);
    const rows = correlations && skewWeights(correlations);
    this.#weights = rows && new Map([...desks.keys()].map((id, at) => [id, rows[at] ?? []]));
  }
}

/** By how much a print surprises a contract; 0 before the first print. */
const surpriseUsdOf = ({ signals: { nowcast } }: Pick<MarketDesk, "signals">): number =>
  ((nowcast.last?.usd ?? 0) * nowcastErrorBps(nowcast)) / 10_000;
