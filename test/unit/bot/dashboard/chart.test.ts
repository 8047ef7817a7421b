// What the chart draws of the history: rows of an even grid, gaps where nothing is known, and fills that merge.

import { describe, expect, test } from "vitest";
import { pageModule } from "./document.ts";

type Row = Readonly<Record<string, number | null>>;
type Cluster = { readonly id: string; readonly count: number; readonly size: number; readonly price: number };
const { rowsOf, clustersOf, rowsMax } = (await pageModule("chart-data.js")) as {
  readonly rowsOf: (state: object, place: string, stepMs: number, fromMs: number) => readonly Row[];
  readonly rowsMax: (stepMs: number) => number;
  readonly clustersOf: (
    fills: readonly object[],
    place: string,
    stepMs: number,
    width: number,
    sinceSec: number,
  ) => readonly Cluster[];
};
const { quotedOf, dayLine } = (await pageModule("tiles.js")) as {
  readonly quotedOf: (
    state: object,
    place: string,
  ) => { readonly both: number; readonly cells: readonly string[] } | null;
  readonly dayLine: (state: object, account: object) => readonly number[];
};
const { filtered } = (await pageModule("lists.js")) as {
  readonly filtered: (notes: readonly object[], kind: string, words: string) => readonly { readonly text: string }[];
};

const NOW = Date.UTC(2026, 10, 27, 12, 0, 5);
const STEP = 10_000;
const values: readonly (number | null)[] = [217, 216.5, 216.6, 216.4, 216.8, 1, 2, 3];
const sample = (atMs: number, of: readonly (number | null)[] = values) => ({
  kind: "sample",
  atMs,
  markets: { "12/1": of },
  equity: { 12: 5 },
});
const stateOf = (samples: readonly object[]) => ({
  status: { nowMs: NOW, accounts: [] },
  detail: { markets: [] },
  samples,
  fills: [],
});

describe("rows", () => {
  test("are as far apart as the grid says, whatever the samples are; a sample stands until the next one", () => {
    const rows = rowsOf(stateOf([sample(NOW - 61_000), sample(NOW - 39_000), sample(NOW - 21_000)]), "12/1", STEP, 0);
    expect(new Set(rows.slice(1).map(({ time }, at) => Number(time) - Number(rows[at]?.time)))).toEqual(new Set([10]));
    expect(rows.every(({ fair }) => fair === 216.5)).toBe(true);
    expect(rows.at(-1)).toEqual({
      ...{ time: Math.floor(NOW / STEP) * 10, oracle: 217, fair: 216.5, mid: 216.6, bid: 216.4, ask: 216.8 },
      ...{ position: 1, print: 2, pnlMid: 3, shadow: null },
    });
  });

  test("know nothing where no sample is near: a daemon that was away leaves a gap", () => {
    const near = Array.from({ length: 10 }, (_, at) => sample(NOW - (10 - at) * STEP));
    const rows = rowsOf(stateOf([sample(NOW - 600_000), ...near]), "12/1", STEP, 0);
    expect(rows[0]?.fair).toBe(216.5);
    expect(rows.slice(5, 40).map(({ fair }) => fair)).toEqual(Array.from({ length: 35 }, () => null));
    expect(rows.at(-1)?.fair).toBe(216.5);
  });

  test("are no more than the longest range of the grid, and those from a time on are the last of all", () => {
    const samples = Array.from({ length: 3000 }, (_, at) => sample(NOW - (3000 - at) * STEP));
    const rows = rowsOf(stateOf(samples), "12/1", STEP, 0);
    expect(rows.length).toBeLessThanOrEqual(rowsMax(STEP) + 1);
    const fromMs = NOW - 35_000;
    expect(rowsOf(stateOf(samples), "12/1", STEP, fromMs)).toEqual(rows.slice(-4));
  });

  test("have the shadow begin where the market then stood: what each earned since lies side by side", () => {
    const samples = [
      sample(NOW - 30_000),
      sample(NOW - 20_000, [...values, 0.5]),
      sample(NOW - 10_000, [...values, 1]),
    ];
    const rows = rowsOf(stateOf(samples), "12/1", STEP, 0);
    expect(rows.slice(-3).map(({ pnlMid, shadow }) => [pnlMid, shadow])).toEqual([
      [3, 3],
      [3, 3.5],
      [3, 3.5],
    ]);
  });

  test("end with the last update, which is newer than any sample", () => {
    const market = {
      marketId: 1,
      oraclePrice: 1,
      fairValue: 2,
      bids: [],
      asks: [{ price: 3 }],
      position: 4,
      shadow: null,
    };
    const state = stateOf([sample(NOW - STEP)]);
    const accounts = [{ accountId: "12", markets: [{ ...market, pnl: { total: 5 }, pnlAtMid: { total: 6 } }] }];
    const rows = rowsOf({ ...state, status: { nowMs: NOW, accounts } }, "12/1", STEP, 0);
    expect(rows.at(-1)).toMatchObject({ oracle: 1, fair: 2, bid: null, ask: 3, position: 4, print: 5, pnlMid: 6 });
  });
});

