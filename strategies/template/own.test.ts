// Checks how the strategy quotes in test markets: `npx node --test own.test.ts`. Change a parameter or a line, and see the effect.

import assert from "node:assert/strict";
import { contractsOf, marketView, startStrategy, type Unusual, usdOf } from "quoin/testing";

// Under Vitest, in a checkout of Quoin, this is Vitest's `test`.
const runner = process.env.VITEST === undefined ? "node:test" : "vitest";
const { test } = (await import(runner)) as Pick<typeof import("node:test"), "test">;

// Parameters as in a configuration; omitted ones have their default.
const quote = await startStrategy(new URL("own.ts", import.meta.url), { size: 0.5, maxInventory: 5 });

/** One turn in a market: prices in USD and sizes in contracts, best first. */
function quoted(market: Unusual = {}) {
  const { quotes } = quote(marketView(market));
  const side = (which: "buy" | "sell") => {
    const orders = quotes.filter(({ side }) => side === which);
    return { usd: orders.map(({ price }) => usdOf(price)), sizes: orders.map(({ size }) => contractsOf(size)) };
  };
  return { bids: side("buy"), asks: side("sell"), isReducing: quotes.every(({ reduceOnly }) => reduceOnly) };
}

/** Best bid and best ask, USD. */
const bestOf = ({ bids, asks }: ReturnType<typeof quoted>) => [Math.max(...bids.usd), Math.min(...asks.usd)] as const;

test("quotes two orders on both sides of the mid, the outer ones larger", () => {
  const { bids, asks } = quoted({ midUsd: 200 });
  assert.deepEqual(
    [bids.sizes, asks.sizes],
    [
      [0.5, 1],
      [0.5, 1],
    ],
  );
  assert.ok(Math.max(...bids.usd) < 200 && Math.min(...asks.usd) > 200);
});

test("quotes wider while the price moves more", () => {
  const [calmBid, calmAsk] = bestOf(quoted({ volatilityBps: 0.5 }));
  const [wildBid, wildAsk] = bestOf(quoted({ volatilityBps: 5 }));
  assert.ok(wildBid < calmBid && wildAsk > calmAsk);
});

test("shifts all quotes against the position", () => {
  const [flat, long, short] = [0, 3, -3].map((position) => quoted({ position }));
  assert.ok(flat && long && short);
  for (const side of [0, 1] as const) {
    assert.ok(bestOf(long)[side] < bestOf(flat)[side]);
    assert.ok(bestOf(short)[side] > bestOf(flat)[side]);
  }
});

test("only reduces a position that is at its maximum", () => {
  for (const position of [5, 6, -5, -6]) {
    const { bids, asks, isReducing } = quoted({ position });
    const [adding, reducing] = position > 0 ? [bids, asks] : [asks, bids];
    assert.deepEqual(adding.sizes, []);
    assert.ok(reducing.sizes.length > 0 && isReducing);
  }
});

test("quotes nothing, and says why, while the price or the position is not known", () => {
  for (const unknown of [{ midUsd: null }, { position: null }]) {
    const { quotes, reason } = quote(marketView(unknown));
    assert.equal(quotes.length, 0);
    assert.match(reason ?? "", /unknown/);
  }
});

test("refuses parameters beyond their bounds", async () => {
  await assert.rejects(startStrategy(new URL("own.ts", import.meta.url), { size: 0, maxInventory: 5 }), /size/);
});
