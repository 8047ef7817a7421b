// Whether the daemon can act, as seen from outside: answers of the exchange reach it, its key may act, and its cancels get through. For a
// watchdog inability is silence.

import type { HttpEnd } from "../../bot/venue/remote/http.ts";
import type { OrderId } from "../../domain/units.ts";
import type { OpenedEnvelope } from "../../wire/envelope.ts";
import type { HttpCall } from "../exchange.ts";

/** Reads leave twice a second: without an answer for this long something is in their way. */
const ANSWER_MS = 1500;
/** The daemon knows that an order is gone, though the answer to its cancel was lost, after so long and so many reads of its account. */
const GONE_MS = 15_000;
const GONE_READS = 2;
/** A cancel that fails is tried again by then: one that waits for its answer, and the longest back-off. */
const AGAIN_MS = 7000;
/** Looks are closer together than this. */
const LOOK_MS = 1000;
/** It reads its account this often, and learns from it whether its key may act. */
const KEY_READ_MS = 12_000;

/** The last heartbeat that its watchdog heard is not older than this: a poll, a heartbeat's way, a turn. */
const BEAT_MS = 1000;
/** Answers are kept for longer than that. */
const ANSWERS_KEPT_MS = 2000;

type OpenCancel = {
  /** When it was first tried. */
  readonly sinceMs: number;
  /** When it was last tried. */
  triedMs: number;
  /** When the last answer came that a heartbeat could report before the first try. */
  readonly answeredMs: number;
  /** Until when its order was seen to rest, and reads of the account that reached the daemon since. */
  restedMs: number;
  reads: number;
};

export type AbleModules = {
  readonly nowMs: () => number;
  readonly keyDisabledMs: () => number | null;
  readonly rests: (orderId: OrderId) => boolean;
};

export class Able {
  readonly #modules: AbleModules;
  #answeredMs = 0;
  /** When answers reached any of its lives, oldest first: those of late, and the last before them. */
  #answersMs: readonly number[] = [0];
  /** Cancels that nobody answered, by order. */
  readonly #open = new Map<OrderId, OpenCancel>();
  /** While its key may not act, and until it knows that it may again: since when, and when that was last so. */
  #keyless: { readonly sinceMs: number; lastMs: number } | null = null;
  #lastLackedMs = Number.NEGATIVE_INFINITY;
  #lookedMs = 0;
  /** That tells it of its key, and of its orders. */
  #accountReadMs = Number.NEGATIVE_INFINITY;
  /** The chain went on at a lower height in this life. */
  #isChainDoubted = false;
  #lateReads = { ms: 0, untilMs: Number.NEGATIVE_INFINITY };

  constructor(modules: AbleModules) {
    this.#modules = modules;
  }

  /** A new life of the daemon. */
  forget(): void {
    this.#open.clear();
    this.#isChainDoubted = false;
    this.#answeredMs = this.#modules.nowMs();
  }

  /** The chain goes on at a lower height: what it shows of an account tells the daemon nothing before it has started again. */
  chainLowered(): void {
    this.#isChainDoubted = true;
  }

  /** From now on reads of the account are so late, for so long. */
  readsLate(ms: number, forMs: number): void {
    this.#lateReads = { ms, untilMs: this.#modules.nowMs() + forMs };
  }

  /** By then the daemon knows whether its key may act. */
  get keyKnownAfterMs(): number {
    return KEY_READ_MS + this.readsLateMs;
  }

  /** How late reads of the account are, or were until a moment ago. */
  get readsLateMs(): number {
    const { ms, untilMs } = this.#lateReads;
    return this.#modules.nowMs() <= untilMs + KEY_READ_MS ? ms : 0;
  }

  sent({ transaction }: OpenedEnvelope): void {
    if (transaction.type !== "CancelOrder") return;
    const nowMs = this.#modules.nowMs();
    const open = this.#open.get(transaction.orderId);
    if (open !== undefined) open.triedMs = nowMs;
    else {
      const answeredMs = this.answeredBefore(nowMs - BEAT_MS);
      this.#open.set(transaction.orderId, { sinceMs: nowMs, triedMs: nowMs, answeredMs, restedMs: nowMs, reads: 0 });
    }
  }

