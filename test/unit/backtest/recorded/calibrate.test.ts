// What `calibrate` finds in a recorded devnet whose law is known: its intervals hold the truth.

import { createHash } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { recordSession } from "../../../../bench/recorded-session.ts";
import { type Calibration, calibrateRecording, type Fitted } from "../../../../src/backtest/recorded/calibrate.ts";
import { recordingOf } from "../../../../src/backtest/recorded/recording.ts";
import { loadConfiguration } from "../../../../src/configuration.ts";
import { systemFiles } from "../../../../src/kernel/yaml/files.ts";
import type { SimulatedExchange } from "../../../../src/sim/exchange.ts";
import { scratchFolder } from "../../../support/scratch.ts";

/** Funding takes a premium in so long, and settles often enough to be seen in half an hour. */
const PREMIUM_HOURS = 4;
const SETTLES_SECS = 120;
/** How far noise reaches on average, and how often it comes on a side: half of the demo's 0.25 a second. */
const REACH_BPS = 4.7;
const NOISE_A = 0.125;
/** The demo's account. */
const OURS = "12";
/** Of the crowd's accounts, by how it names them. */
const knowing = new Set(
  ["informed", "sniper"].map((name) => createHash("sha256").update(`crowd:${name}`).digest("hex")),
);

let found: Calibration;
const takers = new Map<bigint, boolean>();

/** What calibrate finds in a recorded session of the demo's first market. */
async function calibrationOf(hours: number, watch?: (exchange: SimulatedExchange) => void): Promise<Calibration> {
  const { bot, devnet } = await loadConfiguration("config/demo.yaml", systemFiles);
  const [account] = bot.accounts;
  if (devnet === null || account === undefined) throw new Error("the demo has both");
  const markets = devnet.markets.slice(0, 1).map((market) => ({
    ...market,
    fundingIntervalSecs: SETTLES_SECS,
    premiumPeriodSecs: PREMIUM_HOURS * 3600,
  }));
  const folder = scratchFolder("calibrate");
  const own = { ...bot, accounts: [{ ...account, markets: account.markets.slice(0, 1) }] };
  await recordSession({ ...devnet, markets }, { bot: own, hours, seed: 2n, folder, ...(watch && { watch }) });
  const [only] = calibrateRecording(recordingOf(folder));
  if (only === undefined) throw new Error("there is a market");
  return only;
}

beforeAll(async () => {
  found = await calibrationOf(0.5, ({ chain }) =>
    chain.onEvents(({ events }) => {
      for (const event of events) {
        if (event.type !== "Fill") continue;
        const { takerAccountId, takerOrderId } = event.execution;
        if (`${takerAccountId}` === OURS) continue;
        takers.set(takerOrderId, knowing.has(chain.reads.account(takerAccountId)?.owner ?? ""));
      }
    }),
  );
});

function within(name: Fitted): readonly [low: number, value: number, high: number] {
  const { low, value, high } = found.estimates[name] ?? { low: null, value: null, high: null };
  if (low === null || value === null || high === null) throw new Error(`${name} has no interval`);
  expect(low).toBeLessThanOrEqual(value);
  expect(high).toBeGreaterThanOrEqual(value);
  return [low, value, high];
}

test("it counts what there was", () => {
  expect(found).toMatchObject({ marketId: 1, market: "USA-HPI", takers: takers.size, prints: 31 });
  expect(found.settlements).toBeGreaterThan(10);
  expect(found.hours).toBeCloseTo(0.5, 2);
});

test("kappa is what the market pays of a premium in an hour", () => {
  const [low, value, high] = within("kappaPerHour");
  expect(low).toBeLessThan(1 / PREMIUM_HOURS);
  expect(high).toBeGreaterThan(1 / PREMIUM_HOURS);
  expect(value).toBeCloseTo(1 / PREMIUM_HOURS, 2);
});

test("the surprise of a print is what is new in it", () => {
  // AR(2) with roots 0.3 and (0.76 - 0.3) / (1 - 0.76 x 0.3), and a standard deviation of 4.5 bps.
  const stay = (0.76 - 0.3) / (1 - 0.76 * 0.3);
  const [first, second] = [0.3 + stay, -0.3 * stay];
  const variance = (1 - second) / ((1 + second) * ((1 - second) ** 2 - first ** 2));
  const [low, , high] = within("printSurpriseBps");
  expect(low).toBeLessThan(4.5 / Math.sqrt(variance));
  expect(high).toBeGreaterThan(4.5 / Math.sqrt(variance));
});

test("no more takers are told to know than really did", () => {
  const share = [...takers.values()].filter((knew) => knew).length / takers.size;
  expect(found.estimates.informedShare?.value).toBeLessThan(share);
});

test("takers reach as far as the crowd's law says", () => {
  const [low, , high] = within("depthBps");
  expect(low).toBeLessThan(REACH_BPS);
  expect(high).toBeGreaterThan(REACH_BPS);
  const [least, , most] = within("intensityA");
  expect(least).toBeLessThan(NOISE_A);
  expect(most).toBeGreaterThan(NOISE_A);
});

test("volatility and what prints move have intervals too", () => {
  for (const name of ["volatilityBps", "intensityK", "printMoveBps"] as const) within(name);
});

test("four minutes give no figure that rests on five prints or one settlement", async () => {
  const few = await calibrationOf(4.5 / 60);
  expect(few).toMatchObject({ prints: 5, settlements: 1 });
  expect(few.estimates).toMatchObject({ kappaPerHour: null, printSurpriseBps: null, printMoveBps: null });
});
