// A question that may be asked twice without harm, where questions and answers get lost: it leaves again before the first one is given
// up. A silence costs its whole time limit, a second question next to nothing (Dean and Barroso, The Tail at Scale, 2013).

import type { Clock, Timer } from "./clock.ts";

export type HedgeOptions = {
  /** 1 or more. */
  readonly asksMax: number;
  /** After a question that was not answered for so long the next one leaves; the earlier may still be answered. */
  readonly silentMs: number;
  /** After a question that failed. */
  readonly failedMs: number;
};

/** Five of five fail once in four hundred times where three in ten do; and an answer that takes half a second is a slow one. */
export const defaultHedge: HedgeOptions = { asksMax: 5, silentMs: 500, failedMs: 100 };

/**
 * Resolves to the first answer; rejects with the newest failure once all questions have failed. `onLate` is called with each further
 * answer, which may know more than the first. Nobody catches what it throws.
 */
export function hedged<T>(
  ask: () => Promise<T>,
  { asksMax, silentMs, failedMs }: HedgeOptions,
  { clock, onLate }: { readonly clock: Clock; readonly onLate?: (answer: T) => void },
): Promise<T> {
  return new Promise((resolve, reject) => {
    let asked = 0;
    let failed = 0;
    let isAnswered = false;
    let next: Timer | null = null;

    function askAfter(delayMs: number): void {
      next?.cancel();
      next = asked < asksMax ? clock.after(delayMs, askNow) : null;
    }
    function askNow(): void {
      asked += 1;
      askAfter(silentMs);
      ask().then(answered, notAnswered);
    }
    function answered(answer: T): void {
      if (isAnswered) {
        onLate?.(answer);
        return;
      }
      isAnswered = true;
      next?.cancel();
      resolve(answer);
    }
    function notAnswered(failure: unknown): void {
      if (isAnswered) return;
      failed += 1;
      if (failed === asksMax) reject(failure);
      else askAfter(failedMs);
    }
    askNow();
  });
}
