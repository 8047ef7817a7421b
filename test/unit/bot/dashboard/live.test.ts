// The live stream: a snapshot first, then updates; what changed as sentences; history that outlives the process and stays bounded.

import { beforeEach, describe, expect, test } from "vitest";
import type { Detail } from "../../../../src/bot/dashboard/detail.ts";
import { History, readEntry } from "../../../../src/bot/dashboard/history.ts";
import { Live } from "../../../../src/bot/dashboard/live.ts";
import { notesBetween } from "../../../../src/bot/dashboard/notes.ts";
import type { MarketStatus, SideLine, Status } from "../../../../src/bot/dashboard/status.ts";
import { reportTiming } from "../../../../src/bot/timing.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../../src/kernel/clock.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { pageModule } from "./document.ts";

const rests: SideLine = { quoting: true, reason: null, sentence: null };
const paused: SideLine = {
  quoting: false,
  reason: "marketStatus",
  sentence: "not quoting because the market is Paused",
};
const market = {
  marketId: 1,
  name: "USA-HPI",
  strategy: "glft",
  position: 2,
  oraclePrice: 217,
  fairValue: null,
  bids: [{ price: 216, size: 1, state: "working" }],
  asks: [],
  buy: rests,
  sell: rests,
  gates: [{ gate: "book", open: true, reason: null }],
  pnl: { total: 3 },
  pnlAtMid: { total: 2 },
  shadow: null,
} as unknown as MarketStatus;

let clock: VirtualClock;
let shown: MarketStatus;
let latches: readonly string[];
let detail: Detail;
let stored: string[];

const status = (): Status =>
  ({
    nowMs: clock.wallMs(),
    phase: "trading",
    reasons: [],
    accounts: [{ accountId: "12", equityUsdc: 5, latches, markets: [shown] }],
  }) as unknown as Status;

beforeEach(() => {
  clock = createVirtualClock({ startMs: 1_790_000_000_000 });
  shown = market;
  latches = [];
  stored = [];
  detail = { markets: [{ accountId: "12", marketId: 1, mid: 216.5, fills: [] }], accounts: [] } as unknown as Detail;
});

const makeLive = (): Live =>
  new Live({
    clock,
    status,
    detail: () => detail,
    store: {
      load: () => stored,
      append: (lines) => stored.push(...lines),
      replace: (lines) => {
        stored = [...lines];
      },
    },
  });

type Seen = {
  readonly event: string;
  readonly data: { readonly history: readonly { readonly kind: string; readonly atMs: number }[] };
};
function reader() {
  const seen: Seen[] = [];
  let isGone = false;
  const write = (text: string): boolean => {
    const [event = "", data = ""] = text.split("\n");
    seen.push({ event: event.slice(7), data: JSON.parse(data.slice(6)) as Seen["data"] });
    return !isGone;
  };
  return { seen, sink: { write, onClose: () => {} }, leave: () => (isGone = true) };
}

describe("GET /events", () => {
  test("a snapshot first, then an update each second", () => {
    const live = makeLive();
    const { seen, sink } = reader();
    live.open(sink);
    clock.advanceSync(3000);
    expect(seen.map(({ event }) => event)).toEqual(["snapshot", "update", "update", "update"]);
    live.close();
  });

  test("a reader that is gone is forgotten", () => {
    const live = makeLive();
    const { sink, leave } = reader();
    live.open(sink);
    leave();
    clock.advanceSync(1000);
    expect(live.readers).toBe(0);
    live.close();
  });
});

