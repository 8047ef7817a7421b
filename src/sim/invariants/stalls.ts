// When the process last stood still for so long that it must know. A machine that sleeps counts no time on its monotonic clock: the process
// knows of it from the wall clock alone, and a clock that is set back meanwhile hides as much of it.

/** Shorter ones may go unnoticed. */
const LONG_MS = 1300;
/** Chain time is the median of pongs of so long: it follows a clock that lost time by then. */
const MEDIAN_MS = 20_000;

/** Times are elapsed ms of the world. */
export class Stalls {
  #endedMs: number | null = null;
  #sleep: { readonly untilMs: number; readonly ms: number; shownMs: number } | null = null;

  /** When the last long one ends or ended; null: this life had none. */
  get endedMs(): number | null {
    if (this.#sleep === null || this.#sleep.shownMs < LONG_MS) return this.#endedMs;
    return Math.max(this.#sleep.untilMs, this.#endedMs ?? 0);
  }

  /** How far off the monotonic clock is by a sleep that the wall clock did not show. */
  hiddenMs(nowMs: number): number {
    if (this.#sleep === null || this.#sleep.shownMs >= LONG_MS || nowMs > this.#sleep.untilMs + MEDIAN_MS) return 0;
    return this.#sleep.ms;
  }

  stalled(nowMs: number, ms: number): void {
    if (ms >= LONG_MS) this.#endedMs = nowMs + ms;
  }

  slept(nowMs: number, ms: number): void {
    this.#endedMs = this.endedMs;
    this.#sleep = { untilMs: nowMs + ms, ms, shownMs: ms };
  }

  /** The wall clock was set, below zero back. */
  clockSet(nowMs: number, byMs: number): void {
    if (this.#sleep !== null && nowMs <= this.#sleep.untilMs) this.#sleep.shownMs += byMs;
  }

  /** A new life of the process. */
  forget(): void {
    this.#endedMs = null;
    this.#sleep = null;
  }
}
