// The timestamp of an envelope, by one of two clocks: the chain's as we estimate it, or the machine's own. Whichever is nearer to the time
// that the exchange last accepted is taken; one that it rejects is followed by the other. Either clock may be the wrong one, and a cancel
// must go.

import type { SubmitOutcome } from "../../domain/event.ts";
import type { Clock } from "../../kernel/clock.ts";

/** `timeMs`: Unix ms by that clock. `atMs`: monotonic. */
export type Stamp = { readonly by: "chain" | "machine"; readonly timeMs: number; readonly atMs: number };

export type StampModules = {
  readonly clock: Clock;
  /** Unix ms; null while it is not known. */
  readonly chainTime: () => { readonly timeMs: number } | null;
};

/** Timestamps are whole seconds: clocks that are nearer to each other than this stamp alike. */
const ALIKE_MS = 1000;

export class Stamps {
  readonly #modules: StampModules;
  /** Time as the exchange last accepted it, minus monotonic time, ms. */
  #acceptedOffsetMs: number | null = null;
  /** The clock whose time was rejected since. */
  #rejected: Stamp["by"] | null = null;

  constructor(modules: StampModules) {
    this.#modules = modules;
  }

  now(): Stamp {
    const { clock, chainTime } = this.#modules;
    const [atMs, machineMs] = [clock.monotonicMs(), clock.wallMs()];
    const chainMs = chainTime()?.timeMs ?? null;
    if (chainMs === null || this.#choose(chainMs - atMs, machineMs - atMs) === "machine")
      return { by: "machine", timeMs: machineMs, atMs };
    return { by: "chain", timeMs: chainMs, atMs };
  }

  /** The exchange checks the time before it executes anything (S4.5): what was executed or refused had a good one. */
  answered({ by, timeMs, atMs }: Stamp, { kind }: SubmitOutcome): void {
    if (kind === "executed" || kind === "refused") {
      this.#acceptedOffsetMs = timeMs - atMs;
      this.#rejected = null;
    } else if (kind === "rejected" && this.#differ()) this.#rejected = by;
  }

  #choose(chainOffsetMs: number, machineOffsetMs: number): Stamp["by"] {
    if (this.#rejected !== null) return this.#rejected === "chain" ? "machine" : "chain";
    const accepted = this.#acceptedOffsetMs ?? chainOffsetMs;
    return Math.abs(machineOffsetMs - accepted) < Math.abs(chainOffsetMs - accepted) - ALIKE_MS ? "machine" : "chain";
  }

  #differ(): boolean {
    const { clock, chainTime } = this.#modules;
    return Math.abs((chainTime()?.timeMs ?? clock.wallMs()) - clock.wallMs()) >= ALIKE_MS;
  }
}
