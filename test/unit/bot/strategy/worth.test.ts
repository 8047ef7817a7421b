// What a contract is worth by the path of the nowcast, on the crowd's synthetic index, whose expected later prints are known exactly. That says
// nothing of another index.

import { expect, test } from "vitest";
import { worthOfLaterPrints } from "../../../../src/bot/strategy/carry.ts";
import { noNowcast, nowcastPathUsd, nowcastUsd, observePrint } from "../../../../src/bot/strategy/nowcast.ts";
import { worthIn } from "../../../../src/bot/strategy/worth.ts";
import { carryOf } from "../../../../src/devnet/crowd/carry.ts";
import { drawsOf } from "../../../../src/devnet/crowd/draws.ts";
import { indexPathOf } from "../../../../src/devnet/crowd/index-path.ts";
import { usdOf } from "../../../../src/domain/rounding.ts";
import { type Price, price } from "../../../../src/domain/units.ts";
import type { View } from "../../../../src/domain/view.ts";
import { DAY_MS, HOUR_MS } from "../../../../src/kernel/clock.ts";
import { chainTimeMs, healthyView, now, oracle } from "../risk/healthy.ts";

/** Funding takes a premium in a day. */
const KAPPA_PER_HOUR = 1 / 24;
const FROM = 60;
const PRINTS = 460;
const HOURS = [0, 6, 12, 18];

/** The oracle of config/devnet-daily.yaml. */
const source = {
  source: "synthetic",
  price: price(21_694_000_000n),
  printEverySecs: 86_400,
  validForSecs: 86_460,
} as const;
const law = { driftPercent: 0.027, volatilityPercent: 0.85, autocorrelation: 0.76 };
const fundingTimes = { fundingIntervalSecs: 3600, premiumPeriodSecs: 86_400 };

type Shown = { readonly trueBps: number; readonly shownBps: number; readonly byNextBps: number };

/**
 * At each of the hours after each print: the premium that is fair to one who knows the law and the prints so far, the one that is shown, and the
 * one that the next print alone would show.
 */
function shownOn(seed: number): readonly Shown[] {
  const path = indexPathOf({ ...source, ...law }, BigInt(seed), 1);
  const carry = carryOf(path, fundingTimes, { draw: drawsOf(1n, 1), gapsPerMs: 1 / 60_000 });
  const found: Shown[] = [];
  let nowcast = noNowcast;
  for (let k = 0; k < PRINTS; k += 1) {
    const print = path.printAt(k) ?? price(0n);
    nowcast = observePrint(nowcast, usdOf(print), k);
    if (k < FROM) continue;
    const step = (at: number) => path.levelOf(at) - path.levelOf(at - 1);
    const ahead = carry.aheadOf(step(k), step(k - 1)) / 100;
    for (const hour of HOURS) {
      const afterMs = hour * HOUR_MS;
      const bpsBy = (path: readonly number[] | null): number => {
        const view = viewAt(print, { usd: nowcastUsd(nowcast), path, afterMs });
        return 10_000 * ((worthIn(view, KAPPA_PER_HOUR)?.usd ?? Number.NaN) / usdOf(print) - 1);
      };
      const trueBps = carry.keptAt(k * DAY_MS + afterMs) * ahead;
      found.push({ trueBps, shownBps: bpsBy(nowcastPathUsd(nowcast)), byNextBps: bpsBy(null) });
    }
  }
  return found;
}

type Expected = { readonly usd: number | null; readonly path: readonly number[] | null; readonly afterMs: number };

function viewAt(print: Price, { usd, path, afterMs }: Expected): View {
  const { funding, chain, signals } = healthyView;
  if (funding.state === "absent" || chain.state === "absent") throw new Error("the healthy view has both");
  const due = { atMs: chainTimeMs + DAY_MS, earliestMs: chainTimeMs + DAY_MS, lastMs: chainTimeMs, everyMs: DAY_MS };
  return {
    ...healthyView,
    oracle: now({ ...oracle, price: print }),
    chain: now({ ...chain.value, timeMs: chainTimeMs + afterMs }),
    funding: now({ ...funding.value, lastFundingTimestampSec: chainTimeMs / 1000, fundingIntervalSecs: 3600 }),
    signals: { ...signals, nowcastUsd: usd, marketNowcastUsd: usd, nowcastPathUsd: path, nextPrint: due },
  };
}

const rms = (values: readonly number[]) => Math.sqrt(values.reduce((sum, each) => sum + each ** 2, 0) / values.length);

test("with funding over a day it errs at most 15 bps, by the next print alone more than 18, and a bp shown is 0.95 to 1.05 bp true", () => {
  const all = Array.from({ length: 5 }, (_, at) => shownOn(7301 + at)).flat();
  expect(rms(all.map(({ trueBps, shownBps }) => trueBps - shownBps))).toBeLessThanOrEqual(15);
  const both = all.reduce((sum, { trueBps, shownBps }) => sum + trueBps * shownBps, 0);
  const slope = both / all.reduce((sum, { shownBps }) => sum + shownBps ** 2, 0);
  expect(slope).toBeGreaterThanOrEqual(0.95);
  expect(slope).toBeLessThanOrEqual(1.05);
  expect(rms(all.map(({ trueBps, byNextBps }) => trueBps - byNextBps))).toBeGreaterThan(18);
});

test("later prints that move evenly are worth what carryFairValue makes of a drift", () => {
  const perPrint = (24 / 25) ** 24;
  const path = Array.from({ length: 400 }, (_, at) => 200 + 0.1 * at);
  expect(worthOfLaterPrints(path, 1 / 24, 24)).toBeCloseTo((0.1 * perPrint) / (1 - perPrint), 9);
  expect(worthOfLaterPrints([200], 1 / 24, 24)).toBe(0);
  expect(worthOfLaterPrints([], 1 / 24, 24)).toBe(0);
});

test("without a schedule of funding no later print counts", () => {
  const path = [201, 202, 203];
  const view = {
    ...viewAt(price(20_000_000_000n), { usd: 201, path, afterMs: 0 }),
    funding: { state: "absent" } as const,
  };
  expect(worthIn(view, KAPPA_PER_HOUR)?.usd).toBe(201);
});
