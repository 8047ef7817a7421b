// PnL by day: days add up to the book, each event counts in its own day, and positions are worth what they were by the end of each.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { BookEvent } from "../../../../src/bot/accounting/account-book.ts";
import { pnlComponents, pnlOf } from "../../../../src/bot/accounting/market-book.ts";
import { Ledger } from "../../../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../../../src/bot/ledger/memory/memory.ts";
import { isQuiet, pnlByDay, type SpanPnl, valuations } from "../../../../src/bot/ledger/pnl-by-span.ts";
import { bookOf } from "../../../../src/bot/ledger/rebuild.ts";
import { accountId, price } from "../../../../src/domain/units.ts";
import { DAY_MS, systemClock } from "../../../../src/kernel/clock.ts";
import { filled, positionRead, transferOf } from "../accounting/books.ts";
import { historyOfBook } from "../accounting/histories.ts";
import { inOrder, keep } from "./kept-books.ts";

const account = accountId(12n);
const open = () => new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
const at = (day: number, ms = 0): number => day * DAY_MS + ms;
const mark = (ledger: Ledger, day: number, print: bigint, mid: bigint, marketId = 1): boolean =>
  ledger.keep({
    kind: "mark",
    mark: { accountId: account, marketId, day, name: "A", print: price(print), mid: price(mid), atMs: at(day) },
  });
const days = (ledger: Ledger): readonly SpanPnl[] => {
  ledger.commit();
  return [...pnlByDay(ledger.read, account)];
};

test("law: the days of a market add up to its book at the last prices, and the five sources to each total", () => {
  fc.assert(
    fc.property(historyOfBook, fc.infiniteStream(fc.nat(4)), fc.nat(400), (history, dayOf, mid) => {
      const ledger = open();
      for (const event of inOrder(history)) keep(ledger, event, at(dayOf.next().value));
      for (const marketId of [1, 2]) mark(ledger, 2, 777n, BigInt(mid), marketId);
      const all = days(ledger);
      for (const [marketId, market] of bookOf(ledger.read, account).markets) {
        const rows = all.filter((row) => row.marketId === marketId);
        for (const [valuation, last] of [
          ["print", 777n],
          ["mid", BigInt(mid)],
        ] as const) {
          const sumOf = (component: (typeof pnlComponents)[number]) =>
            rows.reduce((sum, { pnl }) => sum + pnl[valuation][component], 0n);
          const expected = pnlOf(market, price(last));
          for (const component of pnlComponents) expect(sumOf(component)).toBe(expected[component]);
        }
      }
      for (const { pnl } of all)
        for (const { total, ...sources } of valuations.map((valuation) => pnl[valuation]))
          expect(Object.values(sources).reduce((sum, each) => sum + each, 0n)).toBe(total);
    }),
  );
});

const contracts = 1_000_000n;
const usd = (dollars: number): bigint => BigInt(Math.round(dollars * 1e8));
const buy = (key: string, dollars: number, timestampMs: number): BookEvent =>
  filled(
    { key, side: "buy", price: usd(dollars), size: contracts, fee: -10n, timestampMs },
    { referencePrice: usd(200) },
  );

test("a fill belongs to the day that the exchange executed it in, however late it was heard of", () => {
  const ledger = open();
  keep(ledger, transferOf("opening", 0n), at(1));
  keep(ledger, positionRead({ inventory: 0n, entryPrice: 0n, oraclePrice: usd(200) }), at(1));
  keep(ledger, buy("next", 201, at(2)), at(2));
  keep(ledger, buy("late", 199, at(2, -1)), at(2, 5));
  mark(ledger, 1, usd(200), usd(199.5));
  mark(ledger, 2, usd(203), usd(202));
  const [first, second] = days(ledger);
  expect(first).toMatchObject({ span: 1, fills: 1, volume: 199_000_000n });
  expect(first?.pnl.print).toEqual({
    spread: 1_000_000n,
    inventory: 0n,
    jump: 0n,
    funding: 0n,
    fees: 10n,
    total: 1_000_010n,
  });
  expect(first?.pnl.mid.total).toBe(500_010n);
  // Two contracts now: one moved by 3 at the print, the other was bought at 201.
  expect(second).toMatchObject({
    span: 2,
    fills: 1,
    pnl: { print: { total: 5_000_010n }, mid: { total: 3_500_010n } },
  });
});

test("a day without fills shows what the price moved under the position; one on which nothing moved is left out", () => {
  const ledger = open();
  keep(ledger, positionRead({ inventory: contracts, entryPrice: usd(200), oraclePrice: usd(200) }), at(1));
  for (const [day, dollars] of [
    [1, 200],
    [2, 200],
    [3, 198],
  ] as const)
    mark(ledger, day, usd(dollars), usd(dollars));
  expect(
    days(ledger)
      .filter((row) => !isQuiet(row))
      .map(({ span, fills, pnl }) => [span, fills, pnl.print.inventory]),
  ).toEqual([[3, 0, -2_000_000n]]);
});

test("before the first mark of an older ledger, positions are worth the oracle price of the last read", () => {
  const ledger = open();
  keep(ledger, positionRead({ inventory: 0n, entryPrice: 0n, oraclePrice: usd(200) }), at(1));
  keep(ledger, buy("a", 200, at(1, 5)), at(1));
  keep(
    ledger,
    positionRead({ number: 2, inventory: contracts, entryPrice: usd(200), oraclePrice: usd(204) }),
    at(1, 9),
  );
  expect(days(ledger)[0]?.pnl).toMatchObject({ print: { total: 4_000_010n }, mid: { total: 4_000_010n } });
});
