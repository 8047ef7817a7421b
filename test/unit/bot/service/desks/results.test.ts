// Results as text for the ledger: exact there and back, and a text that is not whole is named and counts from zero.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Ledger } from "../../../../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../../../../src/bot/ledger/memory/memory.ts";
import { noResult, readResult, resultsOf, resultText } from "../../../../../src/bot/service/desks/results.ts";
import { accountId, price, usdc } from "../../../../../src/domain/units.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";

const amount = fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n }).map(usdc);
const day = fc.option(fc.record({ day: fc.nat(), before: amount, result: fc.record({ pnl: amount, best: amount }) }), {
  nil: null,
});

test("law: what is written is read back, to the base unit", () => {
  const markPrice = fc.option(fc.bigInt({ min: 0n, max: 2n ** 90n }).map(price), { nil: null });
  fc.assert(
    fc.property(fc.record({ markPrice, day }), (result) => {
      expect(readResult(resultText(result))).toEqual(result);
    }),
  );
});

describe("what a later life finds", () => {
  const account = accountId(12n);
  const ledgerWith = (rows: readonly (readonly [number | null, string])[]) => {
    const ledger = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
    for (const [marketId, state] of rows) ledger.result({ accountId: account, marketId, state, atMs: 1 });
    return ledger.read;
  };

  test("nothing in a new ledger", () => {
    expect(resultsOf(ledgerWith([]), account)).toEqual({ results: new Map(), faults: [] });
  });

  test("each market's and the account's, and of others nothing", () => {
    const loss = { day: 3, before: usdc(0n), result: { pnl: usdc(-7n), best: usdc(0n) } };
    const [market, whole] = [
      { markPrice: price(21_700n), day: loss },
      { markPrice: null, day: loss },
    ];
    const read = ledgerWith([
      [1, resultText(market)],
      [null, resultText(whole)],
    ]);
    expect(resultsOf(read, account)).toEqual({
      results: new Map<number | null, unknown>([
        [1, market],
        [null, whole],
      ]),
      faults: [],
    });
    expect(resultsOf(read, accountId(13n)).results.size).toBe(0);
  });

  test.each(["", "{}", "[]", '{"markPrice":"1","day":null}', '{"markPrice":null,"day":{"day":1}}', "null"])(
    "a row that says %j counts from zero and is named",
    (text) => {
      const found = resultsOf(
        ledgerWith([
          [7, text],
          [8, resultText(noResult)],
        ]),
        account,
      );
      expect([...found.results.keys()]).toEqual([8]);
      expect(found.faults).toEqual([expect.stringMatching(/market 7 of account 12 .* counts from zero/)]);
    },
  );
});
