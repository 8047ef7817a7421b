// Entries worked out again: time is the recording's, what was received is what it says, and what came of a call to the outside is played from it.

import type { Clock, Instant } from "../../../kernel/clock.ts";
import type { Act, Entry, Told } from "../../recording/entry.ts";
import type { Entries } from "../loop/entries.ts";

/** An entry that is worked on. */
type Frame = {
  readonly entry: Pick<Entry, "inner">;
  readonly told: Told[];
  /** Calls to the outside so far. */
  holes: number;
  /** How many of its inner entries have been played. */
  played: number;
  decided: unknown;
};

export class ReplayEntries implements Entries {
  readonly clock: Clock;
  readonly #heard = new Map<string, unknown>();
  readonly #frames: Frame[] = [];
  /** Performs an inner entry through `within`. */
  readonly #play: (entry: Entry) => void;
  #instant: Instant;
  #isInside = false;

  constructor(start: Instant, play: (entry: Entry) => void) {
    this.#instant = start;
    this.#play = play;
    const none = { cancel: () => {} };
    this.clock = {
      monotonicMs: () => this.#instant.monotonicMs,
      wallMs: () => this.#instant.wallMs,
      after: () => none,
      every: () => none,
    };
  }

  /** What comes before the first entry. */
  begin<T>(told: readonly Told[], run: () => T): T {
    return this.#framed({}, told, () => this.enter({ kind: "look" }, run)).result;
  }

  /** Performs an entry; returns with what was decided again. */
  within({ instant, told = [], inner }: Entry, perform: () => void): unknown {
    if (this.#frames.length === 0) this.#instant = instant;
    return this.#framed({ inner }, told, perform).decided;
  }

  enter<T>(_act: Act, run: () => T, decided?: (result: T) => unknown): T {
    if (this.#isInside) return run();
    this.#isInside = true;
    try {
      const result = run();
      const frame = this.#frames.at(-1);
      if (frame !== undefined) frame.decided = decided?.(result);
      return result;
    } finally {
      this.#isInside = false;
    }
  }

  /** `run` is left out: what it led to is in the recording. */
  outside(_run: () => void): void {
    const frame = this.#frames.at(-1);
    if (!this.#isInside || frame === undefined) return;
    frame.holes += 1;
    this.#isInside = false;
    try {
      this.#playUntil(frame, frame.holes);
    } finally {
      this.#isInside = true;
    }
  }

  told<T>(name: string, read: () => T): T {
    const frame = this.#frames.at(-1);
    const next = frame?.told[0];
    if (next !== undefined && next[0] === name) {
      frame?.told.shift();
      this.#heard.set(name, next[1]);
    }
    return this.#heard.has(name) ? (this.#heard.get(name) as T) : read();
  }

  heard<T>(name: string, read: () => T): T {
    const told = this.#frames.at(-1)?.told ?? [];
    const at = told.findIndex(([of]) => of === name);
    if (at < 0) return read();
    const [[, value] = [name, undefined]] = told.splice(at, 1);
    return value as T;
  }

  #framed<T>(
    entry: Frame["entry"],
    told: readonly Told[],
    run: () => T,
  ): { readonly result: T; readonly decided: unknown } {
    const frame: Frame = { entry, told: [...told], holes: 0, played: 0, decided: undefined };
    this.#frames.push(frame);
    try {
      const result = run();
      // Another configuration may call out less often: what happened outside has happened all the same.
      this.#playUntil(frame, Number.POSITIVE_INFINITY);
      return { result, decided: frame.decided };
    } finally {
      for (const [name, value] of frame.told) this.#heard.set(name, value);
      this.#frames.pop();
    }
  }

  #playUntil(frame: Frame, hole: number): void {
    const { inner = [] } = frame.entry;
    for (;;) {
      const next = inner[frame.played];
      if (next === undefined || (next.hole ?? 0) > hole) return;
      frame.played += 1;
      this.#play(next);
    }
  }
}
