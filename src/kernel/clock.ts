// Time as an argument. This is the one file that touches the machine's clocks and timers.

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export type Timer = {
  /** The run that was asked for will not happen. Harmless when it already did. */
  readonly cancel: () => void;
};

export type Clock = {
  /** Unix milliseconds, whole. May step when the machine's clock is set. */
  readonly wallMs: () => number;
  /** Milliseconds from an unknown origin, with fractions; never goes back. Ages and deadlines are measured with it. */
  readonly monotonicMs: () => number;
  /** Runs once, `delayMs` (0 or more) from now. The timer keeps the process alive until it ran or its owner canceled it. */
  readonly after: (delayMs: number, run: () => void) => Timer;
  /** Runs each `periodMs` (above 0), first one period from now, until canceled. */
  readonly every: (periodMs: number, run: () => void) => Timer;
};

/** What the time is, without timers. */
export type Clocks = Pick<Clock, "wallMs" | "monotonicMs">;

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  // Whole microseconds: what is measured is no finer, and what is written of it is short.
  monotonicMs: () => Math.round(performance.now() * 1000) / 1000,
  after(delayMs, run) {
    const handle = setTimeout(run, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
  every(periodMs, run) {
    const handle = setInterval(run, periodMs);
    return { cancel: () => clearInterval(handle) };
  },
};

/** What both clocks of a machine show at one moment, ms. */
export type Instant = { readonly monotonicMs: number; readonly wallMs: number };

export const instantOf = (clock: Clocks): Instant => ({
  monotonicMs: clock.monotonicMs(),
  wallMs: clock.wallMs(),
});

/**
 * Time from `since` to `now`, ms, by the clock that counted more: the monotonic clock may stop while the machine sleeps, and the wall clock
 * may be set back.
 */
export const passedMs = (since: Instant, now: Instant): number =>
  Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);

/** Resolves when `clock` has moved on by `delayMs`. */
export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}

/** Resolves after everything that is already due in this process had its turn: promises, then callbacks of I/O. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Resolves after every promise that is due in this process had its turn. Cheaper than `macrotask`; callbacks of I/O wait meanwhile. */
export function microtasks(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
