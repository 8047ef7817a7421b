// The view as a strategy gets it: the same facts as guard, plan and other accounts use, but nothing can be changed. Objects are frozen
// where they are made; lists, which are slow to read when frozen, are frozen copies.

import { frozenCopy } from "../kernel/frozen.ts";
import type { Book, Level } from "./book.ts";
import type { Fact, View } from "./view.ts";

type OwnLists = Pick<View, "orders" | "vacated">;

/** A frozen copy of a book that knows its original: code that only reads uses the original, so that derived values are computed once. */
class ShownBook implements Book {
  readonly marketId: Book["marketId"];
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly #book: Book;
  /** The frozen lists that the strategy gets with the book, and their originals. */
  readonly #shown: OwnLists | null;
  readonly #own: OwnLists | null;
  /** The newest copy of the book without our orders. */
  #others: ShownBook | null = null;

  constructor(book: Book, shown: OwnLists | null, own: OwnLists | null) {
    this.marketId = book.marketId;
    this.bids = frozenCopy(book.bids);
    this.asks = frozenCopy(book.asks);
    this.#book = book;
    this.#shown = shown;
    this.#own = own;
    Object.freeze(this);
  }

  static plain(book: Book): Book {
    return #book in book ? book.#book : book;
  }

  static own(book: Book, given: OwnLists): OwnLists {
    if (!(#book in book) || book.#shown === null || book.#own === null) return given;
    const { orders, vacated } = book.#shown;
    return given.orders === orders && given.vacated === vacated ? book.#own : given;
  }

  static others(book: Book, others: Book): Book {
    return #book in book ? book.#shownOthers(others) : others;
  }

  #shownOthers(others: Book): ShownBook {
    if (this.#others === null || this.#others.#book !== others) this.#others = new ShownBook(others, null, null);
    return this.#others;
  }
}
Object.freeze(ShownBook.prototype);

/** The original of a copy, for code that only reads; any other book unchanged. */
export const plainBook = (book: Book): Book => ShownBook.plain(book);

/** The originals of the lists that were given with the book; other lists unchanged. */
export const plainOwn = (book: Book, given: OwnLists): OwnLists => ShownBook.own(book, given);

/** The others' part of a book, as a frozen copy if the book is one. */
export const showOthers = (book: Book, others: Book): Book => ShownBook.others(book, others);

export function shownView(view: View): View {
  const { orders, vacated } = view;
  const shown = { orders: frozenCopy(orders), vacated: frozenCopy(vacated) };
  return Object.freeze({
    ...view,
    book: shownBook(view.book, shown, { orders, vacated }),
    orders: shown.orders,
    vacated: shown.vacated,
    unreadable: frozenCopy(view.unreadable),
  });
}

const shownBook = (fact: Fact<Book>, shown: OwnLists, own: OwnLists): Fact<Book> =>
  fact.state === "absent" ? fact : Object.freeze({ ...fact, value: new ShownBook(fact.value, shown, own) });
