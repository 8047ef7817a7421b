// Whether this process was away lately: stopped, starved or asleep, so that the exchange and a watchdog did things that no frame told it.

/** Longer than any pause of a healthy process, shorter than any silence that a watchdog acts on. */
const AWAY_MS = 3000;
/** Afterwards everything is read again; what is found to have changed meanwhile is found within this. */
const LATELY_MS = 30_000;

export type AbsenceTime = { readonly monotonicMs: number; readonly wallMs: number };

export class Absence {
  #last: AbsenceTime | null = null;
  #backMs: number | null = null;

  /** To be called by the loop's timer. */
  tick(now: AbsenceTime): void {
    const last = this.#last;
    this.#last = now;
    if (last === null) return;
    // A machine that slept counts it on its wall clock alone.
    const gapMs = Math.max(now.monotonicMs - last.monotonicMs, now.wallMs - last.wallMs);
    if (gapMs > AWAY_MS) this.#backMs = now.monotonicMs;
  }

  /** When it came back, if that was lately at `monotonicMs`; else null. */
  backLately(monotonicMs: number): number | null {
    return this.#backMs !== null && monotonicMs - this.#backMs <= LATELY_MS ? this.#backMs : null;
  }
}
