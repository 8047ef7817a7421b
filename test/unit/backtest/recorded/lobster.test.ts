// A day of LOBSTER as a session: what each kind of line becomes, and how a wrong one is refused.

import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { lobsterSession } from "../../../../src/backtest/recorded/lobster.ts";
import { readSession, replaySession } from "../../../../src/backtest/recorded/session.ts";

const NAME = "AAPL_2012-06-21_34200000_57600000_message_1.csv";
const session = (messages: string, books: string) => [
  ...lobsterSession(
    { file: NAME, chunks: [Buffer.from(messages)] },
    { file: "book.csv", chunks: [Buffer.from(books)] },
  ),
];
const BOOK = "5859400,200,5853300,18";

test("lines become books, executions trades of one taker, and times those of the day in the file's name", () => {
  const messages = [
    "34200.004241176,1,16113575,18,5853300,1",
    "34200.5,4,16113575,10,5853300,1",
    "34200.5,4,16113576,8,5853200,1",
    "34206.25,5,0,100,5859000,-1",
  ].join("\n");
  const events = session(messages, [BOOK, BOOK, BOOK, `${BOOK}\n`].join("\r\n"));
  const trades = events.flatMap(({ event }) => (event.kind === "trade" ? [event.trade] : []));
  expect(trades.map(({ takerSide, price, size }) => [takerSide, `${price}`, `${size}`])).toEqual([
    ["sell", "58533000000", "10000000"],
    ["sell", "58532000000", "8000000"],
    ["buy", "58590000000", "100000000"],
  ]);
  expect(new Set(trades.map(({ takerOrderId }) => takerOrderId)).size).toBe(2);
  expect(new Date(events.at(-1)?.instant.wallMs ?? 0).toISOString()).toBe("2012-06-21T09:30:06.250Z");
  const [book] = events.flatMap(({ event }) => (event.kind === "book" ? [event.book] : []));
  expect(book).toEqual({
    marketId: 1,
    asks: [{ price: 58_594_000_000n, size: 200_000_000n, orderCount: 1 }],
    bids: [{ price: 58_533_000_000n, size: 18_000_000n, orderCount: 1 }],
  });
});

test("an empty level is none, and a halt pauses the market until trade resumes", () => {
  const events = session(
    "34200.1,7,0,0,-1,-1\n34260.2,7,0,0,0,-1\n34320.3,7,0,0,1,-1",
    "9999999999,0,5853300,18\n9999999999,0,-9999999999,0\n5859400,200,5853300,18",
  );
  const statuses = events.flatMap(({ event }) => (event.kind === "marketRead" ? [event.market.status] : []));
  expect(statuses).toEqual(["Active", "Paused", "Paused", "Active"]);
  const books = events.flatMap(({ event }) => (event.kind === "book" ? [event.book] : []));
  expect(books.map(({ bids, asks }) => [bids.length, asks.length])).toEqual([
    [1, 0],
    [0, 0],
    [1, 1],
  ]);
});

test.each([
  [
    "a header",
    "Time,Type,OrderID,Size,Price,Direction",
    BOOK,
    `${NAME}:1: time is Time; needed: seconds after midnight`,
  ],
  [
    "too few cells",
    "34200.1,1,1,18",
    BOOK,
    `${NAME}:1: has 4 cells; needed: time, type, order, size, price, direction`,
  ],
  ["a type that is none", "34200.1,9,1,18,5853300,1", BOOK, `${NAME}:1: type is 9; allowed: 1 to 7`],
  ["a direction that is none", "34200.1,1,1,18,5853300,0", BOOK, `${NAME}:1: direction is 0; allowed: 1, -1`],
  ["a price that is no number", "34200.1,1,1,18,58.5,1", BOOK, `${NAME}:1: price is 58.5; needed: a whole number`],
  ["half a level", "34200.1,1,1,18,5853300,1", "5859400,200", "book.csv:1: has 2 cells; needed: ask price, ask size"],
  ["a shorter book", "34200.1,1,1,18,5853300,1\n34200.2,3,1,18,5853300,1", BOOK, `${NAME}:2: has no line in book.csv`],
  ["a longer book", "34200.1,1,1,18,5853300,1", `${BOOK}\n${BOOK}`, `book.csv:2: has no line in ${NAME}`],
  [
    "a second day after the first",
    "34200.1,1,1,18,5853300,1\n57599.9,3,1,18,5853300,1\n34200.1,1,2,18,5853300,1",
    [BOOK, BOOK, BOOK].join("\n"),
    `${NAME}:3: time goes back from 57599.9 to 34200.1; needed: one day, in the order of time`,
  ],
  [
    "halves that were swapped",
    "45000.2,1,1,18,5853300,1\n45000.199999999,3,1,18,5853300,1",
    [BOOK, BOOK].join("\n"),
    `${NAME}:2: time goes back from 45000.2 to 45000.199999999`,
  ],
  ["nothing", "", "", `${NAME} is empty`],
])("refuses %s by its line", (_, messages, books, why) => {
  expect(() => session(messages, books)).toThrow(why);
});

const real = new URL("../../../../../shared/data/lobster-aapl-messages.csv", import.meta.url);
// The data lies beside the project, and a user's clone has none: CI has it.
test.skipIf(!existsSync(real))("reads real messages of AAPL (skipped without ../shared/data)", () => {
  const chunks = (url: URL) => [readFileSync(url)];
  const books = new URL("lobster-aapl-orderbook-10.csv", real);
  const recording = () =>
    lobsterSession({ file: "messages.csv", chunks: chunks(real) }, { file: "books.csv", chunks: chunks(books) });
  const found = readSession(recording);
  expect(found.markets.map(({ market }) => market.oraclePrice)).toEqual([58_563_000_000n]);
  let trades = 0;
  for (const { kind } of replaySession(recording, found)) if (kind === "trade") trades += 1;
  expect(trades).toBe(159);
});
