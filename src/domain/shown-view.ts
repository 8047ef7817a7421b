// The view as a strategy is handed it. It goes by the same facts as guard, plan and other accounts, and can change none of them: their objects are
// frozen where they are made, and lists, which are slow to read when frozen, are frozen copies of its own.

import { frozenCopy } from "../kernel/frozen.ts";
import type { Book, Level } from "./book.ts";
import type { Fact, View } from "./view.ts";

type OwnLists = Pick<View, "orders" | "vacated">;

/** A frozen copy of a book. It knows what it was copied from, so that who only reads it reads that, and what is worked out of it is so once. */
class ShownBook implements Book {
  readonly marketId: Book["marketId"];
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly #book: Book;
  /** As they are handed out beside it, and as they are. */
  readonly #shown: OwnLists | null;
  readonly #own: OwnLists | null;
  /** The copy that was made last of what others have in it. */
  // biome-ignore lint/style/useReadonlyClassProperties: a static method sets it
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
    if (!(#book in book)) return others;
    const last = book.#others;
    if (last !== null && last.#book === others) return last;
    book.#others = new ShownBook(others, null, null);
    return book.#others;
  }
}
Object.freeze(ShownBook.prototype);

/** What the book is a copy of, for those who only read; itself where it is none. */
export const plainBook = (book: Book): Book => ShownBook.plain(book);

/** The lists that were handed out beside the book as they are; others stay what they are. */
export const plainOwn = (book: Book, given: OwnLists): OwnLists => ShownBook.own(book, given);

/** What others have in a book: whoever was handed a copy of the book is handed a copy of this. */
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
