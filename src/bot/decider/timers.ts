// The instants at which the machine wants to be called, and what it does then.

import type { Clocks, Timer } from "../../kernel/clock.ts";
import { loopTiming } from "../timing.ts";
import type { Output } from "./output.ts";

type Waiting = { readonly atMs: number; readonly run: () => void };

export class Timers {
  readonly #clock: Clocks;
  readonly #put: (output: Output) => void;
  readonly #waiting = new Set<Waiting>();

  constructor({ clock, put }: { readonly clock: Clocks; readonly put: (output: Output) => void }) {
    this.#clock = clock;
    this.#put = put;
  }

  /** Runs once, in a later step, `delayMs` (0 or more) from now. */
  readonly after = (delayMs: number, run: () => void): Timer => {
    const waiting = { atMs: this.#clock.monotonicMs() + delayMs, run };
    this.#waiting.add(waiting);
    this.#put({ kind: "wake", atMs: waiting.atMs });
    return { cancel: () => void this.#waiting.delete(waiting) };
  };

  /** Runs what is due, the earliest first. */
  runDue(): void {
    if (this.#waiting.size === 0) return;
    const nowMs = this.#clock.monotonicMs();
    const due = [...this.#waiting]
      .filter(({ atMs }) => atMs - nowMs < loopTiming.earlyMs)
      .sort((a, b) => a.atMs - b.atMs);
    for (const waiting of due) if (this.#waiting.delete(waiting)) waiting.run();
  }
}
