// When the next print is expected, from when the last ones were published.

export type PrintSchedule = {
  /** The newest publication in the rhythm, chain time in ms. */
  readonly publishedMs: number;
  /** The usual time between two of them. */
  readonly everyMs: number;
  /** Newest last; empty while the validity of a print alone says how often there is one. */
  readonly intervalsMs: readonly number[];
};

const INTERVALS_KEPT = 9;
/** A publication sooner than this share of the usual interval corrects one: the next of the rhythm comes when it would have come. */
const LEAST_SHARE = 0.5;

/**
 * Takes what a read of the oracle tells of the newest print: when it was published, and until when it is valid. An earlier time than
 * the one believed says that this one was wrong.
 */
export function observePublication(
  state: PrintSchedule | null,
  publishedMs: number,
  validUntilSec: number,
): PrintSchedule {
  if (state === null) return { publishedMs, everyMs: validUntilSec * 1000 - publishedMs, intervalsMs: [] };
  const interval = publishedMs - state.publishedMs;
  if (interval === 0) return state;
  if (interval < 0) return { ...state, publishedMs };
  if (state.intervalsMs.length > 0 && interval < LEAST_SHARE * state.everyMs) return state;
  const intervalsMs = [...state.intervalsMs, interval].slice(-INTERVALS_KEPT);
  const everyMs = intervalsMs.toSorted((a, b) => a - b)[(intervalsMs.length - 1) >> 1] ?? interval;
  return { publishedMs, everyMs, intervalsMs };
}
