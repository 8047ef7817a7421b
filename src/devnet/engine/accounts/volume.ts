// Traded notional over the trailing 30 days, in buckets of one UTC day of chain time, and over the account's lifetime.

const DAY_MS = 86_400_000;
const DAYS = 30;

export type Volume = {
  today: bigint;
  /** Volume of an earlier day at `day % 30`, days counted from the epoch; the current day's bucket is empty. */
  readonly buckets: bigint[];
  /** Sum of the buckets. */
  earlier: bigint;
  /** Total volume before today. */
  before: bigint;
};

export const dayOf = (timeMs: number): number => Math.floor(timeMs / DAY_MS);
export const openVolume = (today: bigint): Volume => ({
  today,
  buckets: new Array<bigint>(DAYS).fill(0n),
  earlier: 0n,
  before: 0n,
});

export const trailingOf = (volume: Volume): bigint => volume.earlier + volume.today;
export const lifetimeOf = (volume: Volume): bigint => volume.before + volume.today;

/** Closes the day `from` and drops the days that have left the window at `to`. */
export function rollVolume(volume: Volume, from: number, to: number): void {
  volume.buckets[from % DAYS] = volume.today;
  volume.earlier += volume.today;
  volume.before += volume.today;
  volume.today = 0n;
  for (let day = Math.max(from + 1, to - DAYS + 1); day <= to; day += 1) {
    volume.earlier -= volume.buckets[day % DAYS] ?? 0n;
    volume.buckets[day % DAYS] = 0n;
  }
}
