// `quoin import` of Tardis and hftbacktest: whole books from changed levels, gaps told, unknown sides kept apart, wrong lines refused with
// nothing written.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { recordingOf } from "../../../src/backtest/recorded/recording.ts";
import { readSession, replaySession } from "../../../src/backtest/recorded/session.ts";
import type { Book } from "../../../src/domain/book.ts";
import { PROJECT, quoinDone } from "../../support/quoin.ts";
import { scratchFolder } from "../../support/scratch.ts";

const BOOK_HEAD = "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount";
const TRADE_HEAD = "exchange,symbol,timestamp,local_timestamp,id,side,price,amount";
/** Microseconds: seconds of 2023-11-14, 22:13:20 UTC. */
const at = (second: number): number => 1_700_000_000_000_000 + Math.round(second * 1e6);
const level = (second: number, side: "bid" | "ask", price: string, amount: string, isSnapshot = false): string =>
  `any,HOUSE,${at(second) - 5},${at(second)},${isSnapshot},${side},${price},${amount}`;
const trade = (second: number, side: string, price: string, amount: string): string =>
  `any,HOUSE,${at(second) - 5},${at(second)},id,${side},${price},${amount}`;
const SNAPSHOT = [
  level(0, "bid", "100.5", "1", true),
  level(0, "bid", "100", "2", true),
  level(0, "ask", "101", "3", true),
];

type Given = { readonly books: readonly string[]; readonly trades?: readonly string[]; readonly isPacked?: boolean };

async function imported({ books, trades, isPacked = false }: Given) {
  const folder = scratchFolder("import");
  const out = join(folder, "out");
  const write = (name: string, head: string, lines: readonly string[]): string => {
    const text = Buffer.from([head, ...lines, ""].join("\n"));
    writeFileSync(join(folder, name), isPacked ? gzipSync(text) : text);
    return join(folder, name);
  };
  const files = [
    write("book.csv", BOOK_HEAD, books),
    ...(trades === undefined ? [] : [write("trades.csv", TRADE_HEAD, trades)]),
  ];
  return { ...(await quoinDone(["import", ...files, "--from", "tardis", "--out", out])), out, folder };
}

const shown = ({ bids, asks }: Book): string =>
  `${bids.map(({ price, size }) => `${Number(size) / 1e6}@${Number(price) / 1e8}`).join(" ")} | ${asks.map(({ price, size }) => `${Number(size) / 1e6}@${Number(price) / 1e8}`).join(" ")}`;

/** Books and trades, in order, each with its second. */
const tape = (out: string): readonly string[] =>
  [...recordingOf(out)()].flatMap(({ instant, event }) => {
    if (event.kind === "book") return [`${instant.monotonicMs / 1000} ${shown(event.book)}`];
    if (event.kind === "trade")
      return [`${instant.monotonicMs / 1000} ${event.trade.takerSide} ${Number(event.trade.size) / 1e6}`];
    return event.kind === "streamOpened" || event.kind === "streamClosed" ? [event.kind] : [];
  });

const usual: Given = {
  books: [...SNAPSHOT, level(1, "bid", "100.5", "0"), level(1, "bid", "100.25", "4"), level(2, "ask", "101", "1.5")],
  trades: [trade(1, "sell", "100.5", "1"), trade(1.5, "unknown", "101", "0.25"), trade(2, "buy", "101", "1.5")],
};

test.each([false, true])(
  "changed levels become whole books, a trade before the book that it left (packed: %s)",
  async (isPacked) => {
    const { code, stderr, out } = await imported({ ...usual, isPacked });
    expect([code, stderr]).toEqual([
      0,
      "quoin: 1 trade of unknown side, in unknown-side-trades.csv and not in the recording\n",
    ]);
    expect(tape(out)).toEqual([
      "streamOpened",
      "1 1@100.5 2@100 | 3@101",
      "1 sell 1",
      "1 4@100.25 2@100 | 3@101",
      "2 buy 1.5",
      "2 4@100.25 2@100 | 1.5@101",
    ]);
    expect(readFileSync(join(out, "unknown-side-trades.csv"), "utf8")).toBe(
      `timestamp_us,symbol,price,size\r\n${at(1.5)},HOUSE,101,0.25\r\n`,
    );
    const { markets } = readSession(recordingOf(out));
    expect(markets.map(({ market: { name, tickSize } }) => [name, tickSize])).toEqual([["HOUSE", 50_000_000n]]);
  },
);

test("a snapshot after a reconnect replaces the book, whole, although it comes in two messages; the gap is told", async () => {
  const books = [
    ...SNAPSHOT,
    level(1, "ask", "101", "2"),
    level(11, "bid", "99", "7", true),
    level(11.001, "ask", "99.5", "8", true),
    level(12, "ask", "99.5", "6"),
  ];
  const { code, stderr, out, folder } = await imported({ books });
  expect([code, stderr]).toEqual([
    0,
    `quoin: ${join(folder, "book.csv")}:6: nothing for 10 s from 2023-11-14T22:13:21.000Z on, then a new snapshot\n`,
  ]);
  expect(tape(out)).toEqual([
    "streamOpened",
    "1 1@100.5 2@100 | 3@101",
    "1 1@100.5 2@100 | 2@101",
    "streamClosed",
    "streamOpened",
    "12 7@99 | 8@99.5",
    "12 7@99 | 6@99.5",
  ]);
});

