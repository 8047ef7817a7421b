// The terminal's line says what is held and quoted, and why nothing is.

import { expect, test } from "vitest";
import type { MarketStatus, Status } from "../../../../src/bot/dashboard/status.ts";
import { lackLines, summaryLines } from "../../../../src/bot/dashboard/summary.ts";

const market: MarketStatus = {
  marketId: 1,
  name: "USA-HPI",
  strategy: "glft",
  state: "active",
  position: 0,
  oraclePrice: 216.94,
  oracleValidUntilSec: null,
  bestBid: null,
  bestAsk: null,
  fairValue: null,
  quotesReason: null,
  bids: [],
  asks: [{ orderId: "7", price: 217.18, size: 0.5, state: "working", queueAhead: 0 }],
  buy: { quoting: true, reason: null, sentence: null },
  sell: { quoting: true, reason: null, sentence: null },
  gates: [{ gate: "book", open: true, reason: null }],
  pnl: { valuation: "print", spread: 0, inventory: 0, jump: 0, funding: 0, fees: 0, total: 0.456 },
  pnlAtMid: { valuation: "mid", spread: 0, inventory: 0, jump: 0, funding: 0, fees: 0, total: 0.4 },
  fillCount: 1,
  unknownOrders: 0,
  premium: null,
  shadow: null,
  trial: null,
  estimates: [],
  signals: [],
};

const lines = (changed: Partial<MarketStatus>, reasons: readonly string[] = []): readonly string[] =>
  summaryLines({
    phase: "trading",
    reasons,
    accounts: [{ markets: [{ ...market, ...changed }] }],
  } as unknown as Status);

test("position, oracle price, quotes and profit at both prices, and they fit beside the time into 100 columns", () => {
  expect(lines({})).toEqual(["USA-HPI flat, oracle 216.94, quotes —/217.18, PnL +0.46 print, +0.40 mid"]);
  expect(lines({ position: 0.597 })[0]).toContain("USA-HPI long 0.597, ");
  expect(lines({ position: -2 })[0]).toContain("USA-HPI short 2, ");
  const long = { name: "METRO-HPI", position: -0.597, bids: market.asks };
  expect(lines(long)[0]?.length).toBeLessThanOrEqual(100 - "00:00:00   ".length);
});

test("why nothing is quoted stands first, the closed gates with their market", () => {
  const gates = [{ gate: "marketStatus", open: false, reason: "the market is Paused" }];
  expect(lines({ gates }, ["account 12, USA-HPI, buy: not quoting because the market is Paused"])).toEqual([
    "not ready: account 12, USA-HPI, buy: not quoting because the market is Paused",
    expect.stringMatching(/, closed: marketStatus$/),
  ]);
});

test("each side that lacks quotes has a line, the others none", () => {
  const sell = { quoting: false, reason: "orderSize", sentence: "not quoting because size 3 exceeds maxOrderSize 2" };
  const status = { accounts: [{ accountId: "12", markets: [{ ...market, sell }, market] }] } as unknown as Status;
  expect(lackLines(status)).toEqual([`account 12, USA-HPI, sell: ${sell.sentence}`]);
});
