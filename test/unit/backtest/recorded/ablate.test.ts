// What an ablation says of two runs: exact differences, an interval from print to print, and how far the queue model is from real.

import { join } from "node:path";
import { expect, test } from "vitest";
import {
  type AblationEnd,
  ablate,
  ablatedLine,
  ablations,
  biasOf,
  isInert,
  type RunAblations,
} from "../../../../src/backtest/recorded/ablate.ts";
import type { ReconcileLine } from "../../../../src/backtest/recorded/reconcile.ts";
import { gateIds } from "../../../../src/bot/risk/gates/gate.ts";
import { PROJECT } from "../../../support/quoin.ts";

const HOURS = Array.from({ length: 24 }, (_, nth) => (nth + 1) / 4);

/** `pnl`: USDC at the end of each quarter of an hour. */
function endOf(pnl: string, curve: readonly number[], counts = { fills: 0, place: 0 }): AblationEnd {
  const market = { fills: counts.fills, actions: { place: counts.place, modify: 2, cancel: 1 } };
  return {
    pnl,
    markets: [market, market] as never,
    blocks: [],
    curves: { hours: HOURS.slice(0, curve.length), pnl: curve },
  };
}

test("PnL is exact, counts are of all markets, with everything less without it", () => {
  const whole = endOf(
    "0.3",
    HOURS.map(() => 0.3),
    { fills: 7, place: 10 },
  );
  const without = endOf(
    "0.100001",
    HOURS.map(() => 0.1),
    { fills: 5, place: 13 },
  );
  const line = ablatedLine("skew", whole, without, null);
  expect(line).toMatchObject({ kind: "ablated", what: "skew", pnl: "0.199999", fills: 4, commands: -6, bias: null });
  expect(isInert(line)).toBe(false);
});

test("equal runs are 0 to the base unit, and inert", () => {
  const whole = endOf("-12.345678", HOURS);
  const line = ablatedLine("gate.book", whole, whole, null);
  expect(line).toMatchObject({ pnl: "0", ci95: [0, 0], fills: 0, commands: 0 });
  expect(isInert(line)).toBe(true);
});

test("what was canceled out is not inert", () => {
  const line = ablatedLine(
    "latency",
    endOf(
      "1",
      HOURS.map((hour) => Math.sin(hour)),
    ),
    endOf(
      "1",
      HOURS.map(() => 0),
    ),
    null,
  );
  expect([line.pnl, isInert(line)]).toEqual(["0", false]);
});

test("without prints the interval is by Student's t over twelve equal stretches", () => {
  // Of two quarters of an hour each: 1, 3, 1, 3, …, 24 in all, standard deviation 1.0445.
  const curve = HOURS.map((_, nth) => Math.floor((nth + 1) / 2) * 2 - (Math.floor((nth + 1) / 2) % 2));
  const { ci95 } = ablatedLine(
    "skew",
    endOf("24", curve),
    endOf(
      "0",
      HOURS.map(() => 0),
    ),
    null,
  );
  const half = 2.200_985 * 1.044_466 * Math.sqrt(12);
  expect(ci95[0]).toBeCloseTo(24 - half, 3);
  expect(ci95[1]).toBeCloseTo(24 + half, 3);
});

/** `pnls`: USDC of each block, an hour long. */
const inBlocks = (pnl: string, pnls: readonly number[]): AblationEnd => ({
  ...endOf(pnl, HOURS),
  blocks: pnls.map((block, nth) => ({
    ...{ fromMs: nth * 3_600_000, toMs: (nth + 1) * 3_600_000 },
    ...{ pnl: block, closingCost: 0, markets: [] },
  })),
});

test("six blocks from print to print have the interval by Student's t over their differences", () => {
  const line = ablatedLine("skew", inBlocks("21", [2, 3, 4, 5, 6, 7]), inBlocks("6", [1, 1, 1, 1, 1, 1]), null);
  // 1, 2, 3, 4, 5, 6: 21 in all, standard deviation 1.8708.
  const half = 2.570_582 * 1.870_829 * Math.sqrt(6);
  expect(line.ci95Over).toEqual({ pieces: "blocks", count: 6 });
  expect(line.ci95[0]).toBeCloseTo(21 - half, 3);
  expect(line.ci95[1]).toBeCloseTo(21 + half, 3);
});

test("five blocks are too few: the interval is over equal stretches", () => {
  const line = ablatedLine("skew", inBlocks("5", [1, 1, 1, 1, 1]), inBlocks("0", [0, 0, 0, 0, 0]), null);
  expect(line.ci95Over).toEqual({ pieces: "stretches", count: 12 });
});

test("a few minutes have no interval", () => {
  const few = HOURS.slice(0, 11);
  const line = ablatedLine("skew", endOf("1", few), endOf("0", few), null);
  expect(line).toMatchObject({ ci95: [null, null], ci95Over: null });
});

test("the bias is of the model that filled, and of none where nothing was really filled", () => {
  const lines = [
    { model: "riskAverse", realFills: 3, bias: "under", biasPercent: -9.5 },
    { model: "fitted", realFills: 3, bias: "none", biasPercent: 1 },
  ] as unknown as readonly ReconcileLine[];
  expect(biasOf(lines, { queueModel: "riskAverse" })).toEqual({
    model: "riskAverse",
    bias: "under",
    biasPercent: -9.5,
  });
  expect(biasOf(lines, { queueModel: { fitted: { exponent: 0, ci95: [0, 0], fills: 300 } } })?.model).toBe("fitted");
  expect(
    biasOf(
      lines.map((line) => ({ ...line, realFills: 0 })),
      { queueModel: "riskAverse" },
    ),
  ).toBeNull();
});

test("gates that change nothing together need one run; the one that does is found by halves", async () => {
  const whole = endOf(
    "1",
    HOURS.map(() => 1),
  );
  const other = endOf(
    "0.4",
    HOURS.map(() => 0.4),
    { fills: 2, place: 0 },
  );
  const opened: (readonly string[])[] = [];
  const lines = await ablate(join(PROJECT, "docs/sample-session.qrec"), async (jobs) =>
    jobs.map(({ without }) => {
      if (typeof without !== "object") return without === "skew" ? other : whole;
      opened.push(without.gates);
      return without.gates.includes("volatility") ? other : whole;
    }),
  );
  expect(lines?.map(({ what }) => what)).toEqual(ablations);
  const active = lines?.filter((line) => !isInert(line)).map(({ what, pnl, fills }) => ({ what, pnl, fills }));
  expect(active).toEqual(["skew", "gate.volatility"].map((what) => ({ what, pnl: "0.6", fills: -4 })));
  expect(opened[0], "all at first").toEqual(gateIds);
  expect(opened.length, "two a halving").toBeLessThanOrEqual(1 + 2 * Math.ceil(Math.log2(gateIds.length)));
  expect(lines?.[0]?.bias).toMatchObject({ model: "riskAverse", bias: "under", tooFewFills: 140 });
});

test("stopped while the gates run there is no result", async () => {
  let batches = 0;
  const run: RunAblations = async (jobs) => (batches++ === 0 ? jobs.map(() => endOf("1", HOURS)) : null);
  expect(await ablate(join(PROJECT, "docs/sample-session.qrec"), run)).toBeNull();
});
