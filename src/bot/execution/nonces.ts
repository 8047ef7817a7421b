// Nonces of one agent key: max(t, last + 1), t as of send-time.ts, synchronous and exact. A reservation up to t + 1 s (in a fleet, more
// than a lease) is synced ahead of use and never relative to the last nonce: the hot path waits for no sync, no restart reuses a nonce, and
// a crash loop uses nonces no faster than time passes. A last nonce far ahead of t came from a wrong clock and is no base for the next: one
// wrong clock must not silence the key for hours. Differing clocks, or too much in flight, block only new exposure.

import type { ActionClass } from "../../domain/command.ts";
import type { NonceRefusalCode } from "../../domain/drop-reason.ts";
import { type Nonce, nonce } from "../../domain/units.ts";
import { createOldestOutMap } from "../../kernel/bounded.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Facts } from "../../kernel/errors.ts";
import { sendTiming } from "../timing.ts";
import type { Journal } from "./journal.ts";
import { type ChainTime, isOff, sendTimes } from "./send-time.ts";

export type NonceLimits = {
  /** Half of the hundred that the exchange remembers, so that no late arrival falls below them (S5, rule 3). */
  readonly inFlightMax: number;
  /** How far ahead of t nonces are reserved. */
  readonly reservationMs: number;
};

export const defaultNonceLimits: NonceLimits = { inFlightMax: 50, reservationMs: sendTiming.reservationMs };

/** Share of a reservation that passes before it is extended: with a second, two or three syncs per second. */
const EXTEND_SHARE = 0.4;

/** For slow syncs: so much of the reservation, ms, remains whenever the next sync fails. */
export const reservingFor = (ms: number): Pick<NonceLimits, "reservationMs"> => ({
  reservationMs: Math.ceil(ms / (1 - EXTEND_SHARE)),
});

export type NonceAnswer =
  | { readonly kind: "issued"; readonly nonce: Nonce }
  | { readonly kind: "refused"; readonly code: NonceRefusalCode; readonly facts: Facts };

type Refusal = Omit<Extract<NonceAnswer, { readonly kind: "refused" }>, "kind">;

/** The key's newest nonces, also of earlier runs, that are not issued again: a wrong clock may lead t through the same time twice. */
const USED_MAX = 10_000;

export class NonceAllocator {
  readonly #signer: string;
  readonly #limits: NonceLimits;
  readonly #clock: Clock;
  readonly #journal: Pick<Journal, "reserve" | "reservation" | "newestNonces">;
  readonly #chainTime: () => ChainTime | null;
  readonly #inFlight = new Set<Nonce>();
  readonly #used = createOldestOutMap<bigint, true>(USED_MAX);
  /** The newest nonce of this run, or the one that an earlier run reserved; null: nothing is known of earlier runs. */
  #last: bigint | null;
  /** The last reservation given to the journal, and the part that is on disk. */
  #mark: bigint;
  #reservedUntil = 0n;
  #extending: Promise<boolean> | null = null;
  #refused: { readonly sinceMs: number; readonly facts: Facts } | null = null;

  constructor(
    options: { readonly signer: string; readonly limits?: Partial<NonceLimits> },
    modules: {
      readonly clock: Clock;
      readonly journal: Pick<Journal, "reserve" | "reservation" | "newestNonces">;
      readonly chainTime: () => ChainTime | null;
    },
  ) {
    this.#signer = options.signer;
    this.#limits = { ...defaultNonceLimits, ...options.limits };
    this.#clock = modules.clock;
    this.#journal = modules.journal;
    this.#chainTime = modules.chainTime;
    for (const used of modules.journal.newestNonces(options.signer, USED_MAX)) this.#used.set(used, true);
    this.#last = modules.journal.reservation(options.signer);
    this.#mark = this.#last ?? 0n;
  }

