// Results as text for the ledger: exact there and back, and a text that is not whole is named and counts from zero.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startPnl } from "../../../../../src/bot/accounting/market-book.ts";
import { Ledger } from "../../../../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../../../../src/bot/ledger/memory/memory.ts";
import {
  accountResultText,
  type MarketResult,
  marketResultText,
  noAccountResult,
  noMarketResult,
  readAccountResult,
  readMarketResult,
  resultsOf,
} from "../../../../../src/bot/service/desks/results.ts";
import { accountId, price, size, usdc } from "../../../../../src/domain/units.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";

const amount = fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n }).map(usdc);
const day = fc.option(fc.record({ day: fc.nat(), before: amount, result: fc.record({ pnl: amount, best: amount }) }), {
  nil: null,
});
const pnl = startPnl({ inventory: size(-3_000_000n), entryPrice: price(21_694n), oraclePrice: price(21_700n) });

test("law: what is written is read back, to the base unit", () => {
  fc.assert(
    fc.property(amount, day, fc.boolean(), (unassigned, known, held) => {
      const market: MarketResult = { pnl: held ? { ...pnl, realized: unassigned } : null, day: known };
      expect(readMarketResult(marketResultText(market))).toEqual(market);
      expect(readAccountResult(accountResultText({ unassigned, day: known }))).toEqual({ unassigned, day: known });
    }),
  );
});

test("of the keys of fills only the newest are kept: the ledger knows them all", () => {
  const bookedKeys = Array.from({ length: 500 }, (_, n) => `key ${n}`);
  const read = readMarketResult(marketResultText({ pnl: { ...pnl, bookedKeys }, day: null }));
  expect(read.pnl?.bookedKeys.at(-1)).toBe("key 499");
  expect(read.pnl?.bookedKeys.length).toBeLessThan(50);
});

describe("what a later life finds", () => {
  const account = accountId(12n);
  const ledgerWith = (rows: readonly (readonly [number | null, string])[]) => {
    const ledger = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
    for (const [marketId, state] of rows) ledger.result({ accountId: account, marketId, state, atMs: 1 });
    return ledger.read;
  };

  test("nothing in a new ledger", () => {
    expect(resultsOf(ledgerWith([]), account)).toEqual({ account: noAccountResult, markets: new Map(), faults: [] });
  });

  test("each market's and the account's, and of others nothing", () => {
    const loss = { day: 3, before: usdc(0n), result: { pnl: usdc(-7n), best: usdc(0n) } };
    const read = ledgerWith([
      [1, marketResultText({ pnl, day: loss })],
      [null, accountResultText({ unassigned: usdc(-5n), day: loss })],
    ]);
    expect(resultsOf(read, account)).toEqual({
      account: { unassigned: -5n, day: loss },
      markets: new Map([[1, { pnl, day: loss }]]),
      faults: [],
    });
    expect(resultsOf(read, accountId(13n)).markets.size).toBe(0);
  });

  test.each(["", "{}", "[]", '{"pnl":{"inventory":1},"day":null}', '{"pnl":null,"day":{"day":1}}', "null"])(
    "a row that says %j counts from zero and is named",
    (text) => {
      const found = resultsOf(
        ledgerWith([
          [7, text],
          [8, marketResultText(noMarketResult)],
        ]),
        account,
      );
      expect([...found.markets.keys()]).toEqual([8]);
      expect(found.faults).toEqual([expect.stringMatching(/market 7 of account 12 .* counts from zero/)]);
    },
  );
});
