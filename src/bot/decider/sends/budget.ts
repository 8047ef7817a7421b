// How many transactions may start now, per lane: one token bucket with a floor for each lane. Tokens below a lane's floor are reserved
// for the lanes before it, so cancels always find some. The rate adapts (AIMD): it grows a little while fully used and halves on HTTP
// 429. The exchange's own count of requests, where reported, is a limit as well.

import type { RateLimit } from "../../../domain/account.ts";
import type { DialectWord } from "../../../domain/dialect.ts";
import type { SubmitOutcome } from "../../../domain/event.ts";
import type { Lane } from "../../../domain/lane.ts";
import { requestBudgetOf } from "../../../domain/request-budget.ts";
import type { Clocks } from "../../../kernel/clock.ts";
import { sendTiming } from "../../timing.ts";
import { RequestCount } from "./request-count.ts";

export type BudgetOptions = {
  readonly startPerSec: number;
  readonly minPerSec: number;
  readonly maxPerSec: number;
  /** Growth of the rate per second of full use without a 429. */
  readonly increasePerSec: number;
  /** Share of the rate that remains after a 429. */
  readonly decreaseFactor: number;
  /** Seconds of the rate that the bucket holds: requoting all levels at once is a burst. */
  readonly burstSecs: number;
  /** Whether the exchange counts transactions; null: unknown. */
  readonly countWord: DialectWord<"budget"> | null;
};

/** No limit is documented (NS-26): start low and adapt. */
export const defaultBudget: BudgetOptions = {
  startPerSec: 20,
  minPerSec: 1,
  maxPerSec: 200,
  increasePerSec: 4,
  decreaseFactor: 0.5,
  burstSecs: sendTiming.burstSecs,
  countWord: null,
};

/** Share of the bucket that a lane leaves untouched. Only cancels may use the last 30 %, or go into debt: they never wait. */
const floors: Readonly<Record<Lane, number>> = { cancel: 0, reduce: 0.3, modify: 0.35, place: 0.4 };
/**
 * Share of the reserve in the exchange's count that a lane leaves untouched. Orders may use the upper half, since the gate `budget`
 * passes one every 10 s so that quotes can come back.
 */
const countFloors: Readonly<Record<Lane, number>> = { cancel: 0, reduce: 0.25, modify: 0.5, place: 0.5 };

export class RateBudget {
  readonly #options: BudgetOptions;
  readonly #clock: Clocks;
  #perSec: number;
  #tokens: number;
  #filledMs: number;
  #pausedUntilMs = 0;
  #cutMs = Number.NEGATIVE_INFINITY;
  /** Requests left by the exchange's count, decremented here between its reports. Null: not reported. */
  #left: number | null = null;
  #reserve = 0;
  readonly #count: RequestCount;

  constructor(options: Partial<BudgetOptions>, { clock }: { readonly clock: Clocks }) {
    this.#options = { ...defaultBudget, ...options };
    this.#clock = clock;
    this.#count = new RequestCount(this.#options.countWord);
    this.#perSec = this.#options.startPerSec;
    this.#tokens = this.#capacity;
    this.#filledMs = clock.monotonicMs();
  }

  get ratePerSec(): number {
    return this.#perSec;
  }

  /** Takes a token. Returns 0, or how long to wait before asking again, whole ms. A cancel never waits. */
  take(lane: Lane): number {
    const waitMs = lane === "cancel" ? 0 : this.#waitMs(lane);
    if (waitMs > 0) return waitMs;
    this.#refill();
    this.#tokens = Math.max(this.#tokens - 1, -this.#capacity);
    if (this.#left !== null) this.#left -= 1;
    return 0;
  }

  /** Returns how many transactions could start now in the lane. Changes nothing. */
  remaining(lane: Lane, nowMs = this.#clock.monotonicMs()): number {
    if (lane !== "cancel" && nowMs < this.#pausedUntilMs) return 0;
    const spare = this.#tokensAt(nowMs) - floors[lane] * this.#capacity;
    const counted = this.#left === null ? spare : Math.min(spare, this.#left - this.#countFloor(lane));
    return Math.max(0, Math.floor(counted));
  }

  /** Adapts the rate to an answer; failed attempts count like others. */
  learn(outcome: SubmitOutcome): void {
    this.#count.answered(outcome);
    const isLimited =
      outcome.kind === "rateLimited" || (outcome.kind === "unknown" && outcome.retryAfterMs !== undefined);
    if (isLimited) this.#rateLimited(outcome.retryAfterMs ?? null);
    else if (outcome.kind !== "notSent" && outcome.kind !== "unknown") {
      const { increasePerSec, maxPerSec } = this.#options;
      this.#perSec = Math.min(maxPerSec, this.#perSec + increasePerSec / this.#perSec);
    }
  }

  /**
   * Takes the exchange's count of the account's requests (S4.2); fields that it does not report change nothing. Returns the part that is
   * believed to count transactions.
   */
  learnLimit(limit: RateLimit): RateLimit {
    const believed = this.#count.believed(limit);
    const counted = requestBudgetOf(believed);
    this.#left = counted === null ? null : Number(counted.remaining);
    this.#reserve = Number(counted?.reserve ?? 0n);
    return believed;
  }

  /** The exchange asked us to wait, and the wait is not over. */
  get isPaused(): boolean {
    return this.#clock.monotonicMs() < this.#pausedUntilMs;
  }

  get #capacity(): number {
    return Math.max(1, this.#perSec * this.#options.burstSecs);
  }

  #waitMs(lane: Lane): number {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#pausedUntilMs) return Math.ceil(this.#pausedUntilMs - nowMs);
    if (this.#left !== null && this.#left - 1 < this.#countFloor(lane)) return sendTiming.limitedMs;
    this.#refill();
    // A bucket of one token has no room for floors: then one token is enough.
    const needed = Math.min(floors[lane] * this.#capacity + 1, this.#capacity);
    return this.#tokens >= needed ? 0 : Math.ceil(((needed - this.#tokens) / this.#perSec) * 1000);
  }

  #countFloor(lane: Lane): number {
    return countFloors[lane] * this.#reserve;
  }

  #refill(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = this.#tokensAt(nowMs);
    this.#filledMs = nowMs;
  }

  #tokensAt(nowMs: number): number {
    return Math.min(this.#capacity, this.#tokens + ((nowMs - this.#filledMs) / 1000) * this.#perSec);
  }

  #rateLimited(retryAfterMs: number | null): void {
    const nowMs = this.#clock.monotonicMs();
    const pauseMs = Math.min(retryAfterMs ?? sendTiming.limitedMs, sendTiming.limitedMaxMs);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + pauseMs);
    if (nowMs - this.#cutMs < sendTiming.limitedMs) return;
    this.#cutMs = nowMs;
    this.#refill();
    this.#perSec = Math.max(this.#options.minPerSec, this.#perSec * this.#options.decreaseFactor);
    this.#tokens = Math.min(this.#tokens, this.#capacity);
  }
}
