// Nonces of one agent key: max(chain time in ms, last + 1), synchronous and exact. A reservation up to chain time + 1 s (in a fleet, more
// than a lease) is synced ahead of use and never relative to the last nonce: the hot path waits for no sync, no restart reuses a nonce, and a crash loop
// uses no more than the time that passes. An uncertain clock or too much in flight blocks new exposure and nothing else. What trusted
// time does not bound is no base for the next nonce and is not written down: one wrong clock must not silence the key for hours.

import type { ActionClass } from "../../domain/command.ts";
import { type Nonce, nonce } from "../../domain/units.ts";
import { createOldestOutMap } from "../../kernel/bounded.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Facts } from "../../kernel/errors.ts";
import type { Journal } from "./journal.ts";
import { LockOut } from "./lock-out.ts";

export type NonceLimits = {
  /**
   * How far the last nonce may be ahead of chain time: above any reservation. One that is further ahead when time is first trusted, or that
   * time trusted since has fallen behind by as much, came from a wrong clock.
   */
  readonly runawayMsMax: number;
  /** Half of the hundred that the exchange remembers, so that no late arrival falls below them (S5, rule 3). */
  readonly inFlightMax: number;
  /** How far ahead of chain time is reserved. */
  readonly reservationMs: number;
  /** The exchange takes nonces up to this far ahead of block time (S8). */
  readonly windowAheadMs: number;
};

export const defaultNonceLimits: NonceLimits = {
  runawayMsMax: 10_000,
  inFlightMax: 50,
  reservationMs: 1000,
  windowAheadMs: 86_400_000,
};

/** A reservation is extended when this much of it has passed: of a second, two or three syncs a second. */
const EXTEND_SHARE = 0.4;

/** Where a sync may take long: so much of the reservation, ms, is in hand whenever the next one fails. */
export function reservingFor(ms: number): Pick<NonceLimits, "reservationMs" | "runawayMsMax"> {
  const reservationMs = Math.ceil(ms / (1 - EXTEND_SHARE));
  return { reservationMs, runawayMsMax: reservationMs + defaultNonceLimits.runawayMsMax };
}

/** Estimated chain time, how far the local wall clock is behind it, and how far it may be (the guard's own limit). */
export type ChainTime = { readonly timeMs: number; readonly offsetMs: number; readonly offsetMsMax: number };

const isOff = ({ offsetMs, offsetMsMax }: ChainTime): boolean => Math.abs(offsetMs) > offsetMsMax;

export type NonceRefusalCode =
  | "offsetUnknown"
  | "offsetTooLarge"
  | "runaway"
  | "tooManyInFlight"
  | "notReserved"
  | "lockedOut";

export type NonceAnswer =
  | { readonly kind: "issued"; readonly nonce: Nonce }
  | { readonly kind: "refused"; readonly code: NonceRefusalCode; readonly facts: Facts };

type Refusal = Omit<Extract<NonceAnswer, { readonly kind: "refused" }>, "kind">;

/** A disk that is slow for a moment is no reason to pull quotes. */
const MOMENT_MS = 1000;
/** Nonces of this life that are not issued again: of those that a wrong clock gave, time passes once more. */
const USED_MAX = 10_000;

export class NonceAllocator {
  readonly #signer: string;
  readonly #limits: NonceLimits;
  readonly #clock: Clock;
  readonly #journal: Pick<Journal, "reserve" | "reservation">;
  readonly #chainTime: () => ChainTime | null;
  readonly #inFlight = new Set<Nonce>();
  readonly #lockOut: LockOut;
  readonly #used = createOldestOutMap<bigint, true>(USED_MAX);
  #known: boolean;
  #last: bigint;
  /** The latest trusted time, as a nonce; null: not yet known in this life. */
  #latest: bigint | null = null;
  #reservedUntil = 0n;
  #extending: Promise<boolean> | null = null;
  #refused: { readonly sinceMs: number; readonly facts: Facts } | null = null;

