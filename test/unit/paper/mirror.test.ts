// What a mirror makes of each thing that it is told, beyond the queue at one price (test/property/mirror.test.ts).

import { expect, test } from "vitest";
import type { Funding, Market, Oracle } from "../../../src/domain/market.ts";
import { at, bookOf, level, MARKET, type MirrorScene, maker, mirrorScene, START_MS } from "./mirror-scene.ts";

const received = { askedMs: 0, receivedMs: 0 };
const usual = bookOf([level(19_990, 1000)], [level(20_010, 1000)]);

function market({ exchange }: MirrorScene, of: Partial<Market>): Market {
  const found = exchange.chain.reads.market(MARKET);
  if (found === undefined) throw new Error("the market is there");
  return { ...found, ...of };
}

test("a trade beyond our price fills us first, up to its size", () => {
  const scene = mirrorScene("riskAverse");
  scene.show(bookOf([level(19_995, 1000), level(19_980, 5000)], [level(20_010, 1000)]));
  scene.place("buy", 19_990, 700);
  scene.trade("sell", 19_980, 500);
  expect(scene.held(), "1000 stood before us at a better price").toBe(0);
  scene.show(bookOf([level(19_980, 4500)], [level(20_010, 1000)]));
  scene.trade("sell", 19_980, 600);
  expect(scene.held()).toBe(600);
  scene.trade("sell", 19_980, 600);
  expect(scene.held()).toBe(700);
});

test("who comes to rest beyond our price trades with us, once", () => {
  const scene = mirrorScene("riskAverse");
  scene.show(usual);
  scene.place("buy", 19_995, 700);
  const crossing = (units: number) => bookOf([level(19_985, 1000)], [level(19_990, units)]);
  scene.show(crossing(300));
  expect(scene.held()).toBe(300);
  scene.show(crossing(300));
  expect(scene.held(), "it shows what we have taken").toBe(300);
  scene.show(crossing(500));
  expect(scene.held(), "more has come").toBe(500);
  scene.show(usual);
  scene.show(crossing(300));
  expect(scene.held(), "another has come").toBe(700);
});

test("an order of ours that takes is filled by what stands there, once, and moves nothing", () => {
  const scene = mirrorScene("riskAverse");
  scene.show(usual);
  scene.place("buy", 20_010, 1500, { postOnly: false });
  expect(scene.held()).toBe(1000);
  scene.show(usual);
  expect(scene.held(), "the book still shows what we took").toBe(1000);
  scene.trade("buy", 20_010, 1000);
  scene.show(bookOf([level(19_990, 1000)], [level(20_010, 400), level(20_020, 1000)]));
  expect(scene.held(), "others took it too; what is there now has come since").toBe(1400);
});

test("a book that shows the same again has been filled up since", () => {
  const scene = mirrorScene("riskAverse");
  scene.show(usual);
  scene.trade("sell", 19_980, 400);
  scene.show(usual);
  scene.place("sell", 19_990, 1000, { postOnly: false });
  expect(scene.held()).toBe(-1000);
});

test("what we took is there again as far as others traded there since, though the book shows the same", () => {
  const scene = mirrorScene("riskAverse");
  scene.show(usual);
  scene.place("buy", 20_010, 1000, { postOnly: false });
  scene.show(usual);
  scene.trade("buy", 20_010, 600);
  scene.show(usual);
  scene.place("buy", 20_010, 1000, { postOnly: false });
  expect(scene.held()).toBe(1600);
});

test("what a paused market did not take is there with the next book after the pause, though it shows the same", () => {
  const scene = mirrorScene("riskAverse");
  const status = (now: string) =>
    scene.mirror.apply({ kind: "marketRead", market: market(scene, { status: now }), ...received });
  status("Paused");
  scene.show(usual);
  status("Active");
  scene.show(usual);
  scene.place("buy", 20_010, 1000, { postOnly: false });
  expect(scene.held()).toBe(1000);
});

test("what the exchange itself removed is there again with the next book", () => {
  const scene = mirrorScene("riskAverse");
  scene.show(usual);
  scene.exchange.chain.act({ accountId: maker, transaction: { type: "CancelAllOrders", marketId: null } });
  scene.show(usual);
  scene.place("buy", 20_010, 1000, { postOnly: false });
  expect(scene.held()).toBe(1000);
});

test("an order that only makes and would take is refused as the exchange refuses it", () => {
  const scene = mirrorScene("riskAverse");
  scene.show(usual);
  expect(() => scene.place("buy", 20_010, 100)).toThrow("post only order would cross");
  expect(scene.held()).toBe(0);
});

