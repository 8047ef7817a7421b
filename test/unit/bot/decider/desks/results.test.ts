// Results as text for the ledger: exact there and back, and a text that is not whole is named and counts from zero.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  noResult,
  readResult,
  resultsOf,
  resultText,
  trustPrints,
} from "../../../../../src/bot/decider/desks/results.ts";
import { Ledger } from "../../../../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../../../../src/bot/ledger/memory/memory.ts";
import { noPremiumRecord } from "../../../../../src/bot/strategy/premium.ts";
import { accountId, price, size, usdc } from "../../../../../src/domain/units.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";

const amount = fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n }).map(usdc);
const day = fc.option(fc.record({ day: fc.nat(), before: amount, result: fc.record({ pnl: amount, best: amount }) }), {
  nil: null,
});

test("law: what is written is read back, to the base unit", () => {
  const printed = fc.bigInt({ min: 0n, max: 2n ** 90n }).map(price);
  const markPrice = fc.option(printed, { nil: null });
  const print = { price: printed, publishedMs: fc.nat() };
  const prints = fc.record({
    trusted: fc.option(fc.record(print), { nil: null }),
    doubtful: fc.option(fc.record({ ...print, isDated: fc.boolean() }), { nil: null }),
    newestMs: fc.nat(),
    intervalsMs: fc.array(fc.nat()),
    against: fc.constant(null),
  });
  const amount = fc.bigInt().map(usdc);
  const contracts = fc.bigInt().map(size);
  const sums = fc.record({ blocks: fc.nat(), xx: fc.nat(), xy: fc.integer(), yy: fc.nat() });
  const premium = fc.option(
    fc.record({
      target: contracts,
      share: fc.record({ holding: fc.record({ inventory: contracts, cost: amount }), funding: amount }),
      from: fc.option(amount, { nil: null }),
      stopped: fc.option(fc.string(), { nil: null }),
      record: sums.map((of) => ({ ...noPremiumRecord, sums: of })),
    }),
    { nil: null },
  );
  fc.assert(
    fc.property(fc.record({ markPrice, day, prints, premium }), (result) => {
      expect(readResult(resultText(result))).toEqual(result);
    }),
  );
});

describe("what a later run finds", () => {
  const account = accountId(12n);
  const ledgerWith = (rows: readonly (readonly [number | null, string])[]) => {
    const ledger = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
    for (const [marketId, state] of rows)
      ledger.keep({ kind: "result", result: { accountId: account, marketId, state, atMs: 1 } });
    return ledger.read;
  };

  test("nothing in a new ledger", () => {
    expect(resultsOf(ledgerWith([]), account)).toEqual({ results: new Map(), faults: [] });
  });

  test("each market's and the account's, and of others nothing", () => {
    const loss = { day: 3, before: usdc(0n), result: { pnl: usdc(-7n), best: usdc(0n) } };
    const [market, whole] = [
      { ...noResult, markPrice: price(21_700n), day: loss },
      { ...noResult, day: loss },
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

  test("a row of an earlier version trusts no print yet", () => {
    expect(readResult('{"markPrice":null,"day":null}')).toEqual(noResult);
  });

  test("an operator's word makes the unconfirmed print a trusted one, in the market that is named", () => {
    const [trusted, doubtful] = [
      { price: price(200n), publishedMs: 1 },
      { price: price(300n), publishedMs: 2 },
    ];
    const prints = { ...noResult.prints, trusted, doubtful: { ...doubtful, isDated: true } };
    const ledger = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
    const held = () => resultsOf(ledger.read, account).results.get(7)?.prints;
    ledger.keep({
      kind: "result",
      result: { accountId: account, marketId: 7, state: resultText({ ...noResult, prints }), atMs: 1 },
    });
    trustPrints(ledger, account, 8, 2);
    expect(held()).toEqual(prints);
    trustPrints(ledger, account, null, 3);
    expect(held()).toEqual({ ...prints, trusted: doubtful, doubtful: null });
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
