// The one clock for nonces and timestamps: the machine's while it agrees with the chain's (the median pong), else the chain's, so that
// cancels pass the first time. While they differ nothing is added, and a transaction that must go and was rejected before execution is
// tried once more by the other clock. An order uses the earlier clock first: if an order stamped ahead loses its answer, it may land until
// its timestamp is `landingBoundMs` old.

/** Estimated chain time, how far the local wall clock is behind it, and the guard's limit for that. */
export type ChainTime = { readonly timeMs: number; readonly offsetMs: number; readonly offsetMsMax: number };

/** Unix ms. `other` null: the clocks agree, or the chain's is unknown. */
export type SendTimes = { readonly first: number; readonly other: number | null };

export const isOff = ({ offsetMs, offsetMsMax }: ChainTime): boolean => Math.abs(offsetMs) > offsetMsMax;

/** `chain` null: unknown. `wallMs`: the machine's time, Unix ms. */
export function sendTimes(chain: ChainTime | null, wallMs: number): SendTimes {
  if (chain === null || !isOff(chain)) return { first: wallMs, other: null };
  return { first: chain.timeMs, other: wallMs };
}

/** The same for an order, which only reduces while the clocks differ. */
export const orderTimes = ({ first, other }: SendTimes): SendTimes =>
  other !== null && other < first ? { first: other, other: first } : { first, other };
