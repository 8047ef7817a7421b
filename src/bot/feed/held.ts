// A fact with its times. Nothing in the feed is kept without them: an age that nobody can tell is an age that is too old.

/** Times are monotonic ms. The fact is at least as old as `askedMs`; facts of the stream are asked when received. */
export type Held<T> = {
  readonly value: T;
  readonly askedMs: number;
  readonly receivedMs: number;
  /** Connection it was received in; 0 before the first. */
  readonly epoch: number;
};

/** What a read told. */
export const heldRead = <T>(value: T, times: { askedMs: number; receivedMs: number }, epoch: number): Held<T> => ({
  value,
  askedMs: times.askedMs,
  receivedMs: times.receivedMs,
  epoch,
});

/** What the stream told. */
export const heldFrame = <T>(value: T, receivedMs: number, epoch: number): Held<T> => ({
  value,
  askedMs: receivedMs,
  receivedMs,
  epoch,
});
