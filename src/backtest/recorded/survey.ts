// What a search must know of recordings before it runs settings in them: whether orders of ours were filled, and how long a premium lasts.

import { usdOf } from "../../domain/rounding.ts";
import type { Price } from "../../domain/units.ts";
import { Mids } from "./mids.ts";
import type { OpenRecording } from "./recordings.ts";
import { replaySession } from "./session.ts";

export type Survey = {
  /** Fills of each recording's own accounts, in the order of the recordings. */
  readonly fills: readonly number[];
  /**
   * Time after which half of a premium is left: the first lag at which the autocorrelation over all recordings is at most one half. Ms, of the
   * market where it is longest; null where no recording is long enough to show it.
   */
  readonly halfLifeMs: number | null;
};

/** Samples of a market's premium over all recordings, at most: finer ones than a second, or than this, tell no more. */
const SAMPLES_MAX = 5000;
const STEP_MS_MIN = 1000;

/** Throws what the recordings throw. */
export function surveyOf(opened: readonly OpenRecording[]): Survey {
  const wholeMs = opened.reduce((sum, { session }) => sum + session.toMs - session.fromMs, 0);
  const stepMs = Math.max(STEP_MS_MIN, Math.ceil(wholeMs / SAMPLES_MAX));
  const all = opened.map((one) => sampled(one, stepMs));
  const ids = new Set(all.flatMap(({ premiums }) => [...premiums.keys()]));
  const lags = [...ids].map((id) => halfLag(all.map(({ premiums }) => premiums.get(id) ?? [])));
  const known = lags.filter((lag) => lag !== null);
  const isKnown = known.length === lags.length && known.length > 0;
  return { fills: all.map(({ fills }) => fills), halfLifeMs: isKnown ? Math.max(...known) * stepMs : null };
}

/** By market: the mid of the others' orders over the oracle price less 1, at each step. */
function sampled({ recording, session }: OpenRecording, stepMs: number) {
  const mids = new Mids(session);
  const premiums = new Map(session.markets.map(({ market }): [number, number[]] => [market.marketId, []]));
  let [fills, nextMs] = [0, session.fromMs + stepMs];
  for (const happened of replaySession(recording, session)) {
    for (; happened.wallMs >= nextMs; nextMs += stepMs)
      for (const { market } of session.markets)
        premiums.get(market.marketId)?.push(premiumOf(mids.mid(market.marketId), mids.oracle(market.marketId)));
    if (happened.kind === "fill") fills += 1;
    mids.take(happened);
  }
  return { fills, premiums };
}

const premiumOf = (mid: Price, oracle: Price): number => (oracle === 0n ? 0 : usdOf(mid) / usdOf(oracle) - 1);

/** In samples. A premium that never varies is gone at once. */
function halfLag(series: readonly (readonly number[])[]): number | null {
  const all = series.flat();
  const mean = all.reduce((sum, value) => sum + value, 0) / Math.max(1, all.length);
  const centered = series.map((values) => values.map((value) => value - mean));
  /** Mean product of values so far apart; null: none are. */
  const product = (lag: number): number | null => {
    let [sum, count] = [0, 0];
    for (const values of centered)
      for (let at = lag; at < values.length; at += 1) {
        sum += (values[at] ?? 0) * (values[at - lag] ?? 0);
        count += 1;
      }
    return count === 0 ? null : sum / count;
  };
  const variance = product(0);
  if (variance === null) return null;
  const longest = Math.max(...series.map(({ length }) => length));
  for (let lag = 1; lag < longest; lag += 1) if ((product(lag) ?? 0) <= variance / 2) return lag;
  return null;
}