test("a second snapshot right after the first is one of its own", async () => {
  const books = [
    ...SNAPSHOT,
    level(1, "bid", "100", "5", true),
    level(1, "ask", "100.5", "6", true),
    level(2, "bid", "100", "4"),
  ];
  const { out } = await imported({ books });
  expect(tape(out).at(-1)).toBe("2 4@100 | 6@100.5");
});

test("a silence is told, and what comes before the first snapshot is left out", async () => {
  const { code, stderr, out, folder } = await imported({
    books: [level(-1, "bid", "1", "1"), ...SNAPSHOT, level(90, "ask", "101", "2")],
  });
  expect([code, stderr]).toEqual([
    0,
    `quoin: ${join(folder, "book.csv")}:6: nothing for 90 s from 2023-11-14T22:13:20.000Z on\nquoin: 1 message before the first snapshot left out\n`,
  ]);
  expect(tape(out)).toHaveLength(3);
});

test.each([
  [
    "a time that goes back",
    [...SNAPSHOT, level(5, "bid", "100", "1"), level(4, "bid", "100", "2")],
    ":6: time goes back",
  ],
  ["a price of a word", [...SNAPSHOT, level(1, "bid", "dear", "1")], ':5: "dear" is not a decimal number'],
  [
    "more decimals than a size has",
    [...SNAPSHOT, level(1, "bid", "100", "0.1234567")],
    ':5: "0.1234567" has more than 6 decimals',
  ],
  ["a side of a word", [...SNAPSHOT, level(1, "middle" as "bid", "100", "1")], ":5: side is middle; allowed: bid, ask"],
  ["a line that is cut off", [...SNAPSHOT, "any,HOUSE,1"], ":5: has 3 cells; the head has 8"],
  ["a book without a snapshot", [level(0, "bid", "100", "1")], "it has no snapshot"],
  ["no line", [], "there is no message in it"],
])("%s: exit 2, and nothing is written", async (_, books, why) => {
  const { code, stderr, out } = await imported({ books });
  expect([code, stderr.includes(why)]).toEqual([2, true]);
  expect(existsSync(out)).toBe(false);
});

test("a packed file that is damaged is refused, and so are a missing file and half of LOBSTER", async () => {
  const folder = scratchFolder("import");
  const file = join(folder, "book.csv.gz");
  const packed = gzipSync([BOOK_HEAD, ...usual.books].join("\n"));
  for (const bytes of [
    packed.subarray(0, packed.length - 20),
    Buffer.concat([packed.subarray(0, -8), Buffer.alloc(8)]),
  ]) {
    writeFileSync(file, bytes);
    const { code, stderr } = await quoinDone(["import", file, "--from", "tardis", "--out", join(folder, "out")]);
    expect([code, stderr]).toEqual([2, `quoin: ${file} is packed by gzip, but cut off or damaged\n`]);
  }
  const missing = await quoinDone(["import", "absent.csv", "--from", "tardis", "--out", join(folder, "no")]);
  expect([missing.code, missing.stderr]).toEqual([2, "quoin: absent.csv: no such file\n"]);
  const half = await quoinDone(["import", file, "--out", join(folder, "no")]);
  expect(half.code).toBe(2);
  expect(existsSync(join(folder, "no"))).toBe(false);
});

test("a folder that has one of the files is left as it was: exit 1", async () => {
  const { out, folder } = await imported(usual);
  const others = level(0, "bid", "100.5", "1", true).replaceAll("1700000000", "1700009999");
  writeFileSync(join(folder, "other.csv"), [BOOK_HEAD, others].join("\n"));
  const before = readdirSync(out);
  const words = ["import", join(folder, "other.csv"), join(folder, "trades.csv"), "--from", "tardis", "--out", out];
  writeFileSync(join(folder, "trades.csv"), [TRADE_HEAD, trade(9999.5, "unknown", "100", "1"), ""].join("\n"));
  const { code, stderr } = await quoinDone(words);
  expect([code, stderr.split("\n").at(-2)]).toEqual([
    1,
    `quoin: ${out} cannot be written: a file of that name is there already; name another folder`,
  ]);
  expect(readdirSync(out)).toEqual(before);
});

test("what export writes for hftbacktest is read back: the same book at the end, and every trade", async () => {
  const folder = scratchFolder("import");
  const [file, out] = [join(folder, "market.npz"), join(folder, "out")];
  const sample = join(PROJECT, "docs/sample-session.qrec");
  await quoinDone(["export", sample, "--format", "hftbacktest", "--market", "1", "--out", file]);
  const { code, stderr } = await quoinDone(["import", file, "--from", "hftbacktest", "--out", out]);
  expect([code, stderr]).toEqual([0, ""]);
  const [first, again] = [recordingOf(sample), recordingOf(out)];
  const happened = [first, again].map((recording) => [...replaySession(recording, readSession(recording))]);
  const lastBooks = happened.map((all) => {
    const last = all.findLast(
      (each) => each.kind === "published" && each.published.kind === "book" && each.published.book.marketId === 1,
    );
    return last?.kind === "published" && last.published.kind === "book" ? shown(last.published.book) : "none";
  });
  expect(lastBooks[1]).toBe(lastBooks[0]);
  const trades = happened.map((all) =>
    all.flatMap((each) =>
      each.kind === "trade" && each.trade.marketId === 1
        ? [`${each.trade.takerSide} ${each.trade.price} ${each.trade.size}`]
        : [],
    ),
  );
  expect(trades[1]).toEqual(trades[0]);
});
