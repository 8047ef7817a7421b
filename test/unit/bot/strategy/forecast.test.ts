// What the market may say of the next print, how much it counts, and what whoever moves its book may not make it say.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Forecast,
  followForecast,
  forecastErrorSquare,
  forecastShift,
  forecastWeight,
  judgeForecast,
  noForecast,
} from "../../../../src/bot/strategy/forecast.ts";
import { createPrng, type Prng } from "../../../../src/kernel/prng.ts";

const BPS = 1e-4;
const HOURS = 24;
const STEP_MS = 20_000;
const STEPS_PER_HOUR = 3_600_000 / STEP_MS;
const KAPPA = 1 / 8;
/** What past prints leave unknown of the next one, in log price. */
const SURPRISE = 5 * BPS;

/** What the market says by the price that it shows, log over the last print. */
const said = ({ log, own, share }: { readonly log: number; readonly own: number; readonly share: number }) => ({
  next: log / share,
  own,
  share,
  surprisesPerHour: 0.5,
});

/** What the mid shows, log price over the last print, where funding leaves `share` of what is expected; the print is `own` and a surprise. */
type Market = (at: { print: number; own: number; share: number; hour: number }, draw: Prng) => number;

const knows =
  (bps: number): Market =>
  ({ print, share }, draw) =>
    share * (print + bps * BPS * draw.gaussian());
const markets: Readonly<Record<string, Market>> = {
  "that stands 44 bps from prints that it knows nothing of": (_at, draw) => 44 * BPS * draw.gaussian(),
  "that stands 44 bps above the last print": () => 44 * BPS,
  "that stands at the last print": () => 0,
  "that repeats the nowcast with noise": ({ own, share }, draw) => share * own + 10 * BPS * draw.gaussian(),
  "that expects the opposite": ({ print, own, share }) => share * (2 * own - print),
  "that half knows the print": knows(5),
  "that knows the print": knows(1),
};

/** Mean squared error just before the prints in bps^2, without the market and with it. */
function errors(market: Market, seed: bigint, prints: number) {
  const draw = createPrng(seed);
  const noise = draw.fork("market");
  let state = noForecast;
  const sums = { without: 0, with: 0 };
  for (let day = 0; day < prints; day += 1) {
    const own = 3 * BPS * draw.gaussian();
    const print = own + SURPRISE * draw.gaussian();
    for (let hour = 0; hour < HOURS; hour += 1) {
      const share = (1 + KAPPA) ** (hour - HOURS + 1);
      const log = market({ print, own, share, hour }, noise);
      for (let step = 0; step < STEPS_PER_HOUR; step += 1)
        state = followForecast(state, said({ log, own, share }), SURPRISE, (hour * STEPS_PER_HOUR + step) * STEP_MS);
    }
    sums.without += ((print - own) / BPS) ** 2 / prints;
    sums.with += ((print - own - forecastShift(state)) / BPS) ** 2 / prints;
    state = judgeForecast(state, print - own, SURPRISE);
  }
  return { ...sums, state };
}

const SEEDS = Array.from({ length: 8 }, (_, seed) => BigInt(seed + 1));
const PRINTS = 60;

/** What the market leaves of the mean squared error, over all seeds and at most over one. */
function left(market: Market) {
  const runs = SEEDS.map((seed) => errors(market, seed, PRINTS));
  const sum = (of: "without" | "with") => runs.reduce((total, run) => total + run[of], 0);
  return { mean: sum("with") / sum("without"), most: Math.max(...runs.map((run) => run.with / run.without)) };
}

describe("the nowcast with the market", () => {
  test.each(Object.entries(markets))("law: is never worse than without it, beside one %s", (_name, market) => {
    const { mean, most } = left(market);
    expect(mean).toBeLessThanOrEqual(1.005);
    expect(most).toBeLessThanOrEqual(1.03);
  });

  test("has less than half of the squared error beside one that knows the print", () => {
    expect(left(knows(1)).mean).toBeLessThan(0.5);
  });
});

test("the error of the market is the mean of (implied - print) squared", () => {
  const { state } = errors(({ print, share }) => share * (print + 4 * BPS), 1n, 30);
  expect(Math.sqrt(forecastErrorSquare(state) ?? 0) / BPS).toBeGreaterThan(2.5);
  expect(Math.sqrt(forecastErrorSquare(state) ?? 0) / BPS).toBeLessThan(6);
  expect(forecastErrorSquare(noForecast)).toBe(null);
});

test("nothing before ten prints, however right the market was", () => {
  const shown = (print: number) => ({ log: print, own: 0, share: 1 });
  let state = noForecast;
  const weights: number[] = [];
  for (let day = 0; day < 12; day += 1) {
    const print = (day % 2 === 0 ? 1 : -1) * SURPRISE;
    for (let step = 0; step < 3 * STEPS_PER_HOUR; step += 1)
      state = followForecast(state, said(shown(print)), SURPRISE, step * STEP_MS);
    weights.push(forecastWeight(state));
    state = judgeForecast(state, print, SURPRISE);
  }
  expect(weights.slice(0, 10).every((weight) => weight === 0)).toBe(true);
  expect(weights[11]).toBeGreaterThan(0);
});

/** One in which the market counts in full. */
const believed: Forecast = { ...noForecast, record: { prints: 100, own: 1, both: 1, squares: 0.5 } };
const book = fc.array(
  fc.record({
    log: fc.double({ min: -1, max: 1, noNaN: true }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    ms: fc.integer({ min: 0, max: 600_000 }),
  }),
  { maxLength: 200 },
);

test("forbidden: that a book, whatever it shows, moves the nowcast by more than half a surprise an hour", () => {
  fc.assert(
    fc.property(book, (looks) => {
      let [state, nowMs] = [believed, 0];
      for (const { log, share, ms } of looks) {
        nowMs += ms;
        state = followForecast(state, said({ log, own: 0.0002, share }), SURPRISE, nowMs);
        expect(Math.abs(forecastShift(state))).toBeLessThanOrEqual((0.5 * SURPRISE * nowMs) / 3_600_000 + 1e-15);
      }
    }),
  );
});

test.each([
  [0.0004, 0.0004],
  [-0.0004, -0.0004],
  [0.005, 0.005],
])("forbidden: that the market takes it further than three surprises from the last print (%d)", (own) => {
  let state = believed;
  for (let step = 0; step < 100 * STEPS_PER_HOUR; step += 1)
    state = followForecast(state, said({ log: Math.sign(own), own, share: 1 }), SURPRISE, step * STEP_MS);
  expect(own + state.apart).toBeCloseTo(Math.sign(own) * Math.max(3 * SURPRISE, Math.abs(own)), 12);
});

test("where funding hides nearly all of it nothing is learned, nor from a time without a look", () => {
  const hidden = { log: 0.001, own: 0, share: 0.19 };
  const looks = (shown: typeof hidden) =>
    [0, 20_000, 40_000].reduce((state, ms) => followForecast(state, said(shown), SURPRISE, ms), believed);
  expect(looks(hidden)).toEqual(believed);
  expect(looks({ ...hidden, share: 0.2 }).since.weight).toBeCloseTo(40 * 0.04, 12);
  const after = followForecast(looks({ ...hidden, share: 1 }), said({ ...hidden, share: 1 }), SURPRISE, 9 * 3_600_000);
  expect(after.since.weight).toBe(60);
});
