// Nonces of one agent key: max(chain time in ms, last + 1), synchronous and exact. A reservation up to chain time + 1 s is synced to
// disk ahead of use and never relative to the last nonce: the hot path waits for no sync, no restart reuses a nonce, and a crash loop
// uses no more than the time that passes. An uncertain clock or too much in flight blocks new exposure and nothing else.

import type { ActionClass } from "../../domain/command.ts";
import { type Nonce, nonce } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Facts } from "../../kernel/errors.ts";
import type { Journal } from "./journal.ts";
import { LockOut } from "./lock-out.ts";

export type NonceLimits = {
  /** How far the last nonce may be ahead of chain time: above any reservation, so that only a clock that went back gets there. */
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

/** A reservation is extended when this much of it has passed: two or three syncs a second. */
const EXTEND_SHARE = 0.4;

export class NonceAllocator {
  readonly #signer: string;
  readonly #limits: NonceLimits;
  readonly #clock: Clock;
  readonly #journal: Pick<Journal, "reserve" | "reservation">;
  readonly #chainTime: () => ChainTime | null;
  readonly #inFlight = new Set<Nonce>();
  readonly #lockOut: LockOut;
  #known: boolean;
  #last: bigint;
  #reservedUntil = 0n;
  #lastEscape = 0n;
  #extending: Promise<boolean> | null = null;

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

  /** Keeps the reservation ahead of chain time. Call it a few times a second. Resolves true while there is one to issue from. */
  extend(): Promise<boolean> {
    this.#extending ??= this.#reserve().finally(() => {
      this.#extending = null;
    });
    return this.#extending;
  }

  /** A fresh nonce, in flight until `ended`. Only `increase` is ever refused. */
  allocate(actionClass: ActionClass): NonceAnswer {
    const chain = this.#chainTime();
    const now = this.#now(chain);
    const next = now > this.#last ? now : this.#last + 1n;
    if (actionClass === "increase") {
      const refusal = this.#refusal(chain, now, next);
      if (refusal !== null) return refusal;
      return this.#issue(next);
    }
    const leap = actionClass === "cancel" ? this.#lockOut.leap(now) : undefined;
    if (leap !== undefined) {
      this.#inFlight.add(leap);
      return { kind: "issued", nonce: leap };
    }
    const windowEnd = now + BigInt(this.#limits.windowAheadMs);
    if (next < windowEnd) return this.#issue(next);
    // The last nonce came from a clock far ahead; the exchange would reject the next one, so chain time gives another.
    const following = now > this.#lastEscape ? now : this.#lastEscape + 1n;
    this.#lastEscape = following < windowEnd ? following : now;
    this.#inFlight.add(nonce(this.#lastEscape));
    return { kind: "issued", nonce: nonce(this.#lastEscape) };
  }

  /** For CancelOrder, whose nonce is neither checked nor committed (S5): never refused, never in flight, and distinct while that is free. */
  unchecked(): Nonce {
    const now = this.#now(this.#chainTime());
    const next = now > this.#last ? now : this.#last + 1n;
    if (next < now + BigInt(this.#limits.runawayMsMax)) this.#last = next;
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

  #issue(next: bigint): NonceAnswer {
    this.#last = next;
    this.#inFlight.add(nonce(next));
    // Only reductions and cancels pass the reservation; it follows them, so that a restart still begins above. A power loss may undo
    // that; chain time, which moves on by seconds while a machine boots, is above them then.
    if (next > this.#reservedUntil) void this.#journal.reserve(this.#signer, nonce(next));
    return { kind: "issued", nonce: nonce(next) };
  }

  #refusal(chain: ChainTime | null, now: bigint, next: bigint): NonceAnswer | null {
    const { runawayMsMax, inFlightMax } = this.#limits;
    const refused = (code: NonceRefusalCode, facts: Facts): NonceAnswer => ({ kind: "refused", code, facts });
    if (chain === null) return refused("offsetUnknown", {});
    const { offsetMs, offsetMsMax } = chain;
    if (isOff(chain)) return refused("offsetTooLarge", { offsetMs, offsetMsMax });
    const aheadMs = Number(this.#last - now);
    if (aheadMs > runawayMsMax) return refused("runaway", { aheadMs, runawayMsMax });
    if (this.#inFlight.size >= inFlightMax) {
      return refused("tooManyInFlight", { inFlight: this.#inFlight.size, inFlightMax });
    }
    if (next > this.#reservedUntil) return refused("notReserved", { next, reservedUntil: this.#reservedUntil });
    if (!this.#lockOut.mayProbe(this.#clock.monotonicMs())) return refused("lockedOut", {});
    return null;
  }

  async #reserve(): Promise<boolean> {
    const chain = this.#chainTime();
    const { reservationMs } = this.#limits;
    if (chain === null || isOff(chain)) return this.#last < this.#reservedUntil;
    const until = this.#now(chain) + BigInt(reservationMs);
    if (!this.#known) {
      // A journal may have been lost, and with it all earlier lives of this key. None of them reserved further ahead than this.
      this.#known = true;
      const above = until - BigInt(Math.trunc(reservationMs / 2));
      this.#last = above > this.#last ? above : this.#last;
    }
    if (Number(until - this.#reservedUntil) >= reservationMs * EXTEND_SHARE) {
      const synced = await this.#journal.reserve(this.#signer, nonce(until));
      if (synced && until > this.#reservedUntil) this.#reservedUntil = until;
    }
    return this.#last < this.#reservedUntil;
  }

  #now(chain: ChainTime | null): bigint {
    return BigInt(Math.trunc(chain?.timeMs ?? this.#clock.wallMs()));
  }
}
