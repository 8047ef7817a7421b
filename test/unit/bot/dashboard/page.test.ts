// The page as a browser draws it: its own script, run on a status, with the document that it writes to.

import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { PAGE } from "../../../../src/bot/dashboard/page.ts";
import { until } from "../../../support/until.ts";

/** What the page's script makes of a status. */
async function drawn(status: object): Promise<string> {
  const [, script = ""] = /<script>(.*)<\/script>/s.exec(PAGE) ?? [];
  const view = { innerHTML: "" };
  const fetched = { json: () => Promise.resolve(status) };
  runInNewContext(script, {
    document: { getElementById: () => view },
    fetch: () => Promise.resolve(fetched),
    setTimeout: () => 0,
  });
  return await until("the page", () => view.innerHTML);
}

const PNL = { spread: 0, inventory: 0, funding: 0, fees: 0, total: 0 };
const market = (gates: readonly object[]) => ({
  marketId: 1,
  name: "<b>M</b>",
  strategy: "glft",
  state: "active",
  position: 0,
  oraclePrice: null,
  bestBid: null,
  bestAsk: null,
  fairValue: null,
  quotesReason: null,
  bids: [],
  asks: [],
  gates,
  pnl: PNL,
  fillCount: 0,
  unknownOrders: 0,
});
const account = (markets: readonly object[]) => ({
  accountId: "12",
  equityUsdc: null,
  marginRatio: null,
  latches: [],
  markets,
});
const status = (gates: readonly object[]) => ({
  reasons: [],
  phase: "trading",
  chainId: "c",
  height: null,
  chainTimeOffsetMs: null,
  config: "0",
  version: "0",
  accounts: [account([market(gates)])],
});

test("an open gate does not read as the opposite of what it found, a closed one says why", async () => {
  const page = await drawn(
    status([
      { gate: "halted", open: true, reason: null },
      { gate: "reducing", open: true, reason: null },
      { gate: "clock", open: false, reason: "offsetMs 3000" },
    ]),
  );
  expect([...page.matchAll(/<li[^>]*>([^<]*)</g)].map(([, text]) => text)).toEqual([
    "not halted",
    "not reducing",
    "clock: offsetMs 3000",
  ]);
});

test("what the exchange calls a market is text, not markup", async () => {
  expect(await drawn(status([]))).toContain("&#60;b&#62;M&#60;/b&#62;");
});
