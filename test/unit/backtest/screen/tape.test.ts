// What is written on a tape is what it plays, whatever the order of books, trades and reads.

import { deserialize, serialize } from "node:v8";
import fc from "fast-check";
import { expect, test } from "vitest";
import { play, type TapeEvent, TapeWriter } from "../../../../src/backtest/screen/tape.ts";
import { price } from "../../../../src/domain/units.ts";
import { at, bookOf, contracts, head, level, MARKET, market, oracle, tapeOf, tradeOf } from "./scene.ts";

const side = (isBid: boolean) =>
  fc
    .uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 8 })
    .chain((steps) =>
      fc.tuple(...steps.map((step) => fc.integer({ min: 1, max: 9 }).map((count) => ({ step, count })))),
    )
    .map((levels) =>
      levels
        .toSorted((a, b) => a.step - b.step)
        .map(({ step, count }) => level(21_700 + (isBid ? -step : step), count)),
    );

const written = fc.oneof(
  fc.tuple(side(true), side(false)).map(([bids, asks]) => ({ kind: "book" as const, book: bookOf(bids, asks) })),
  fc
    .tuple(
      fc.constantFrom("buy" as const, "sell" as const),
      fc.integer({ min: 1, max: 60_000 }),
      fc.integer({ min: 1, max: 99 }),
    )
    .map(([of, ticks, count]) => ({ kind: "trade" as const, trade: tradeOf(of, ticks, count) })),
  fc.option(fc.integer({ min: 1, max: 60_000 })).map((mark) => ({
    kind: "marketRead" as const,
    market: { ...market, markPrice: mark === null ? null : at(mark) },
    askedMs: 0,
  })),
  fc.integer({ min: 1, max: 60_000 }).map((ticks) => ({
    kind: "oracleRead" as const,
    oracle: { ...oracle, price: at(ticks) },
    askedMs: 0,
  })),
);

/** What of an event is more than when it came. */
const said = (event: TapeEvent | (typeof written extends fc.Arbitrary<infer E> ? E : never)): unknown => {
  if (event.kind === "book") return event.book;
  if (event.kind === "trade") return { ...event.trade, txHash: "", timestampMs: null };
  if (event.kind === "marketRead") return event.market;
  return event.kind === "oracleRead" ? event.oracle : null;
};

test("a tape plays what was written, also once it was stored", () => {
  fc.assert(
    fc.property(fc.array(written, { maxLength: 40 }), (events) => {
      const tape = tapeOf((writer) => {
        for (const [nth, event] of events.entries())
          writer.take(Math.floor(nth / 2) * 200, { ...event, receivedMs: 0 });
      });
      const heard: TapeEvent[] = [];
      play(deserialize(serialize(tape)), (_, some) => heard.push(...some));
      // What says what the last one said is left out.
      const last = { book: { bids: [], asks: [] } as unknown, marketRead: market as unknown };
      const news = events.filter((event) => {
        if (event.kind !== "book" && event.kind !== "marketRead") return true;
        const now = said(event);
        const before = event.kind === "book" ? levelsOf(last.book) : last.marketRead;
        const isNews = text(event.kind === "book" ? levelsOf(now) : now) !== text(before);
        last[event.kind] = now;
        return isNews;
      });
      expect(heard.map(({ kind }) => kind)).toEqual(news.map(({ kind }) => kind));
      expect(heard.map(said)).toEqual(
        news.map((event) => ({ ...(said(event) as object), ...(event.kind === "trade" ? { txHash: "" } : {}) })),
      );
    }),
  );
});

const levelsOf = (book: unknown): unknown => {
  const { bids, asks } = book as { readonly bids: unknown; readonly asks: unknown };
  return { bids, asks };
};
const text = (value: unknown): string => JSON.stringify(value, (_, of) => (typeof of === "bigint" ? `${of}` : of));

test("events of one instant come together, and instants in order", () => {
  const tape = tapeOf((writer) => {
    writer.take(0, { kind: "book", book: bookOf([level(21_690, 1)], [level(21_710, 1)]), receivedMs: 0 });
    writer.take(200, { kind: "trade", trade: tradeOf("buy", 21_710, 1), receivedMs: 200 });
    writer.take(200, { kind: "book", book: bookOf([level(21_690, 1)], []), receivedMs: 200 });
  });
  const instants: (readonly [number, readonly string[]])[] = [];
  play(tape, (atMs, events) => instants.push([atMs, events.map(({ kind }) => kind)]));
  expect(instants).toEqual([
    [0, ["book"]],
    [200, ["trade", "book"]],
  ]);
});

test("a price between two ticks, and a market that is not on the tape", () => {
  const off = { price: price(at(21_690) + 1n), size: contracts(1), orderCount: 1 };
  expect(() => tapeOf((writer) => writer.take(0, { kind: "book", book: bookOf([off], []), receivedMs: 0 }))).toThrow(
    RangeError,
  );
  const other = tapeOf((writer) =>
    writer.take(0, { kind: "book", book: { ...bookOf([level(1, 1)], []), marketId: MARKET + 1 }, receivedMs: 0 }),
  );
  expect(other.atMs).toHaveLength(0);
  expect(() =>
    new TapeWriter(head).take(2 ** 32, { kind: "trade", trade: tradeOf("buy", 1, 1), receivedMs: 0 }),
  ).toThrow("49 days");
});