  constructor(
    options: { readonly signer: string; readonly limits?: Partial<NonceLimits> },
    modules: {
      readonly clock: Clock;
      readonly journal: Pick<Journal, "reserve" | "reservation">;
      readonly chainTime: () => ChainTime | null;
    },
  ) {
    this.#signer = options.signer;
    this.#limits = { ...defaultNonceLimits, ...options.limits };
    this.#clock = modules.clock;
    this.#journal = modules.journal;
    this.#chainTime = modules.chainTime;
    this.#lockOut = new LockOut(this.#limits.windowAheadMs);
    const reserved = modules.journal.reservation(options.signer);
    this.#known = reserved !== null;
    this.#last = reserved ?? 0n;
  }

  /** Nonces issued whose outcome is not known. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  get lockOut(): LockOut["state"] {
    return this.#lockOut.state;
  }

  /** The newest nonce issued, or reserved by an earlier life. */
  get last(): Nonce {
    return nonce(this.#last);
  }

  /** Why new exposure has been getting no nonce for more than a moment; null: it gets one. */
  get refusal(): Facts | null {
    if (this.#refused === null) return null;
    return this.#clock.monotonicMs() - this.#refused.sinceMs < MOMENT_MS ? null : this.#refused.facts;
  }

  /** Keeps the reservation ahead of chain time. Call it a few times a second. Resolves true while there is one to issue from. */
  extend(): Promise<boolean> {
    const chain = this.#chainTime();
    this.#look(chain);
    if (this.#extending !== null) return this.#extending;
    const until = this.#wanted(chain);
    if (until === null) return Promise.resolve(this.#last < this.#reservedUntil);
    this.#extending = this.#reserve(until).finally(() => {
      this.#extending = null;
    });
    return this.#extending;
  }

  /** A fresh nonce, in flight until `ended`. Only `increase` is ever refused. */
  allocate(actionClass: ActionClass): NonceAnswer {
    const chain = this.#chainTime();
    if (actionClass === "increase") {
      const refusal = this.#refusal(chain);
      if (refusal !== null) return { kind: "refused", ...refusal };
      this.#lockOut.probe(this.#clock.monotonicMs());
    }
    const leap = actionClass === "cancel" ? this.#lockOut.leap(this.#now(chain)) : undefined;
    const issued = leap ?? (chain === null ? this.#loose() : this.#issue(this.#next(chain)));
    this.#inFlight.add(issued);
    return { kind: "issued", nonce: issued };
  }

  /** For CancelOrder, whose nonce is neither checked nor committed (S5): never refused, never in flight, and distinct while that is free. */
  unchecked(): Nonce {
    const chain = this.#chainTime();
    if (chain === null) return this.#loose();
    const next = this.#next(chain);
    if (next < this.#now(chain) + BigInt(this.#limits.runawayMsMax)) this.#last = next;
    return nonce(next);
  }

  /** The outcome of a nonce is known. `rejected`: before execution, so the nonce was not taken. */
  ended(taken: Nonce, end: "accepted" | "rejected" | "unsaid"): void {
    if (!this.#inFlight.delete(taken)) return;
    if (end === "accepted") this.#lockOut.accepted(taken);
    else if (end === "rejected") this.#lockOut.rejected(taken);
  }

  /** Never issues this nonce or a smaller one: an account's nonces stay distinct when its key changes. */
  startAbove(taken: Nonce): void {
    if (taken > this.#last) this.#last = taken;
  }

  /** A transaction of an earlier life under this key that may still land. */
  adopt(unknown: Nonce): void {
    this.#inFlight.add(unknown);
  }

  /** The next by trusted time. */
  #next(chain: ChainTime): bigint {
    const now = this.#bound(chain);
    return this.#unused(now > this.#last ? now : this.#last + 1n);
  }

  #issue(next: bigint): Nonce {
    this.#last = next;
    this.#used.set(next, true);
    // Only reductions and cancels pass the reservation; it follows them, so that a restart still begins above. A power loss may undo
    // that; chain time, which moves on by seconds while a machine boots, is above them then.
    if (next > this.#reservedUntil) void this.#journal.reserve(this.#signer, nonce(next));
    return nonce(next);
  }

  /** Without trusted time: by the wall clock, inside the window, for what must go. The base of no other, and not written down. */
  #loose(): Nonce {
    const now = this.#now(null);
    const isAhead = this.#last >= now && this.#last < now + BigInt(this.#limits.runawayMsMax);
    const next = this.#unused(isAhead ? this.#last + 1n : now);
    this.#used.set(next, true);
    return nonce(next);
  }

  #unused(from: bigint): bigint {
    let next = from;
    while (this.#used.get(next) !== undefined) next += 1n;
    return next;
  }

  /** Trusted time as a nonce, after the last nonce was held against it. */
  #bound(chain: ChainTime): bigint {
    const now = this.#now(chain);
    const limit = BigInt(this.#limits.runawayMsMax);
    const isWrong = this.#latest === null ? this.#last > now + limit : this.#latest > now + limit;
    if (isWrong || !this.#known) {
      // The journal was lost or tells of a wrong clock, and with it what earlier lives used. None of them reserved further ahead than this.
      this.#last = now + BigInt(Math.trunc(this.#limits.reservationMs / 2));
      this.#reservedUntil = 0n;
      this.#known = true;
    }
    this.#latest = isWrong || this.#latest === null || now > this.#latest ? now : this.#latest;
    return now;
  }

  #refusal(chain: ChainTime | null): Refusal | null {
    const { runawayMsMax, inFlightMax } = this.#limits;
    if (chain === null) return { code: "offsetUnknown", facts: {} };
    const { offsetMs, offsetMsMax } = chain;
    if (isOff(chain)) return { code: "offsetTooLarge", facts: { offsetMs, offsetMsMax } };
    const next = this.#next(chain);
    const aheadMs = Number(this.#last - this.#now(chain));
    if (aheadMs > runawayMsMax) return { code: "runaway", facts: { aheadMs, runawayMsMax } };
    const inFlight = this.#inFlight.size;
    if (inFlight >= inFlightMax) return { code: "tooManyInFlight", facts: { inFlight, inFlightMax } };
    const reservedUntil = this.#reservedUntil;
    if (next > reservedUntil) return { code: "notReserved", facts: { next, reservedUntil } };
    return this.#lockOut.isWaiting(this.#clock.monotonicMs()) ? { code: "lockedOut", facts: {} } : null;
  }

  #look(chain: ChainTime | null): void {
    const refusal = this.#refusal(chain);
    if (refusal === null) this.#refused = null;
    else {
      const sinceMs = this.#refused?.sinceMs ?? this.#clock.monotonicMs();
      this.#refused = { sinceMs, facts: { code: refusal.code, ...refusal.facts } };
    }
  }

  /** Up to where the reservation is to be extended now; null: it reaches far enough, or the time is not certain. */
  #wanted(chain: ChainTime | null): bigint | null {
    if (chain === null || isOff(chain)) return null;
    const { reservationMs } = this.#limits;
    const until = this.#bound(chain) + BigInt(reservationMs);
    return Number(until - this.#reservedUntil) >= reservationMs * EXTEND_SHARE ? until : null;
  }

  async #reserve(until: bigint): Promise<boolean> {
    const synced = await this.#journal.reserve(this.#signer, nonce(until));
    if (synced && until > this.#reservedUntil) this.#reservedUntil = until;
    return this.#last < this.#reservedUntil;
  }

  #now(chain: ChainTime | null): bigint {
    return BigInt(Math.trunc(chain?.timeMs ?? this.#clock.wallMs()));
  }
}
