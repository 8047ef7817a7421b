// How old each fact may be before it no longer counts, each limit with its reason. Reads come on a schedule (schedule.ts);
// an age is a small multiple of its interval, so that one lost answer does not close a market and two or three do.

export type Ages = {
  /** Any frame or pong: the contract's own figure. Beyond it everything from the stream is stale. */
  readonly streamMs: number;
  /** The height must have moved: a chain that stands still answers pings as well as one that runs. */
  readonly chainMs: number;
  /** Market status has no event of its own. It is polled each 0.8 s; what nobody answers is as old as a silent stream. */
  readonly marketMs: number;
  /** Oracle status has none either: twice a second. */
  readonly oracleMs: number;
  /** A snapshot, or a read of the book that agreed with it: three polls of 5 s. */
  readonly bookMs: number;
  /** A subscription answers with a snapshot (S6.2); one that has not by then is dead. */
  readonly snapshotMs: number;
  /** Settles hourly and only moves the center of quotes: three polls of 60 s. */
  readonly fundingMs: number;
  /** Two and a half rounds of the 10 s that the contract asks for. */
  readonly reconciledMs: number;
  /** Schedules change by governance: three polls of 10 minutes. */
  readonly feeTiersMs: number;
  readonly openOrderCapMs: number;
  /** A book that a read contradicts may be a frame that is still on its way; after this long it is not believed. */
  readonly doubtMs: number;
  /** Of the configuration: how old a read of the account may be when it is asked. */
  readonly readLagMaxMs: number;
  /** A ping that took longer says too little about the chain's clock. */
  readonly roundTripMs: number;
  /** Long enough for the median of four pings of 5 s; a clock that was wrong and is right again must not close a market for more than 30 s. */
  readonly offsetWindowMs: number;
};

export const defaultAges: Ages = {
  streamMs: 15_000,
  chainMs: 15_000,
  marketMs: 15_000,
  oracleMs: 15_000,
  bookMs: 15_000,
  snapshotMs: 5000,
  fundingMs: 180_000,
  reconciledMs: 25_000,
  feeTiersMs: 1_800_000,
  openOrderCapMs: 1_800_000,
  doubtMs: 1000,
  readLagMaxMs: 3000,
  roundTripMs: 2000,
  offsetWindowMs: 20_000,
};
