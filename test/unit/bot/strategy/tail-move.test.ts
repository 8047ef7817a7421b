// How far a print moves the index in 1 % of the cases on either side: counted on series, each move against what was said before it.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { noNowcast, observePrint } from "../../../../src/bot/strategy/nowcast.ts";
import { TAIL_MOVES_MIN, tailMoveBps } from "../../../../src/bot/strategy/tail-move.ts";
import { indexPathOf } from "../../../../src/devnet/crowd/index-path.ts";
import { usdOf } from "../../../../src/domain/rounding.ts";
import { price } from "../../../../src/domain/units.ts";
import { meanOf } from "../../../support/print-series.ts";
import { PROJECT } from "../../../support/quoin.ts";

const FROM = 60;

/** Shares of the moves from number 60 on, percent, that went further than was said. */
function exceeded(prints: readonly number[]): { readonly down: number; readonly up: number } {
  let state = noNowcast;
  let [down, up] = [0, 0];
  for (const [at, usd] of prints.entries()) {
    if (at >= FROM) {
      const bps = 10_000 * Math.log(usd / (prints[at - 1] ?? usd));
      const tail = tailMoveBps(state);
      if (bps < -tail) down += 1;
      if (bps > tail) up += 1;
    }
    state = observePrint(state, usd, at);
  }
  const share = 100 / (prints.length - FROM);
  return { down: share * down, up: share * up };
}

const file = resolve(PROJECT, "../shared/data/price-feed-us.csv");
// A user's clone has no ../shared: skipped there with a line that says so, run in CI.
test.skipIf(!existsSync(file))("on a real national series 0.2 to 2 % a side (skipped without ../shared)", () => {
  const rows = readFileSync(file, "utf8").trim().split("\n").slice(1);
  const { down, up } = exceeded(rows.map((row) => Number(row.split(",")[2])));
  for (const side of [down, up]) {
    expect(side).toBeGreaterThanOrEqual(0.2);
    expect(side).toBeLessThanOrEqual(2);
  }
});

/** The oracle of config/devnet-daily.yaml. */
const crowdPath = (seed: number): readonly number[] => {
  const source = {
    source: "synthetic",
    price: price(21_694_000_000n),
    printEverySecs: 86_400,
    validForSecs: 86_460,
  } as const;
  const law = { driftPercent: 0.027, volatilityPercent: 0.85, autocorrelation: 0.76 };
  const path = indexPathOf({ ...source, ...law }, BigInt(seed), 1);
  return Array.from({ length: 1000 }, (_, k) => usdOf(path.printAt(k) ?? price(0n)));
};

test("on 20 of the crowd's paths of 1,000 prints 0.8 to 1.2 % a side", () => {
  const found = Array.from({ length: 20 }, (_, at) => exceeded(crowdPath(501 + at)));
  for (const side of ["down", "up"] as const) {
    const mean = meanOf(found.map((each) => each[side]));
    expect(mean).toBeGreaterThanOrEqual(0.8);
    expect(mean).toBeLessThanOrEqual(1.2);
  }
});

test("before 50 moves the largest of them counts, and at least the normal law by the print deviation", () => {
  const after = (bps: readonly number[]) => ({
    deviation: 0.002,
    moves: Float32Array.from(bps, (each) => each / 10_000),
  });
  expect(tailMoveBps(after([]))).toBeCloseTo(46.52, 9);
  expect(tailMoveBps(after([-80, 5]))).toBeCloseTo(80, 4);
  const many = Array.from({ length: TAIL_MOVES_MIN }, (_, at) => (at % 2 === 0 ? 1 : -1) * (at + 1));
  expect(tailMoveBps(after(many))).toBeCloseTo(50, 1);
});
