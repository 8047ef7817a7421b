// Reads that quoting needs and that the exchange now answers wrongly: each names its path and the fault.

import { messageOf } from "../../kernel/errors.ts";
import { ReadError, type VenueReads } from "../venue/port.ts";

/** The exchange throttled it: the answer itself is not at fault. */
const THROTTLED = 429;

export class UnreadAnswers {
  readonly #onUnread: (read: string, subject: bigint | number, error: unknown) => void;
  /** By read and subject. */
  readonly #texts = new Map<string, string>();

  /** Calls `onUnread` each time, whoever asked. */
  constructor(onUnread: (read: string, subject: bigint | number, error: unknown) => void) {
    this.#onUnread = onUnread;
  }

  /** One sentence for each, such as "GET /v1/accounts/12/positions: must be a list". */
  texts(): readonly string[] {
    return [...new Set(this.#texts.values())];
  }

  /** Returns the same reads, with their answers checked. A missing answer neither counts as a wrong one nor ends one. */
  hearing(reads: VenueReads): VenueReads {
    const heard =
      <Of extends bigint | number, Fact>(what: string, read: (of: Of) => Promise<Fact>) =>
      async (of: Of): Promise<Fact> => {
        const key = `${what} ${of}`;
        try {
          const fact = await read(of);
          this.#texts.delete(key);
          return fact;
        } catch (thrown) {
          if (isAnswered(thrown)) {
            this.#texts.set(key, messageOf(thrown));
            this.#onUnread(what, of, thrown);
          }
          throw thrown;
        }
      };
    return {
      ...reads,
      market: heard("market", reads.market),
      oracle: heard("oracle", reads.oracle),
      book: heard("book", reads.book),
      trades: heard("trades", reads.trades),
      account: heard("account", reads.account),
      orders: heard("orders", reads.orders),
      positions: heard("positions", reads.positions),
    };
  }
}

const isAnswered = (thrown: unknown): boolean =>
  thrown instanceof ReadError && thrown.httpStatus !== null && thrown.httpStatus !== THROTTLED;
