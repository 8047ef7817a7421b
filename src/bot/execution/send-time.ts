// The one clock of what leaves, nonce and timestamp alike: the machine's while it agrees with the chain's (the median pong), else the
// chain's, so that cancels go right the first time. While they differ nothing is added, and what must go and is rejected before
// execution is tried once more by the other clock. An order takes the earlier of the two first: one stamped ahead whose answer is lost may land
// until its timestamp is `landingBoundMs` old.

/** Estimated chain time, how far the local wall clock is behind it, and how far it may be (the guard's own limit). */
export type ChainTime = { readonly timeMs: number; readonly offsetMs: number; readonly offsetMsMax: number };

/** Unix ms. `other` null: the clocks agree, or the chain's is not known. */
export type SendTimes = { readonly first: number; readonly other: number | null };

export const isOff = ({ offsetMs, offsetMsMax }: ChainTime): boolean => Math.abs(offsetMs) > offsetMsMax;

/** `chain` null: it has named no time yet. `wallMs`: the machine's, Unix ms. */
export function sendTimes(chain: ChainTime | null, wallMs: number): SendTimes {
  if (chain === null || !isOff(chain)) return { first: wallMs, other: null };
  return { first: chain.timeMs, other: wallMs };
}

/** The same for an order, which only reduces while they differ. */
export const orderTimes = ({ first, other }: SendTimes): SendTimes =>
  other !== null && other < first ? { first: other, other: first } : { first, other };
