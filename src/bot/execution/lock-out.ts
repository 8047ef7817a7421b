// A clock that was wrong can lock a key out for a day (S5, rule 3): once a hundred nonces from the future are taken, every honest one
// is too small. Only rejections in a row show it, since no error text is promised. The ways out: CancelOrder, which
// needs no nonce; a leap to the far end of the window for CancelAllOrders; another agent key.

import { type Nonce, nonce } from "../../domain/units.ts";

/** Racing requotes may collect fewer rejections than this for other reasons. */
const REJECTIONS_MAX = 5;
/** How often one new order probes whether the key works again. */
const PROBE_MS = 10_000;
/** The window ends a day ahead of block time, which lags the chain clock by a block or more. */
const WINDOW_END_MARGIN_MS = 60_000;

export class LockOut {
  readonly #windowAheadMs: number;
  readonly #leaps = new Set<Nonce>();
  #rejectedInRow = 0;
  #probeAtMs = 0;
  #lastLeap = 0n;
  #leapNext = true;
  #proven = false;

  constructor(windowAheadMs: number) {
    this.#windowAheadMs = windowAheadMs;
  }

  /** `suspected`: nothing was accepted for a while. `proven`: a leap was accepted where fresh nonces are not. */
  get state(): "open" | "suspected" | "proven" {
    if (this.#rejectedInRow < REJECTIONS_MAX) return "open";
    return this.#proven ? "proven" : "suspected";
  }

  /** Whether a new order has to wait for the next try. */
  isWaiting(monotonicMs: number): boolean {
    return this.state !== "open" && monotonicMs < this.#probeAtMs;
  }

  /** A new order tries. */
  probe(monotonicMs: number): void {
    if (this.state !== "open") this.#probeAtMs = monotonicMs + PROBE_MS;
  }

  /** A nonce at the end of the window for every second CancelAllOrders while locked out; undefined: take the next as always. */
  leap(chainNowMs: bigint): Nonce | undefined {
    if (this.state === "open") return undefined;
    this.#leapNext = !this.#leapNext;
    if (this.#leapNext) return undefined;
    const end = chainNowMs + BigInt(this.#windowAheadMs - WINDOW_END_MARGIN_MS);
    this.#lastLeap = end > this.#lastLeap ? end : this.#lastLeap + 1n;
    const leapt = nonce(this.#lastLeap);
    this.#leaps.add(leapt);
    return leapt;
  }

  rejected(taken: Nonce): void {
    if (!this.#leaps.delete(taken)) this.#rejectedInRow += 1;
  }

  accepted(taken: Nonce): void {
    if (this.#leaps.delete(taken)) {
      this.#proven = true;
      return;
    }
    this.#rejectedInRow = 0;
    this.#proven = false;
  }
}
