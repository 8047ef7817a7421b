// One picture of a daemon for a terminal: it fits, and color says nothing that words do not.

import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { MarketStatus, Status } from "../../../src/bot/dashboard/status.ts";
import { frameOf, wrapped } from "../../../src/cli/top/frame.ts";

const side = { quoting: true, reason: null, sentence: null };
const market: MarketStatus = {
  marketId: 1,
  name: "USA-HPI",
  strategy: "avellaneda-stoikov",
  state: "halted",
  position: -1.5,
  oraclePrice: 216.94,
  oracleValidUntilSec: 1000,
  bestBid: 216.9,
  bestAsk: null,
  fairValue: 216.95,
  quotesReason: null,
  bids: [
    { orderId: "7", price: 216.86, size: 0.5, state: "working", queueAhead: 1.6 },
    { orderId: "8", price: 216.85, size: 0.5, state: "working", queueAhead: 0 },
    { orderId: null, price: 216.84, size: 0.5, state: "inFlight", queueAhead: null },
  ],
  asks: [],
  buy: side,
  sell: { ...side, sentence: "not quoting because the market is halted by an operator for a reason that is long" },
  gates: [{ gate: "oracle", open: false, reason: "the oracle is Stale" }],
  pnl: { valuation: "print", spread: 0, inventory: 0, jump: 0, funding: 0, fees: 0, total: -3.456 },
  pnlAtMid: { valuation: "mid", spread: 0, inventory: 0, jump: 0, funding: 0, fees: 0, total: -4 },
  fillCount: 1,
  unknownOrders: 0,
  premium: null,
  shadow: null,
  trial: null,
  estimates: [],
  signals: [],
};
const status: Status = {
  version: "0.1.0",
  commit: "unknown",
  config: "abc",
  chainId: "venue-v4:devnet:chain-2",
  height: 7,
  chainTimeOffsetMs: 0,
  tokenCommand: "quoin token",
  startedAtMs: 0,
  nowMs: 956_000,
  phase: "trading",
  reasons: ["account 12, USA-HPI, sell: not quoting because the market is halted"],
  fileDifferences: ["a change of server needs a restart; it was not applied"],
  proposals: [],
  accounts: [
    {
      accountId: "12",
      isPaper: false,
      equityUsdc: 1000,
      equityAtMidUsdc: 999.456,
      marginRatio: null,
      agentKeyExpiresAtSec: null,
      state: "halted",
      latches: ["operator: a test"],
      markets: [market],
    },
  ],
};
const URL = "http://127.0.0.1:9464";

test("says what is held, quoted and closed, and why", () => {
  const text = frameOf(status, URL, { columns: 200, color: false, config: "quoin.yaml" }).join("\n");
  expect(text).toContain(
    "USA-HPI        avellaneda-stoikov halted    short 1.5    1 fill\n  PnL -3.46 print, -4.00 mid, USDC",
  );
  expect(text).toContain("equity 1000.00 USDC print, 999.46 mid");
  expect(text).toContain(
    "the saved file differs from what runs: a change of server needs a restart; it was not applied",
  );
  expect(text).toContain("  oracle 216.94 (44 s left), fair value 216.95, book 216.90 / —");
  expect(text).toContain(
    "  bids 0.5 at 216.86 (1.6 ahead), 0.5 at 216.85 (first in the queue), 0.5 at 216.84 (inFlight)\n  asks none\n  closed: oracle, the oracle is Stale",
  );
  expect(text).toContain("  held by operator: a test; npx quoin resume --reason TEXT --config quoin.yaml lifts it");
  expect(text).toContain("account 12, USA-HPI, sell: not quoting because");
});

test("a shadow has a line of its own, and what is on trial another", () => {
  const { pnl, pnlAtMid } = market;
  const shadow = {
    strategy: "glft",
    state: "halted",
    reason: "it lost",
    position: 0,
    bids: [],
    asks: [],
    fillCount: 1,
  };
  const shown = { ...market, shadow: { ...shadow, pnl, pnlAtMid }, trial: { from: "ladder", sinceMs: 0, fills: 2 } };
  const accounts = status.accounts.map((account) => ({ ...account, markets: [shown] }));
  const text = frameOf({ ...status, accounts }, URL, { columns: 200, color: false, config: "quoin.yaml" }).join("\n");
  expect(text).toContain("  shadow glft halted: 1 fill, PnL -3.46 print, -4.00 mid, USDC on paper: it lost\n");
  expect(text).toContain("  on trial in place of ladder: 2 fills measured\n");
});

test("a premium book has a line of its own, with why it wants nothing", () => {
  const premium = { target: -3, held: -1.5, pnl: 0.755, spreadPnl: -4.75, lossLeft: 9, isStopped: false, reason: null };
  const told = (changed: object) =>
    frameOf(
      {
        ...status,
        accounts: status.accounts.map((account) => ({
          ...account,
          markets: [{ ...market, premium: { ...premium, ...changed } }],
        })),
      },
      URL,
      { columns: 200, color: false, config: "quoin.yaml" },
    ).join("\n");
  expect(told({})).toContain("  premium book -1.500 of -3.000 contracts, PnL +0.76; all else -4.75, USDC at mid\n");
  expect(told({ target: 0, isStopped: true, reason: "it lost 5 USDC" })).toContain(
    "of 0.000 contracts, PnL +0.76, STOPPED; all else -4.75, USDC at mid: it lost 5 USDC\n",
  );
});

test("law: no line is wider than the terminal, and nothing is lost by folding it", () => {
  const wide = frameOf(status, URL, { columns: 1000, color: false, config: "quoin.yaml" });
  for (const columns of [20, 40, 80, 120]) {
    const lines = frameOf(status, URL, { columns, color: false, config: "quoin.yaml" });
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines.join("").replaceAll(" ", "")).toBe(wide.join("").replaceAll(" ", ""));
  }
  expect(wrapped("x".repeat(100), 40).join("").replaceAll(" ", "")).toBe("x".repeat(100));
});

test("law: with color the words are the same", () => {
  const plain = frameOf(status, URL, { columns: 80, color: false, config: "quoin.yaml" });
  const colored = frameOf(status, URL, { columns: 80, color: true, config: "quoin.yaml" });
  expect(colored.map((line) => stripVTControlCharacters(line))).toEqual(plain);
  expect(colored).not.toEqual(plain);
});

test("edge: no daemon", () => {
  expect(frameOf(undefined, URL, { columns: 80, color: false, config: "quoin.yaml" })).toEqual([
    `no daemon answers at ${URL}`,
  ]);
});
