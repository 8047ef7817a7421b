// Time as an argument. Only this file uses the machine's clocks and timers.

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export type Timer = {
  /** Prevents the scheduled run. Does nothing if it already ran. */
  readonly cancel: () => void;
};

export type Clock = {
  /** Unix milliseconds, whole. May jump when the machine's clock is set. */
  readonly wallMs: () => number;
  /** Milliseconds from an arbitrary origin, with fractions; never goes back. Use it for ages and deadlines. */
  readonly monotonicMs: () => number;
  /** Runs once, after `delayMs` (0 or more). The timer keeps the process alive until it ran or was canceled. */
  readonly after: (delayMs: number, run: () => void) => Timer;
  /** Runs every `periodMs` (above 0), first after one period, until canceled. */
  readonly every: (periodMs: number, run: () => void) => Timer;
};

/** Reads the time, without timers. */
export type Clocks = Pick<Clock, "wallMs" | "monotonicMs">;

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  // Whole microseconds: measurements are not finer, and the number prints short.
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

/** Readings of both clocks of a machine at one moment, ms. */
export type Instant = { readonly monotonicMs: number; readonly wallMs: number };

export const instantOf = (clock: Clocks): Instant => ({
  monotonicMs: clock.monotonicMs(),
  wallMs: clock.wallMs(),
});

/**
 * Time from `since` to `now`, ms, by the clock that advanced more: the monotonic clock may stop while the machine sleeps, and the wall
 * clock may be set back.
 */
export const passedMs = (since: Instant, now: Instant): number =>
  Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);

/** Resolves after `delayMs` of `clock`. */
export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}

/** Resolves after everything that is already due in this process has run: promises, then I/O callbacks. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Resolves after every promise that is due in this process has run. Cheaper than `macrotask`; I/O callbacks wait meanwhile. */
export function microtasks(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
