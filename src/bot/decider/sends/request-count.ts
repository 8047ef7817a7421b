// Whether the exchange's count of requests (S4.2; the interface does not show its shape) counts transactions. If its names do not say so,
// it may count anything, such as reads per second: it is then believed only once it grows with our transactions.

import type { RateLimit } from "../../../domain/account.ts";
import type { DialectWord } from "../../../domain/dialect.ts";
import type { SubmitOutcome } from "../../../domain/event.ts";

/** Transactions after which the count is compared. */
const ENOUGH = 8;
/** At least one in so many must be in the count: it may leave out cancels and those on their way. */
const SHARE = 2;

const nothing: RateLimit = { requestsUsed: null, requestsCap: null, requestsRemaining: null };

export class RequestCount {
  readonly #word: DialectWord<"budget"> | null;
  /** Requests used before the first transaction counted here; null: unknown. */
  #before: bigint | null = null;
  #executed = 0;
  #grows = false;
  /** A count that falls covers only a window of time. */
  #hasFallen = false;

  /** `word`: the dialect's; null: unknown. */
  constructor(word: DialectWord<"budget"> | null = null) {
    this.#word = word;
  }

  /** Call with every answer to a transaction. */
  answered({ kind }: SubmitOutcome): void {
    if (kind === "executed" || kind === "refused") this.#executed += 1;
  }

  /** Returns the limit itself, or an empty one while it may count something else. */
  believed(limit: RateLimit): RateLimit {
    if (this.#word === "none") return nothing;
    if (limit.isUnitUnknown !== true || this.#word === "known") return limit;
    const used = usedOf(limit);
    if (used === null) return nothing;
    const before = this.#before ?? used;
    if (used < before) this.#hasFallen = true;
    if (this.#before === null || used < before || this.#executed >= ENOUGH) {
      this.#grows = this.#before !== null && (used - before) * BigInt(SHARE) >= BigInt(this.#executed);
      this.#before = used;
      this.#executed = 0;
    }
    return this.#grows && !this.#hasFallen ? limit : nothing;
  }
}

/** Derives the used count where only the remaining one is known. */
function usedOf({ requestsUsed, requestsCap, requestsRemaining }: RateLimit): bigint | null {
  if (requestsUsed !== null || requestsRemaining === null) return requestsUsed;
  return (requestsCap ?? 0n) - requestsRemaining;
}
