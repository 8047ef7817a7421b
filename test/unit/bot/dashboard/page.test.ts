// The page as a browser shows it: its own script, run on a status, with the document that it changes.

import { expect, test } from "vitest";
import { readPage } from "../../../../src/bot/dashboard/page-files.ts";
import type { GateLine, MarketStatus, Status } from "../../../../src/bot/dashboard/status.ts";
import { openPage } from "./document.ts";

const rests = { quoting: true, reason: null, sentence: null };

const market = (changed: Partial<MarketStatus> = {}): MarketStatus => ({
  marketId: 1,
  name: "<b>M</b>",
  strategy: "glft",
  state: "active",
  position: 0,
  oraclePrice: null,
  oracleValidUntilSec: null,
  bestBid: null,
  bestAsk: null,
  fairValue: null,
  quotesReason: null,
  bids: [],
  asks: [],
  buy: rests,
  sell: rests,
  gates: [],
  pnl: { spread: 0, inventory: 0, jump: 0, funding: 0, fees: 0, total: 0 },
  fillCount: 0,
  unknownOrders: 0,
  ...changed,
});

const status = (markets: readonly MarketStatus[], changed: Partial<Status> = {}): Status => ({
  reasons: [],
  phase: "trading",
  chainId: "c",
  height: null,
  chainTimeOffsetMs: null,
  config: "0",
  version: "0",
  commit: "0",
  startedAtMs: 0,
  nowMs: 0,
  accounts: [
    { accountId: "12", equityUsdc: null, marginRatio: null, agentKeyExpiresAtSec: null, latches: [], markets },
  ],
  ...changed,
});

const html = readPage().get("GET /")?.().body ?? "";

const order = (price: number) => ({ price, size: 1, state: "working" });

test("every file that the page names is served beside it", () => {
  const named = Array.from(html.matchAll(/(?:href|src)="([^"]*)"/g), ([, name]) => `GET /${name}`);
  expect(new Set(["GET /", ...named])).toEqual(new Set(readPage().keys()));
});

test("nothing in the page is inline, as its content security policy demands", () => {
  expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?! type="module" src)/);
});

test("an open gate does not read as the opposite of what it found, a closed one says why", async () => {
  const gates: readonly GateLine[] = [
    { gate: "halted", open: true, reason: null },
    { gate: "reducing", open: true, reason: null },
    { gate: "clock", open: true, reason: null },
    { gate: "oracleStatus", open: false, reason: "the oracle is Stale" },
  ];
  const { view, refresh } = openPage();
  await refresh(status([market({ gates })]));
  expect(view.all("LI").map(({ text, className }) => [text, className])).toEqual([
    ["not halted", "good"],
    ["not reducing", "good"],
    ["clock", "good"],
    ["the oracle is Stale", "bad"],
  ]);
});

test("what the exchange calls a market is text, not markup", async () => {
  const { view, refresh } = openPage();
  await refresh(status([market()]));
  expect(view.all("H3")[0]?.text).toContain("<b>M</b>");
  expect(view.all("B")).toEqual([]);
});

test("asks stand above bids, the best of both in the middle", async () => {
  const { view, refresh } = openPage();
  await refresh(status([market({ asks: [order(101), order(102)], bids: [order(99), order(98)] })]));
  const rows = view.all("TR").map(({ childNodes }) => childNodes.map(({ text }) => text));
  const prices = rows.flatMap(([side = "", price]) => (["ask", "bid"].includes(side) ? [price] : []));
  expect(prices).toEqual(["102.00", "101.00", "99.00", "98.00"]);
});

test("a refresh keeps every node, so that a selection survives, and writes only what is different", async () => {
  const { view, refresh } = openPage();
  await refresh(status([market()]));
  const before = view.all("#text");
  const written: string[] = [];
  for (const node of before) {
    let value = node.nodeValue;
    Object.defineProperty(node, "nodeValue", {
      get: () => value,
      set: (text: string) => {
        written.push(text);
        value = text;
      },
    });
  }
  await refresh(status([market({ fillCount: 3 })]));
  const after = view.all("#text");
  expect(after.every((node, index) => node === before[index])).toBe(true);
  expect(after).toHaveLength(before.length);
  expect(written).toEqual(["3"]);
});

test("what is gone leaves the page, and so does its color", async () => {
  const { view, refresh } = openPage();
  await refresh(status([market({ unknownOrders: 1 }), market()], { reasons: ["the oracle is Stale"] }));
  expect(view.all("HEADER")[0]?.text).toContain("not ready: the oracle is Stale");
  expect(view.all("SECTION")).toHaveLength(2);
  await refresh(status([market()]));
  expect(view.all("HEADER")[0]?.text).toContain("ready");
  expect(view.all("SECTION")).toHaveLength(1);
  expect([...view.all("SPAN"), ...view.all("TD")].filter(({ className, text }) => className === "bad" && text)).toEqual(
    [],
  );
});

test("a daemon that does not answer is named in the title, and what it said last is marked as outdated", async () => {
  const { view, title, refresh } = openPage();
  await refresh(status([market()]));
  await refresh(null);
  expect([title(), view.className]).toEqual(["Quoin: no answer", "outdated"]);
  expect(view.all("HEADER")[0]?.text).toBe("Quointhe daemon does not answer");
  expect(view.all("SECTION")).toHaveLength(1);
  await refresh(status([market()]));
  expect([title(), view.className]).toEqual(["Quoin", ""]);
});