  /** Issued nonces whose outcome is unknown. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** The newest nonce issued, or reserved by an earlier run. */
  get last(): Nonce {
    return nonce(this.#last ?? 0n);
  }

  /** Why new exposure has had no nonce for more than a moment; null: it has one. */
  get refusal(): Facts | null {
    if (this.#refused === null) return null;
    return this.#clock.monotonicMs() - this.#refused.sinceMs < sendTiming.slowDiskMs ? null : this.#refused.facts;
  }

  /** Keeps the reservation ahead of t. Call it a few times a second. Resolves true while nonces can be issued. */
  extend(): Promise<boolean> {
    const chain = this.#chainTime();
    this.#look(chain);
    if (this.#extending !== null) return this.#extending;
    const until = this.#wanted(chain);
    if (until === null) return Promise.resolve((this.#last ?? 0n) < this.#reservedUntil);
    this.#extending = this.#reserve(until).finally(() => {
      this.#extending = null;
    });
    return this.#extending;
  }

  /** Returns a fresh nonce at the Unix time `atMs`, in flight until `ended`. Only `increase` is ever refused. */
  allocate(actionClass: ActionClass, atMs = this.#nowMs()): NonceAnswer {
    const chain = this.#chainTime();
    if (actionClass === "increase") {
      const refusal = this.#refusal(chain, atMs);
      if (refusal !== null) return { kind: "refused", ...refusal };
    }
    const next = this.#next(atMs);
    this.#last = next;
    this.#used.set(next, true);
    // Only reductions and cancels pass the reservation; the mark on disk follows them, so that a restart still begins above, but never
    // further than a reservation goes. A power loss may undo that; by the end of a boot, t is above them.
    if (next > this.#reservedUntil && next <= bigOf(this.#nowMs()) + BigInt(this.#limits.reservationMs))
      void this.#write(next);
    this.#inFlight.add(nonce(next));
    return { kind: "issued", nonce: nonce(next) };
  }

  /** Returns a nonce for CancelOrder (neither checked nor committed, S5): never refused, never in flight, distinct while that is free. */
  unchecked(atMs = this.#nowMs()): Nonce {
    const next = this.#next(atMs);
    if (next < bigOf(atMs) + BigInt(sendTiming.nonceLeadMaxMs)) this.#last = next;
    return nonce(next);
  }

  /** The outcome of a nonce is known. */
  ended(taken: Nonce): void {
    this.#inFlight.delete(taken);
  }

  /** Never issues this nonce or a smaller one: an account's nonces stay distinct when its key changes. */
  startAbove(taken: Nonce): void {
    const last = this.#lastAt(this.#nowMs());
    if (taken > last) this.#last = taken;
  }

  /** A transaction of an earlier run under this key that may still land. */
  adopt(unknown: Nonce): void {
    this.#inFlight.add(unknown);
  }

  /** Unix ms. */
  #nowMs(): number {
    return sendTimes(this.#chainTime(), this.#clock.wallMs()).first;
  }

  #next(atMs: number): bigint {
    const [now, last] = [bigOf(atMs), this.#lastAt(atMs)];
    let next = now > last ? now : last + 1n;
    while (this.#used.get(next) !== undefined) next += 1n;
    return next;
  }

  /** Returns the last nonce as the base of the next. If it came from a wrong clock, or is unknown, no other run has used more than this. */
  #lastAt(atMs: number): bigint {
    const { reservationMs } = this.#limits;
    const now = bigOf(atMs);
    if (this.#last === null || this.#last > now + BigInt(reservationMs + sendTiming.nonceLeadMaxMs)) {
      this.#last = now + BigInt(Math.trunc(reservationMs / 2));
      this.#mark = 0n;
      this.#reservedUntil = 0n;
    }
    return this.#last;
  }

  #refusal(chain: ChainTime | null, atMs: number): Refusal | null {
    const { inFlightMax } = this.#limits;
    if (chain === null) return { code: "offsetUnknown", facts: {} };
    const { offsetMs, offsetMsMax } = chain;
    if (isOff(chain)) return { code: "offsetTooLarge", facts: { offsetMs, offsetMsMax } };
    const inFlight = this.#inFlight.size;
    if (inFlight >= inFlightMax) return { code: "tooManyInFlight", facts: { inFlight, inFlightMax } };
    const [next, reservedUntil] = [this.#next(atMs), this.#reservedUntil];
    return next > reservedUntil ? { code: "notReserved", facts: { next, reservedUntil } } : null;
  }

  #look(chain: ChainTime | null): void {
    const refusal = this.#refusal(chain, this.#nowMs());
    if (refusal === null) this.#refused = null;
    else {
      const sinceMs = this.#refused?.sinceMs ?? this.#clock.monotonicMs();
      this.#refused = { sinceMs, facts: { code: refusal.code, ...refusal.facts } };
    }
  }

  /** Returns the new end of the reservation; null: it reaches far enough, or the clocks disagree. */
  #wanted(chain: ChainTime | null): bigint | null {
    if (chain === null || isOff(chain)) return null;
    const { reservationMs } = this.#limits;
    const nowMs = this.#nowMs();
    this.#lastAt(nowMs);
    const until = bigOf(nowMs) + BigInt(reservationMs);
    return Number(until - this.#reservedUntil) >= reservationMs * EXTEND_SHARE ? until : null;
  }

  async #reserve(until: bigint): Promise<boolean> {
    const synced = await this.#write(until);
    if (synced && this.#mark >= until && until > this.#reservedUntil) this.#reservedUntil = until;
    return (this.#last ?? 0n) < this.#reservedUntil;
  }

  /** The journal keeps the last mark that it gets, so that one of a wrong clock does not stay. Resolves true when it is on disk. */
  #write(until: bigint): Promise<boolean> {
    if (until > this.#mark) this.#mark = until;
    return this.#journal.reserve(this.#signer, nonce(this.#mark));
  }
}

const bigOf = (ms: number): bigint => BigInt(Math.trunc(ms));
