// The laws of the account book over random events of several markets: order and repetition do not matter, and the identity holds.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collateralOf, totalsOf } from "../../src/bot/accounting/totals.ts";
import { bookOf, said } from "../unit/bot/accounting/books.ts";
import { historyOfBook } from "../unit/bot/accounting/histories.ts";

/** Shuffled histories shrink slowly: a failure is reported as it is by then. */
const runs = { interruptAfterTimeLimit: 20_000 };

describe("an account book", () => {
  test("is the same for every order in which its events arrive", () => {
    fc.assert(
      fc.property(historyOfBook, fc.gen(), (events, pick) => {
        const shuffled = pick(() => fc.shuffledSubarray(events, { minLength: events.length }));
        expect(said(bookOf(...shuffled))).toEqual(said(bookOf(...events)));
      }),
      runs,
    );
  });

  test("is the same however often its events are told", () => {
    fc.assert(
      fc.property(historyOfBook, fc.gen(), (events, pick) => {
        const again = pick(() => fc.subarray(events));
        const told = pick(() =>
          fc.shuffledSubarray([...events, ...again], { minLength: events.length + again.length }),
        );
        expect(said(bookOf(...told))).toEqual(said(bookOf(...events)));
      }),
      runs,
    );
  });

  test("expects the collateral that realized PnL, funding, fees and transfers come to", () => {
    fc.assert(
      fc.property(historyOfBook, (events) => {
        const book = bookOf(...events);
        const { realizedPnl, funding, fees, transfers } = totalsOf(book);
        expect(collateralOf(book)).toBe(realizedPnl + funding - fees + transfers);
      }),
    );
  });

  test("counts the money of a fill once: by its own figures, by a transfer, or by the read that had it", () => {
    fc.assert(
      fc.property(historyOfBook, (events) => {
        const posted = new Set(
          events.flatMap((event) =>
            event.kind === "transfer" && event.reason === "fills" && event.marketId !== null ? event.fillKeys : [],
          ),
        );
        const told = new Map<string, bigint>();
        let others = 0n;
        for (const event of events) {
          if (event.kind === "funding" || event.kind === "transfer") others += event.amount;
          if (event.kind !== "fill" || event.money === "read" || posted.has(event.fill.key)) continue;
          const { key, fee, realizedPnl } = event.fill;
          if (fee !== null && realizedPnl !== null) told.set(key, realizedPnl - fee);
        }
        const untold = events.some(
          (event) => event.kind === "fill" && event.fill.fee !== null && event.fill.realizedPnl === null,
        );
        fc.pre(!untold);
        const fills = [...told.values()].reduce((sum, money) => sum + money, 0n);
        expect(collateralOf(bookOf(...events))).toBe(fills + others);
      }),
    );
  });
});