  heard({ method, path }: HttpCall, end: HttpEnd, envelope: OpenedEnvelope | undefined): void {
    if (end.kind !== "answered" || !isWhole(end.body)) return;
    if (end.httpStatus === 200 && !this.#isChainDoubted && /\/accounts\/\d+$/.test(path)) {
      this.#accountReadMs = this.#modules.nowMs();
      for (const open of this.#open.values()) open.reads += 1;
    }
    if (end.httpStatus === 200 || (method === "POST" && end.httpStatus === 400)) {
      this.#answeredMs = this.#modules.nowMs();
      const keptMs = this.#answeredMs - ANSWERS_KEPT_MS;
      const first = this.#answersMs.findLastIndex((atMs) => atMs <= keptMs);
      this.#answersMs = [...this.#answersMs.slice(Math.max(0, first)), this.#answeredMs];
    }
    const isExecuted = end.httpStatus === 200 && envelope?.transaction.type === "CancelOrder";
    if (isExecuted) this.#open.delete(envelope.transaction.orderId);
  }

  /** `turnsSinceMs`: since when the daemon turns; null: it does not, and knows nothing. */
  look(turnsSinceMs: number | null): void {
    const { nowMs, rests, keyDisabledMs } = this.#modules;
    const sinceMs = keyDisabledMs();
    if (sinceMs !== null) this.#keyless = { sinceMs: this.#keyless?.sinceMs ?? sinceMs, lastMs: nowMs() };
    else if (this.#keyless !== null && this.#knowsOfKeySince(this.#keyless.lastMs)) this.#keyless = null;
    for (const [orderId, open] of this.#open) {
      if (rests(orderId)) [open.restedMs, open.reads] = [nowMs(), 0];
      else if (nowMs() - open.restedMs > GONE_MS && open.reads >= GONE_READS) this.#open.delete(orderId);
    }
    // A machine that falls asleep wakes with on its mind what it was before: its monotonic clock has not run.
    if (turnsSinceMs === null) this.#lastLackedMs += nowMs() - this.#lookedMs;
    this.#lookedMs = nowMs();
    const lackedMs = this.lackedSinceMs;
    if (lackedMs === null || turnsSinceMs === null) return;
    if (nowMs() - Math.max(lackedMs, turnsSinceMs) > ANSWER_MS) this.#lastLackedMs = this.#lookedMs;
  }

  /** Since when it may take itself for unable; null: it does not. */
  get lackedSinceMs(): number | null {
    return this.#oldestOf([...this.#open.values()], this.#keyless?.sinceMs ?? null);
  }

  /** When it could last act, as its heartbeat told; null: it still can. */
  get lastAbleMs(): number | null {
    const { lackedSinceMs } = this;
    if (lackedSinceMs === null) return null;
    return Math.min(lackedSinceMs, ...Array.from(this.#open.values(), ({ answeredMs }) => answeredMs));
  }

  /** Since when it is unable and has had no reason to think otherwise; null: it can act, whether it knows or not. */
  get surelyLackedSinceMs(): number | null {
    const { nowMs, keyDisabledMs } = this.#modules;
    // One that it no longer tries to cancel is a quote again.
    const resting = [...this.#open.values()].filter(
      ({ triedMs, restedMs }) => nowMs() - triedMs <= AGAIN_MS && nowMs() - restedMs <= LOOK_MS,
    );
    return this.#oldestOf(resting, keyDisabledMs());
  }

  /** When an answer of the exchange last reached it, or its life began. */
  get answeredMs(): number {
    return this.#answeredMs;
  }

  /** When one last reached any of its lives before `beatMs`: what the last heartbeat of one that died may have said. */
  answeredBefore(beatMs: number): number {
    return this.#answersMs.findLast((atMs) => atMs <= beatMs) ?? 0;
  }

  /** When a read of its account last reached it; minus infinity: none has. */
  get accountReadMs(): number {
    return this.#accountReadMs;
  }

  /** When it last turned and was unable; time in which it does not turn does not count. */
  get lastLackedMs(): number {
    return this.#lastLackedMs;
  }

  #knowsOfKeySince(lastMs: number): boolean {
    return this.#modules.nowMs() - lastMs > this.keyKnownAfterMs && this.#accountReadMs > lastMs;
  }

  #oldestOf(open: readonly { readonly sinceMs: number }[], keylessSinceMs: number | null): number | null {
    const since = open.map(({ sinceMs }) => sinceMs);
    if (keylessSinceMs !== null) since.push(keylessSinceMs);
    if (this.#modules.nowMs() - this.#answeredMs > ANSWER_MS) since.push(this.#answeredMs);
    return since.length === 0 ? null : Math.min(...since);
  }
}

/** What a struck network puts in the place of an answer is neither. */
const isWhole = (body: string): boolean => body.length > 2 && /[}\]]\s*$/.test(body);
