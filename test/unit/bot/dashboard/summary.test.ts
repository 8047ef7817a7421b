// The terminal's line says what is held and quoted, and why nothing is.

import { expect, test } from "vitest";
import type { MarketStatus, Status } from "../../../../src/bot/dashboard/status.ts";
import { lackLines, summaryLine } from "../../../../src/bot/dashboard/summary.ts";

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
  asks: [{ price: 217.18, size: 0.5, state: "working" }],
  buy: { quoting: true, reason: null, sentence: null },
  sell: { quoting: true, reason: null, sentence: null },
  gates: [{ gate: "book", open: true, reason: null }],
  pnl: { spread: 0, inventory: 0, jump: 0, funding: 0, fees: 0, total: 0.456 },
  fillCount: 1,
  unknownOrders: 0,
};

const line = (changed: Partial<MarketStatus>, reasons: readonly string[] = []): string =>
  summaryLine({ phase: "trading", reasons, accounts: [{ markets: [{ ...market, ...changed }] }] } as unknown as Status);

test("position, oracle price, quotes, profit and gates", () => {
  expect(line({})).toBe(
    "trading | USA-HPI flat, oracle 216.94, quotes — / 217.18, PnL +0.46 USDC (1 fill), gates open",
  );
  expect(line({ position: 0.597, fillCount: 2 })).toContain("USA-HPI long 0.597, ");
  expect(line({ position: -2, fillCount: 0 })).toContain("(0 fills)");
  expect(line({ position: -2 })).toContain("USA-HPI short 2, ");
});

test("why nothing is quoted stands first, the closed gates with their market", () => {
  const gates = [{ gate: "marketStatus", open: false, reason: "the market is Paused" }];
  const text = line({ gates }, ["account 12, USA-HPI, buy: not quoting because the market is Paused (marketStatus)"]);
  expect(text).toMatch(
    /^not ready: account 12, USA-HPI, buy: not quoting because the market is Paused \(marketStatus\) \| /,
  );
  expect(text).toMatch(/, closed: marketStatus$/);
});

test("each side that lacks quotes has a line, the others none", () => {
  const sell = { quoting: false, reason: "orderSize", sentence: "not quoting because size 3 exceeds maxOrderSize 2" };
  const status = { accounts: [{ accountId: "12", markets: [{ ...market, sell }, market] }] } as unknown as Status;
  expect(lackLines(status)).toEqual([`account 12, USA-HPI, sell: ${sell.sentence}`]);
});