test("fills that would cover each other are one marker a side: how many, how much, at which mean price", () => {
  const fill = (atMs: number, side: string, price: number, size: number, place = "12/1") => ({
    ...{ place, atMs },
    fill: { atMs, side, price, size, key: `${atMs}` },
  });
  const base = Math.floor(NOW / (4 * STEP)) * 4 * STEP;
  const fills = [
    fill(base - 10 * 60_000, "buy", 1, 1),
    fill(base, "buy", 216, 1),
    fill(base + 1000, "buy", 217, 3),
    fill(base + 2000, "sell", 218, 1),
    fill(base + 3000, "buy", 300, 1, "12/2"),
    fill(base + 4 * STEP, "buy", 219, 1),
  ];
  const found = clustersOf(fills, "12/1", STEP, 4, base / 1000);
  expect(found.map(({ count, size, price }) => [count, size, price])).toEqual([
    [2, 4, 216.75],
    [1, 1, 218],
    [1, 1, 219],
  ]);
  expect(new Set(found.map(({ id }) => id)).size).toBe(3);
});

test("quoting time is of the last hour and of both sides; each minute shows its worst", () => {
  const oneSide = values.with(3, null);
  const samples = [
    sample(NOW - 3_700_000, oneSide),
    ...[110_000, 100_000, 90_000].map((age) => sample(NOW - age)),
    sample(NOW - 50_000, oneSide),
  ];
  const quoted = quotedOf(stateOf(samples), "12/1");
  expect(quoted?.both).toBe(0.75);
  expect(quoted?.cells.slice(-2)).toEqual(["both", "one"]);
  expect(new Set(quoted?.cells.slice(0, -2))).toEqual(new Set(["unknown"]));
  expect(quotedOf(stateOf([]), "12/1")).toBeNull();
});

test("today's line begins with the day, at zero", () => {
  const midnight = Date.UTC(2026, 10, 27);
  const samples = [
    sample(midnight - 1000, values.with(7, 99)),
    sample(midnight + 1000),
    sample(NOW, values.with(7, 5)),
  ];
  expect(dayLine(stateOf(samples), { accountId: "12", markets: [{ marketId: 1 }] })).toEqual([0, 2]);
});

test("decisions are filtered by kind and by words", () => {
  const notes = [
    "Account 12: latch operator: a drill.",
    "M bid: not quoting because Paused.",
    "M is now quoted by glft.",
  ].map((text) => ({ text }));
  const found = (kind: string, words: string) =>
    filtered(notes, kind, words).map(({ text }) => notes.findIndex((note) => note.text === text));
  expect([found("all", ""), found("halts", ""), found("quoting", ""), found("changes", "")]).toEqual([
    [0, 1, 2],
    [0],
    [1],
    [2],
  ]);
  expect([found("all", " PAUSED "), found("halts", "paused")]).toEqual([[1], []]);
});
