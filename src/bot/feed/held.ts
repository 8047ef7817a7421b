// A fact with its times. Nothing in the feed is kept without them: an age that nobody can tell is an age that is too old.

/** Times are monotonic ms. The fact is at least as old as `askedMs`; facts of the stream are asked when received. */
export type Held<T> = {
  readonly value: T;
  readonly askedMs: number;
  readonly receivedMs: number;
  /** Connection it was received in; 0 before the first. */
  readonly epoch: number;
  /** A later answer made no sense, or could not be taken up: this is the last good one, and no longer the exchange's word. */
  readonly isDoubted: boolean;
};

/** What a read said. */
export const heldRead = <T>(value: T, times: { askedMs: number; receivedMs: number }, epoch: number): Held<T> => ({
  value,
  askedMs: times.askedMs,
  receivedMs: times.receivedMs,
  epoch,
  isDoubted: false,
});

/** What the stream said. */
export const heldFrame = <T>(value: T, receivedMs: number, epoch: number): Held<T> => ({
  value,
  askedMs: receivedMs,
  receivedMs,
  epoch,
  isDoubted: false,
});

/** The same fact after an answer that is not taken up, to a question asked at `askedMs`; a newer fact stays as it is. */
export const doubted = <T>(held: Held<T> | null, askedMs: number): Held<T> | null =>
  held === null || held.askedMs > askedMs ? held : { ...held, isDoubted: true };