test("a trade that is told twice counts once", () => {
  const scene = mirrorScene("riskAverse");
  scene.show(bookOf([level(19_990, 300)], [level(20_010, 1000)]));
  scene.place("buy", 19_990, 700);
  const trade = scene.trade("sell", 19_990, 400);
  expect(scene.held()).toBe(100);
  scene.mirror.apply({ kind: "trade", trade, receivedMs: 0 });
  expect(scene.held()).toBe(100);
});

test("a crossed book is none", () => {
  const scene = mirrorScene("riskAverse");
  scene.show(usual);
  scene.place("buy", 19_990, 700);
  scene.show(bookOf([level(20_010, 1000)], [level(19_990, 1000)]));
  expect(scene.held()).toBe(0);
});

test("prints, their validity and the oracle's status are the other's", () => {
  const scene = mirrorScene("riskAverse");
  const { reads } = scene.exchange.chain;
  const validUntilSec = START_MS / 1000 + 90;
  const print = { kind: "oracleUpdate", marketId: MARKET, previousPrice: at(20_000), validUntilSec } as const;
  scene.mirror.apply({ ...print, price: at(20_100), receivedMs: 0 });
  expect(reads.oracle(MARKET)).toMatchObject({ price: at(20_100), validUntilSec, status: "Active" });
  const oracle = { ...(reads.oracle(MARKET) as Oracle), status: "Halted" } as const;
  scene.mirror.apply({ kind: "oracleRead", oracle, ...received });
  expect(reads.oracle(MARKET)?.status).toBe("Halted");
  expect(reads.oracleHistory(MARKET)?.prices.length, "a read repeats no print").toBe(1);
});

test("the status and the tick of a market are the other's; one that we do not know pauses it", () => {
  const scene = mirrorScene("riskAverse");
  const { reads } = scene.exchange.chain;
  scene.mirror.apply({ kind: "marketRead", market: market(scene, { status: "Maintenance" }), ...received });
  expect(reads.market(MARKET)?.status).toBe("Paused");
  scene.mirror.apply({ kind: "marketRead", market: market(scene, { status: "Active", tickSize: at(5) }), ...received });
  expect(reads.market(MARKET)).toMatchObject({ status: "Active", tickSize: at(5) });
});

test("funding is paid when the other settles, at its rate, once, and by nothing of ours", async () => {
  const scene = mirrorScene("riskAverse");
  const collateral = () => Number(scene.exchange.chain.reads.account(1n as never)?.collateral);
  scene.show(bookOf([], [level(20_010, 2_000_000)]));
  scene.place("buy", 20_010, 1_000_000, { postOnly: false });
  const before = collateral();
  await scene.advance(3 * 3_600_000);
  expect(collateral(), "three hours of ours are no settlement").toBe(before);
  const lastFundingTimestampSec = START_MS / 1000 + 3600;
  const settled = { kind: "fundingUpdate", marketId: MARKET, fundingRate: 100_000n, receivedMs: 0 } as const;
  scene.mirror.apply({ ...settled, lastFundingTimestampSec });
  expect(before - collateral(), "one contract at 200 USD, 1 bp").toBe(20_000);
  scene.mirror.apply({ ...settled, lastFundingTimestampSec });
  expect(before - collateral()).toBe(20_000);
});

test("settlements that nobody told of are paid with the next one", () => {
  const scene = mirrorScene("riskAverse");
  const collateral = () => Number(scene.exchange.chain.reads.account(1n as never)?.collateral);
  scene.show(bookOf([], [level(20_010, 2_000_000)]));
  scene.place("buy", 20_010, 1_000_000, { postOnly: false });
  const before = collateral();
  const settled = { kind: "fundingUpdate", marketId: MARKET, fundingRate: 100_000n, receivedMs: 0 } as const;
  scene.mirror.apply({ ...settled, lastFundingTimestampSec: START_MS / 1000 + 4 * 3600 });
  expect(before - collateral()).toBe(4 * 20_000);
});

test("a settlement that the stream lost is paid once two reads have told of it", () => {
  const scene = mirrorScene("riskAverse");
  const collateral = () => Number(scene.exchange.chain.reads.account(1n as never)?.collateral);
  scene.show(bookOf([], [level(20_010, 2_000_000)]));
  scene.place("buy", 20_010, 1_000_000, { postOnly: false });
  const before = collateral();
  const known = scene.exchange.chain.reads.funding(MARKET) as Funding;
  const funding = { ...known, fundingRate: 100_000n, lastFundingTimestampSec: START_MS / 1000 + 3600 };
  scene.mirror.apply({ kind: "fundingRead", funding, ...received });
  expect(collateral()).toBe(before);
  scene.mirror.apply({ kind: "fundingRead", funding, ...received });
  scene.mirror.apply({ kind: "fundingRead", funding, ...received });
  expect(before - collateral()).toBe(20_000);
});
