// What an account's positions in other markets amount to in one market: correlated markets share their risk, so a position in a metro
// hedges one in the nation. Correlations are measured from marks between prints, and at first from prints.

import { contractsOf } from "../../../domain/rounding.ts";
import type { MarketId } from "../../../domain/units.ts";
import { type AccountBook, inventoryIn } from "../../accounting/account-book.ts";
import { heldElsewhere, type Surprise, skewWeights, surpriseCorrelations } from "../../strategy/correlation.ts";
import {
  type MarkMoves,
  moveCovariances,
  noMarkMoves,
  observeMarks,
  withoutMarket,
} from "../../strategy/mark-moves.ts";
import { nowcastErrorBps } from "../../strategy/nowcast.ts";
import { deskTiming, estimateTiming } from "../../timing.ts";
import type { MarketDesk } from "./market-desk.ts";

type Desks = ReadonlyMap<
  MarketId,
  Pick<MarketDesk, "marketId" | "estimates" | "orderContracts" | "calmMidUsd" | "quoted">
>;

/** More markets would make the calculation delay cancels: each market then counts alone. */
const MARKETS_MAX = 32;

export class CorrelatedRisk {
  #weights: ReadonlyMap<MarketId, readonly number[]> | null = null;
  #correlations: ReturnType<typeof surpriseCorrelations> = null;
  #moves: MarkMoves<MarketId>;
  #series: readonly (readonly Surprise[])[] = [];
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** `moves`: what an earlier run has measured. */
  constructor(moves: MarkMoves<MarketId> = noMarkMoves) {
    this.#moves = moves;
  }

  get moves(): MarkMoves<MarketId> {
    return this.#moves;
  }

  /** Forgets the market: its id now names another one. */
  forget(marketId: MarketId): void {
    this.#moves = withoutMarket(this.#moves, marketId);
  }

  /** Returns the equivalent contracts of the market as of the last look, capped by its position limit; 0 while nothing is known. */
  contractsIn(marketId: MarketId, desks: Desks, book: AccountBook): number {
    const own = desks.get(marketId);
    const row = this.#weights?.get(marketId);
    if (own === undefined || row === undefined || row.length !== desks.size) return 0;
    const held = [...desks.keys()].map((id) => contractsOf(inventoryIn(book, id)));
    const most = contractsOf(own.quoted.limits.maxPosition);
    return Math.min(most, Math.max(-most, heldElsewhere([...desks.keys()].indexOf(marketId), held, row)));
  }

  /** Returns when the next look can change the result, monotonic ms. */
  dueMs({ size }: Pick<Desks, "size">): number {
    return size < 2 || size > MARKETS_MAX ? Number.POSITIVE_INFINITY : this.#lookedMs + deskTiming.correlationEveryMs;
  }

  /** Call it in each turn, with the monotonic time. Prints come once a day; marks and liquidity change a little all the time. */
  look(desks: Desks, nowMs: number): void {
    if (nowMs < this.dueMs(desks)) return;
    this.#lookedMs = nowMs;
    const all = [...desks.values()];
    const series = all.map(({ estimates }) => estimates.state.nowcast.dated);
    if (series.length !== this.#series.length || series.some((each, at) => each !== this.#series[at]))
      this.#correlations = surpriseCorrelations(series);
    this.#series = series;
    this.#moves = observeMarks(this.#moves, all.map(markOf), nowMs);
    const prices = all.map(({ estimates }) => estimates.state.nowcast.last?.usd ?? 0);
    const deviations = all.map(({ estimates }, at) => (prices[at] ?? 0) * nowcastErrorBps(estimates.state.nowcast));
    const correlations = this.#correlations ?? all.map((_, i) => all.map((_each, j) => (i === j ? 1 : 0)));
    const covariances = moveCovariances(this.#moves, prices, { correlations, deviations });
    const isKnown = deviations.every((usd) => usd > 0);
    const rows = isKnown ? skewWeights(covariances, liquiditiesOf(all)) : null;
    this.#weights = rows && new Map([...desks.keys()].map((id, at) => [id, rows[at] ?? []]));
  }
}

/** Returns equal liquidities where one is unknown. */
function liquiditiesOf(desks: readonly Pick<MarketDesk, "estimates" | "orderContracts">[]): readonly number[] {
  const known = desks.map(
    ({
      estimates: {
        signals: { intensityA, intensityK },
      },
      orderContracts,
    }) => (intensityA === null || intensityK === null ? 0 : intensityA * intensityK * orderContracts),
  );
  return known.every((each) => each > 0) ? known : known.map(() => 1);
}

function markOf({
  marketId,
  calmMidUsd,
  estimates: {
    signals: { nextPrint },
  },
}: Pick<MarketDesk, "marketId" | "calmMidUsd" | "estimates">) {
  const { marksReachMs, marksPrintShare } = estimateTiming;
  const reachMs = Math.min(marksReachMs, marksPrintShare * (nextPrint?.everyMs ?? Number.POSITIVE_INFINITY));
  return { id: marketId, usd: calmMidUsd, reach: Math.floor(reachMs / deskTiming.correlationEveryMs) };
}
