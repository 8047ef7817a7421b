// Retries: waiting times after failures in a row, the same per name, and a call that is repeated until it is answered.

import { createOldestOutMap } from "./bounded.ts";
import type { Clocks } from "./clock.ts";
import type { Prng } from "./prng.ts";

/** Milliseconds, above 0. Each wait is `growth` times the previous one (default 2), up to `maxMs`. */
export type BackOffOptions = { readonly firstMs: number; readonly maxMs: number; readonly growth?: number };

/** The wait after this many failures in a row, 1 or more; ms. */
export const backOffMs = ({ firstMs, maxMs, growth = 2 }: BackOffOptions, failures: number): number =>
  Math.min(maxMs, firstMs * growth ** (failures - 1));

/** Full jitter: a random wait up to the back-off, so that many clients of one server do not retry at the same time. */
export const jitteredMs = (options: BackOffOptions, failures: number, prng: Prng): number =>
  prng.float() * backOffMs(options, failures);

/** More than the orders of an account. */
const NAMES_MAX = 2000;

/** Back-off per name: grows with each failure in a row, reset by the first success. */
export class BackOff {
  readonly #options: BackOffOptions;
  readonly #clock: Clocks;
  readonly #failed = createOldestOutMap<string, { readonly inRow: number; readonly untilMs: number }>(NAMES_MAX);

  constructor(options: BackOffOptions, { clock }: { readonly clock: Clocks }) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Milliseconds until `name` may try again; 0: now. */
  waitMs(name: string): number {
    const failure = this.#failed.get(name);
    return failure === undefined ? 0 : Math.max(0, failure.untilMs - this.#clock.monotonicMs());
  }

  failed(name: string): void {
    const inRow = (this.#failed.get(name)?.inRow ?? 0) + 1;
    this.#failed.set(name, { inRow, untilMs: this.#clock.monotonicMs() + backOffMs(this.#options, inRow) });
  }

  succeeded(name: string): void {
    this.#failed.delete(name);
  }
}

/** Calls `ask` until it answers or `isOver`, with a wait after each null; returns null if it was over first. */
export async function untilAnswered<T>(
  ask: () => Promise<T | null>,
  options: BackOffOptions,
  { wait, isOver }: { readonly wait: (ms: number) => Promise<void>; readonly isOver: () => boolean },
): Promise<T | null> {
  for (let failures = 1; !isOver(); failures += 1) {
    const answer = await ask();
    if (answer !== null) return answer;
    await wait(backOffMs(options, failures));
  }
  return null;
}
