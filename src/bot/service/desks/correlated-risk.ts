// What the positions of an account in other markets amount to in one of them: indices that surprise together share their risk, so that
// a position in a metro hedges one in the nation. How much they do is found in their prints.

import { contractsOf } from "../../../domain/rounding.ts";
import type { MarketId } from "../../../domain/units.ts";
import { type AccountBook, inventoryIn } from "../../accounting/account-book.ts";
import { heldElsewhere, type Surprise, skewWeights, surpriseCorrelations } from "../../strategy/correlation.ts";
import { nowcastErrorBps } from "../../strategy/nowcast.ts";
import { deskTiming } from "../../timing.ts";
import type { MarketDesk } from "./market-desk.ts";

type Desks = ReadonlyMap<
  MarketId,
  Pick<MarketDesk, "marketId" | "signals" | "estimates" | "orderContracts" | "quoted">
>;

/** With more, working them out would keep cancels waiting: each market then counts alone. */
const MARKETS_MAX = 32;

export class CorrelatedRisk {
  #weights: ReadonlyMap<MarketId, readonly number[]> | null = null;
  #correlations: ReturnType<typeof surpriseCorrelations> = null;
  #series: readonly (readonly Surprise[])[] = [];
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** Contracts of the market, never more than its limit lets us hold; 0 while nothing is known. `nowMs` is monotonic. */
  contractsIn(marketId: MarketId, desks: Desks, book: AccountBook, nowMs: number): number {
    if (desks.size < 2 || desks.size > MARKETS_MAX) return 0;
    if (nowMs - this.#lookedMs >= deskTiming.correlationEveryMs) this.#look(desks, nowMs);
    const own = desks.get(marketId);
    const row = this.#weights?.get(marketId);
    if (own === undefined || row === undefined || row.length !== desks.size) return 0;
    const held = [...desks.keys()].map((id) => contractsOf(inventoryIn(book, id)));
    const most = contractsOf(own.quoted.limits.maxPosition);
    return Math.min(most, Math.max(-most, heldElsewhere([...desks.keys()].indexOf(marketId), held, row)));
  }

  /** Prints come once a day; how far they surprise, and how liquid a market is, change a little all the time. */
  #look(desks: Desks, nowMs: number): void {
    this.#lookedMs = nowMs;
    const all = [...desks.values()];
    const series = all.map(({ signals }) => signals.nowcast.dated);
    if (series.length !== this.#series.length || series.some((each, at) => each !== this.#series[at]))
      this.#correlations = surpriseCorrelations(series);
    this.#series = series;
    const surprises = all.map(surpriseUsdOf);
    const isKnown = this.#correlations !== null && surprises.every((usd) => usd > 0);
    const covariances = this.#correlations?.map((row, i) =>
      row.map((each, j) => each * (surprises[i] ?? 0) * (surprises[j] ?? 0)),
    );
    const rows = isKnown && covariances ? skewWeights(covariances, liquiditiesOf(all)) : null;
    this.#weights = rows && new Map([...desks.keys()].map((id, at) => [id, rows[at] ?? []]));
  }
}

/** Equal where one of them is not known. */
function liquiditiesOf(desks: readonly Pick<MarketDesk, "estimates" | "orderContracts">[]): readonly number[] {
  const known = desks.map(({ estimates: { intensityA, intensityK }, orderContracts }) =>
    intensityA === null || intensityK === null ? 0 : intensityA * intensityK * orderContracts,
  );
  return known.every((each) => each > 0) ? known : known.map(() => 1);
}

/** By how much a print surprises a contract; 0 before the first print. */
const surpriseUsdOf = ({ signals: { nowcast } }: Pick<MarketDesk, "signals">): number =>
  ((nowcast.last?.usd ?? 0) * nowcastErrorBps(nowcast)) / 10_000;
