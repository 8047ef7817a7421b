// An opening balance: the sum of older events, as text that a later book begins from. For each market what has left the tail, so that newer
// events fold onto it as onto the events themselves; and what belongs to no market.

import { type MarketId, type Usdc, usdc } from "../../domain/units.ts";
import { CodedError } from "../../kernel/errors.ts";
import { type Json, parseJson, stringifyJson } from "../../kernel/json.ts";
import { type AccountBook, foldBook } from "./account-book.ts";
import { collateralGained, createMarketBook, emptyState, type MarketBook } from "./market-book.ts";

export type Opening = {
  /** Null: the account's own. */
  readonly marketId: MarketId | null;
  readonly state: string;
  /** A read of the position that was accepted since; 0: none. */
  readonly accepted: number;
};

export class OpeningError extends CodedError<"opening_malformed"> {}

const none: Usdc = usdc(0n);
const emptyMarket = { acceptedRead: 0, postedAmount: none, funding: none, jump: none };
const emptyAccount = { transfers: none, unassigned: none, openings: 0, transferCount: 0 };

/** Returns the opening of one market, or with null of the account, for what comes after the current book. It leaves out the tail. */
export function openingOf(book: AccountBook, marketId: MarketId | null): Opening {
  const fields = marketId === null ? accountFields(book) : marketFields(book, marketId);
  return { marketId, state: stringifyJson(fields), accepted: 0 };
}

function accountFields({ transfers, unassigned, isOpened, transferCount }: AccountBook): Json {
  return { transfers, unassigned, openings: isOpened ? 1 : 0, transferCount };
}

function marketFields(book: AccountBook, marketId: MarketId): Json {
  const market = book.markets.get(marketId) ?? createMarketBook();
  const { settled, acceptedRead, postedAmount, funding, jump } = market;
  return { settled, acceptedRead, postedAmount, funding, jump };
}

/** Adds an opening to a book that has nothing of this market or account yet. Throws OpeningError and JsonError. */
export function openWith(book: AccountBook, { marketId, state, accepted }: Opening): void {
  const fields = parseJson(state);
  if (marketId === null) {
    const { openings, transfers, ...account } = like(emptyAccount, fields);
    Object.assign(book, account, { isOpened: openings > 0 });
    addTransfers(book, transfers);
    return;
  }
  const settled = like(emptyState, (fields as { readonly settled?: unknown }).settled);
  const market: MarketBook = { ...createMarketBook(), ...like(emptyMarket, fields), settled, now: settled };
  book.markets.set(marketId, market);
  book.touched.add(marketId);
  book.collateral = usdc(book.collateral + collateralGained(market));
  addTransfers(book, like({ adjustments: none }, { adjustments: none, ...(fields as object) }).adjustments);
  if (accepted > 0) foldBook(book, { kind: "accepted", marketId, number: accepted });
}

/** Earlier versions booked some of the account's transfers in a market, as `adjustments`. */
function addTransfers(book: AccountBook, amount: Usdc): void {
  book.transfers = usdc(book.transfers + amount);
  book.collateral = usdc(book.collateral + amount);
}

/** Copies whole numbers of the same names: amounts as bigint, counts as number. */
function like<T extends object>(template: T, value: unknown): T {
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  const entries = Object.entries(template).map(([name, sample]) => {
    const found = fields[name];
    if (typeof found !== "bigint" && !Number.isSafeInteger(found))
      throw new OpeningError("opening_malformed", `an opening balance names no ${name}`, { facts: { name } });
    return [name, typeof sample === "bigint" ? BigInt(found as bigint | number) : found];
  });
  return Object.fromEntries(entries) as T;
}
