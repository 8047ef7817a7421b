// Which of the reads that quoting needs the exchange answers now, and not with what they are: each names its path and what is wrong there.

import { messageOf } from "../../kernel/errors.ts";
import { ReadError, type VenueReads } from "../venue/port.ts";

/** The exchange turned it away for a while: nothing is wrong with the answer. */
const THROTTLED = 429;

export class UnreadAnswers {
  readonly #onUnread: (read: string, subject: bigint | number, error: unknown) => void;
  /** By read and what it is about. */
  readonly #texts = new Map<string, string>();

  /** Calls `onUnread` each time, whoever asked. */
  constructor(onUnread: (read: string, subject: bigint | number, error: unknown) => void) {
    this.#onUnread = onUnread;
  }

  /** One sentence for each, such as "GET /v1/accounts/12/positions: must be a list". */
  texts(): readonly string[] {
    return [...new Set(this.#texts.values())];
  }

  /** The same reads. One that is not answered at all is not the answer's fault, and ends nothing either. */
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
