// The LOBSTER sample as values: messages, the ten best levels after each, and what the file tells of orders that it never introduces.

import { existsSync, readFileSync } from "node:fs";
import { type Price, price, type Side, type Size, size } from "../../src/domain/units.ts";

/** 1 new limit order, 2 partial cancel, 3 delete, 4 execution of a visible order, 5 execution of a hidden one. */
export type MessageType = 1 | 2 | 3 | 4 | 5;

export type Message = {
  readonly type: MessageType;
  /** The resting order's number. */
  readonly id: string;
  readonly size: Size;
  readonly price: Price;
  /** Of the resting order. */
  readonly side: Side;
};

export type TapeLevel = { readonly price: Price; readonly size: Size };
export type TapeBook = { readonly buy: readonly TapeLevel[]; readonly sell: readonly TapeLevel[] };

export type Tape = { readonly messages: readonly Message[]; readonly books: readonly TapeBook[] };

const MESSAGES = "../shared/data/lobster-aapl-messages.csv";
const BOOKS = "../shared/data/lobster-aapl-orderbook-10.csv";

/** Prices come as USD x 10,000, sizes as shares: one share is one contract. */
const priceOf = (text: string): Price => price(BigInt(text) * 10_000n);
const sizeOf = (text: string): Size => size(BigInt(text) * 1_000_000n);

/** Undefined when the files are not beside the project. */
export function readTape(): Tape | undefined {
  if (!existsSync(MESSAGES) || !existsSync(BOOKS)) return undefined;
  return { messages: rowsOf(MESSAGES).map(messageOf), books: rowsOf(BOOKS).map(bookOf) };
}

const rowsOf = (file: string): string[][] =>
  readFileSync(file, "utf8")
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(","));

function messageOf([, type, id, shares, at, direction]: string[]): Message {
  return {
    type: Number(type) as MessageType,
    id: id!,
    size: sizeOf(shares!),
    price: priceOf(at!),
    side: direction === "1" ? "buy" : "sell",
  };
}

/** Ask price, ask size, bid price, bid size, level by level. */
function bookOf(cells: string[]): TapeBook {
  const buy: TapeLevel[] = [];
  const sell: TapeLevel[] = [];
  for (let at = 0; at < cells.length; at += 4) {
    sell.push({ price: priceOf(cells[at]!), size: sizeOf(cells[at + 1]!) });
    buy.push({ price: priceOf(cells[at + 2]!), size: sizeOf(cells[at + 3]!) });
  }
  return { buy, sell };
}

/** An order that no message of the tape introduces; without a number where none names it. */
export type Seed = { readonly id: string | null } & Pick<Message, "size" | "price" | "side">;

/** Orders that the tape only ever takes from, oldest first (numbers grow with time), each as large as all that is taken from it. */
export function unintroduced(messages: readonly Message[]): readonly Seed[] {
  const introduced = new Set<string>();
  const seeds = new Map<string, Seed>();
  for (const { type, id, size: taken, price: at, side } of messages) {
    if (type === 1) introduced.add(id);
    if (type === 1 || type === 5 || introduced.has(id)) continue;
    seeds.set(id, { id, size: size((seeds.get(id)?.size ?? 0n) + taken), price: at, side });
  }
  return [...seeds.values()].sort((a, b) => Number(a.id) - Number(b.id));
}

/** `missing` at a level as orders: those that later messages name first, in their order, and the rest as one without a number. */
export function seedsFor(level: Omit<Seed, "id" | "size">, missing: bigint, named: readonly Seed[]): readonly Seed[] {
  const known = named.filter((seed) => seed.side === level.side && seed.price === level.price);
  const rest = known.reduce((left, seed) => left - seed.size, missing);
  if (rest < 0n) throw new Error(`more is known of level ${level.price} than the file shows of it`);
  return rest === 0n ? known : [...known, { id: null, size: size(rest), price: level.price, side: level.side }];
}
