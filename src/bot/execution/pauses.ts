// Waits that end with their owner: no timer of a stopped part keeps the process alive.

import type { Clock, Timer } from "../../kernel/clock.ts";

export class Pauses {
  readonly #clock: Clock;
  readonly #waiting = new Map<Timer, () => void>();
  #ended = false;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** Resolves after `ms`, or at once when the pauses have ended. */
  wait(ms: number): Promise<void> {
    if (this.#ended) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#clock.after(ms, () => {
        this.#waiting.delete(timer);
        resolve();
      });
      this.#waiting.set(timer, resolve);
    });
  }

  /** Resolves to the result of `work`, or to undefined when it takes longer than `ms` or rejects. */
  async within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
    let timer: Timer | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = this.#clock.after(ms, () => resolve(undefined));
    });
    const done = work.catch(() => undefined);
    const first = await Promise.race([done, late]);
    timer?.cancel();
    return first;
  }

  /** Ends every pause, now and from now on. */
  end(): void {
    this.#ended = true;
    for (const [timer, resolve] of this.#waiting) {
      timer.cancel();
      resolve();
    }
    this.#waiting.clear();
  }
}
