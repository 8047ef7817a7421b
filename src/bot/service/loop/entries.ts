// The one door into what decides. Each call of it is an entry: time stands still while it is worked on, what it hears from outside and what
// it decides is noted, and what calls back while it calls out is an entry within it. From its entries a run can be worked out again.

import { type Clock, type Instant, instantOf } from "../../../kernel/clock.ts";
import type { Act, Entry, Told } from "../../recording/entry.ts";

export type Entries = {
  /** Stands still within an entry. */
  readonly clock: Clock;
  /** Runs `run` as an entry; within one it is a part of it. `decided`: what of the result must come out again. */
  readonly enter: <T>(act: Act, run: () => T, decided?: (result: T) => unknown) => T;
  /** Calls out: what calls back meanwhile is an entry within this one. */
  readonly outside: (run: () => void) => void;
  /** What `read` says; noted where that changed. */
  readonly told: <T>(name: string, read: () => T) => T;
  /** What `read` lists; noted each time. */
  readonly heard: <T>(name: string, read: () => T) => T;
};

type Open = {
  readonly hole: number;
  holes: number;
  told: Told[] | undefined;
  inner: Entry[] | undefined;
};

export class LiveEntries implements Entries {
  readonly clock: Clock;
  readonly #real: Clock;
  /** Takes each entry as it ends; null: nothing is recorded. */
  readonly #sink: ((entry: Entry) => void) | null;
  readonly #told = new Map<string, unknown>();
  /** Of the entry that is worked on. */
  #instant: Instant | null = null;
  #open: Open | null = null;
  #isInside = false;

  constructor(clock: Clock, sink: ((entry: Entry) => void) | null) {
    this.#real = clock;
    this.#sink = sink;
    this.clock = {
      ...clock,
      monotonicMs: () => this.#instant?.monotonicMs ?? clock.monotonicMs(),
      wallMs: () => this.#instant?.wallMs ?? clock.wallMs(),
    };
  }

  /** What comes before the first entry; returns with what it heard. */
  begin<T>(run: () => T): { readonly made: T; readonly instant: Instant; readonly told: readonly Told[] } {
    const instant = instantOf(this.#real);
    const open = opened(null);
    const made = this.#within(instant, open, run);
    return { made, instant, told: open.told ?? [] };
  }

  enter<T>(act: Act, run: () => T, decided?: (result: T) => unknown): T {
    if (this.#isInside) return run();
    const instant = this.#instant ?? instantOf(this.#real);
    if (this.#sink === null) return this.#within(instant, null, run);
    const [parent, open] = [this.#open, opened(this.#open)];
    let decision: unknown;
    try {
      const result = this.#within(instant, open, run);
      decision = decided?.(result);
      return result;
    } finally {
      const { hole, told, inner } = open;
      const entry: Entry = { ...act, instant, hole: hole === 0 ? undefined : hole, told, inner, decided: decision };
      if (parent === null) this.#sink(entry);
      else {
        parent.inner ??= [];
        parent.inner.push(entry);
      }
    }
  }

  outside(run: () => void): void {
    if (!this.#isInside) {
      run();
      return;
    }
    if (this.#open !== null) this.#open.holes += 1;
    this.#isInside = false;
    try {
      run();
    } finally {
      this.#isInside = true;
    }
  }

  told<T>(name: string, read: () => T): T {
    const value = read();
    if (this.#open !== null && this.#isInside && (this.#told.get(name) !== value || !this.#told.has(name))) {
      this.#told.set(name, value);
      this.#note(name, value);
    }
    return value;
  }

  heard<T>(name: string, read: () => T): T {
    const value = read();
    if (this.#sink === null || !this.#isInside) return value;
    const data = asData(value) as T;
    this.#note(name, data);
    return data;
  }

  #note(name: string, value: unknown): void {
    if (this.#open === null) return;
    this.#open.told ??= [];
    this.#open.told.push([name, value]);
  }

  #within<T>(instant: Instant, open: Open | null, run: () => T): T {
    const [before, parent] = [this.#instant, this.#open];
    this.#instant = instant;
    this.#open = open;
    this.#isInside = true;
    try {
      return run();
    } finally {
      this.#instant = before;
      this.#open = parent;
      this.#isInside = false;
    }
  }
}

const opened = (parent: Open | null): Open => ({
  hole: parent?.holes ?? 0,
  holes: 0,
  told: undefined,
  inner: undefined,
});

/** A list that can be read again. */
const asData = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Symbol.iterator in value
    ? [...(value as Iterable<unknown>)]
    : value;
