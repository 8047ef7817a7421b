// Whether the exchange's count of requests (S4.2, whose shape the interface does not show) is one of transactions. Where its names do not
// say so it may count anything, such as reads within a second: then it is believed only once it has grown by transactions of ours.

import type { RateLimit } from "../../domain/account.ts";
import type { DialectWord } from "../../domain/dialect.ts";
import type { SubmitOutcome } from "../../domain/event.ts";

/** So many transactions show whether the count grows by them. */
const ENOUGH = 8;
/** Of them at least one in so many must be in it: it may leave out cancels, and some may have been on their way. */
const SHARE = 2;

const nothing: RateLimit = { requestsUsed: null, requestsCap: null, requestsRemaining: null };

export class RequestCount {
  readonly #word: DialectWord<"budget"> | null;
  /** What was used before the transactions that are counted here; null: it was not told yet. */
  #before: bigint | null = null;
  #executed = 0;
  #grows = false;
  /** A count that goes down is one of a window of time. */
  #hasFallen = false;

  /** `word`: what the dialect says of it; null: nothing yet. */
  constructor(word: DialectWord<"budget"> | null = null) {
    this.#word = word;
  }

  /** Call it with every answer to a transaction. */
  answered({ kind }: SubmitOutcome): void {
    if (kind === "executed" || kind === "refused") this.#executed += 1;
  }

  /** The same limit, or one that tells nothing where it is not known to count transactions. */
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

/** Where only what remains is told, it falls as the other grows. */
function usedOf({ requestsUsed, requestsCap, requestsRemaining }: RateLimit): bigint | null {
  if (requestsUsed !== null || requestsRemaining === null) return requestsUsed;
  return (requestsCap ?? 0n) - requestsRemaining;
}