describe("history", () => {
  test("a sample each ten seconds, a fill once, a change as a sentence; a later run begins with them", () => {
    const live = makeLive();
    clock.advanceSync(1000);
    shown = { ...market, buy: paused };
    const fill = {
      atMs: clock.wallMs(),
      side: "buy",
      price: 216,
      size: 1,
      liquidity: "maker",
      fee: null,
      realizedPnl: null,
      key: "a",
    };
    detail = { ...detail, markets: detail.markets.map((of) => ({ ...of, fills: [fill] })) };
    clock.advanceSync(20_000);
    live.close();
    const kinds = (of: Seen | undefined) => of?.data.history.map(({ kind }) => kind).toSorted();
    const { seen, sink } = reader();
    makeLive().open(sink);
    expect(kinds(seen[0])).toEqual(["fill", "note", "sample", "sample", "sample"]);
    expect(stored[0]).toContain('"12/1":[217,null,216.5,216,null,2,3,2]');
  });

  test("a fill whose fee came later is told again, and stands once with it", async () => {
    const live = makeLive();
    const { seen, sink } = reader();
    live.open(sink);
    const fill = { atMs: clock.wallMs(), side: "buy", price: 216, size: 1, liquidity: "maker", key: "a" };
    for (const known of [
      { fee: null, realizedPnl: null },
      { fee: -0.01, realizedPnl: 0.4 },
      { fee: null, realizedPnl: null },
    ]) {
      detail = { ...detail, markets: detail.markets.map((of) => ({ ...of, fills: [{ ...fill, ...known }] })) };
      clock.advanceSync(2000);
    }
    const fees = (of: readonly { readonly kind: string }[]) =>
      of.flatMap((entry) => ("fill" in entry ? [(entry.fill as { readonly fee: number | null }).fee] : []));
    expect(fees(seen.flatMap(({ data }) => data.history))).toEqual([null, -0.01]);
    const later = reader();
    makeLive().open(later.sink);
    expect(fees(later.seen[0]?.data.history ?? [])).toEqual([-0.01]);
    const { fold } = (await pageModule("stream.js")) as {
      readonly fold: (before: object | null, event: string, data: object) => { readonly fills: readonly object[] };
    };
    const shownFills = seen.reduce<ReturnType<typeof fold> | null>(
      (at, { event, data }) => fold(at, event, data),
      null,
    );
    expect(fees((shownFills?.fills ?? []).map((of) => ({ kind: "fill", ...of })))).toEqual([-0.01]);
  });

  test("a line that was cut off is none", () => {
    expect(readEntry('{"kind":"note","atMs":1,"te')).toBeUndefined();
    expect(readEntry('{"kind":"secret","atMs":1}')).toBeUndefined();
    expect(readEntry('{"kind":"note","atMs":1,"text":"x"}')).toEqual({ kind: "note", atMs: 1, text: "x" });
  });

  test("days of it keep one size in the file and in a snapshot", () => {
    const live = makeLive();
    clock.advanceSync(DAY_MS);
    const { seen, sink } = reader();
    live.open(sink);
    live.close();
    const { length } = seen[0]?.data.history ?? [];
    expect(length).toBe(1440 + 20 * 60);
    expect(stored.length).toBeLessThan(length + 5000 + 10);
  });

  test("it reaches back a week, the older the coarser, and does so in a later run", () => {
    const history = new History(reportTiming.historyTiers);
    const nowMs = 9 * DAY_MS;
    for (let atMs = 10_000; atMs <= nowMs; atMs += 10_000)
      history.add({ kind: "sample", atMs, markets: {}, equity: {} });
    const agesMs = history.shown().map(({ atMs }) => nowMs - atMs);
    const gapsMs = (fromMs: number, toMs: number) =>
      new Set(
        agesMs.flatMap((age, at) => (age >= fromMs && age < toMs && at > 0 ? [(agesMs[at - 1] ?? 0) - age] : [])),
      );
    expect(gapsMs(0, 3.9 * HOUR_MS)).toEqual(new Set([10_000]));
    expect(gapsMs(4.1 * HOUR_MS, 23.9 * HOUR_MS)).toEqual(new Set([MINUTE_MS]));
    expect(gapsMs(24.1 * HOUR_MS, 6.9 * DAY_MS)).toEqual(new Set([10 * MINUTE_MS]));
    expect(agesMs[0]).toBeGreaterThanOrEqual(7 * DAY_MS - 10 * MINUTE_MS);
    expect(agesMs[0]).toBeLessThanOrEqual(7 * DAY_MS);

    const later = new History(reportTiming.historyTiers);
    for (const entry of history.all()) later.add(entry);
    expect(later.shown()).toEqual(history.shown());
  });

  test("of many markets a page is given fewer samples", () => {
    const history = new History(reportTiming.historyTiers);
    const markets = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`12/${index}`, [1, 2, 3, 4, 5, 6, 7]]),
    );
    for (let atMs = 0; atMs < 1440; atMs += 1) history.add({ kind: "sample", atMs, markets, equity: {} });
    expect(history.shown().length * 50 * 7).toBeLessThanOrEqual(40_000 + 350);
    expect(history.shown().at(-1)).toMatchObject({ atMs: 1439 });
  });
});

test("sentences of what changed, none of what did not", () => {
  const before = status();
  shown = { ...market, buy: paused };
  latches = ["operator: a drill"];
  expect(notesBetween(before, status())).toEqual([
    "Account 12: latch operator: a drill.",
    "USA-HPI bid: not quoting because the market is Paused.",
  ]);
  expect(notesBetween(status(), status())).toEqual([]);
  expect(notesBetween(status(), before)).toEqual([
    "Account 12: lifted operator: a drill.",
    "USA-HPI bid: quoted again.",
  ]);
});
