// Hours of quoting in the ledger: each holds what was counted in it, whatever came before, and no clock overwrites one.

import { beforeEach, expect, test } from "vitest";
import { hourText, minusCounts, noCounts, plusCounts, readHour } from "../../../../src/bot/analytics/hour.ts";
import type { MarketDesk } from "../../../../src/bot/decider/desks/market-desk.ts";
import { HoursKeeper } from "../../../../src/bot/live/kept-hours.ts";
import { size, usdc } from "../../../../src/domain/units.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../src/kernel/clock.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { account, Desks } from "../service/desks.ts";

const HOUR = 500_000;

let world: Desks;
let clock: VirtualClock;
let chain: { offsetMs: number | null };
let keeper: HoursKeeper;
/** Ten minutes before an hour begins; the exchange's clock says the same as ours. */
beforeEach(() => {
  world = new Desks();
  clock = createVirtualClock({ startMs: HOUR * HOUR_MS - 10 * MINUTE_MS });
  chain = { offsetMs: clock.wallMs() - clock.monotonicMs() };
  keeper = new HoursKeeper(world.desks, { state: { chain } as never, ledger: world.ledger, clock });
});

const market = (): MarketDesk => world.desk().markets.get(1) as MarketDesk;
/** Seconds go by in which nothing rests, because turns fail, or in which both sides rest. */
function pass(seconds: number, isQuoted = false): void {
  for (let at = 0; at < seconds; at += 1) {
    if (!isQuoted) market().quoting.failed("a test", clock.monotonicMs());
    clock.advanceSync(1000);
    if (!isQuoted) market().quoting.failed("a test", clock.monotonicMs());
    else market().fills.quotedSeconds += 1;
    keeper.look();
  }
}
const hours = () => {
  world.ledger.commit();
  return world.ledger.read
    .hours(account)
    .filter(({ marketId }) => marketId === 1)
    .map(({ hour, state }) => ({ hour, ...readHour(state) }));
};

test("law: an hour holds what was counted in it, and hours add up to the run", () => {
  pass(599, true);
  pass(120);
  keeper.keep();
  const [first, second] = hours();
  expect([first?.hour, second?.hour]).toEqual([HOUR - 1, HOUR]);
  // The second in which the hour ends belongs to the first.
  expect(first).toMatchObject({ twoSidedSecs: 599, silentSecs: { buy: { turnFault: 1 }, sell: { turnFault: 1 } } });
  expect(second).toMatchObject({ twoSidedSecs: 0, silentSecs: { buy: { turnFault: 119 } } });
  const both = plusCounts(first ?? noCounts, second ?? noCounts);
  expect([both.watchedSecs, both.twoSidedSecs]).toEqual([market().quoting.watchedSecs, market().fills.quotedSeconds]);
  expect(second).toMatchObject({ strategy: "fixed-spread", config: "0123456789ab", maxPosition: 20_000_000n });
});

test("an hour is written every ten seconds, so that a death costs no more", () => {
  pass(1);
  const before = hours();
  pass(19);
  expect(before).toMatchObject([{ watchedSecs: 1 }]);
  expect(hours()).toMatchObject([{ watchedSecs: 11 }]);
});

test("edge: a run that begins in the same hour has a row of its own", () => {
  pass(5);
  clock.advanceSync(1000);
  world.ledger.commit();
  keeper = new HoursKeeper(world.desks, { state: { chain } as never, ledger: world.ledger, clock });
  pass(3);
  expect(hours()).toHaveLength(2);
});

test("forbidden: the exchange's clock goes back into an hour that has ended, and overwrites it", () => {
  pass(700);
  const [ended] = hours();
  chain.offsetMs = (chain.offsetMs ?? 0) - 20 * MINUTE_MS;
  pass(61);
  keeper.keep();
  expect(hours()[0]).toEqual(ended);
});

test("forbidden: a row while chain time is unknown", () => {
  chain.offsetMs = null;
  pass(61);
  keeper.keep();
  expect(hours()).toEqual([]);
});

test("a text is read as it was written; one that is none of ours is refused", () => {
  const markouts = { ...noCounts.markouts, "10s": { count: 3, sum: -1.25 } };
  const hour = {
    ...{ strategy: "glft", config: "00", maxPosition: size(1n << 60n), maxLoss: usdc(5n) },
    ...{ ...noCounts, watchedSecs: 1.5, silentSecs: { buy: { oracle: 2 }, sell: {} }, markouts },
  };
  expect(readHour(hourText(hour))).toEqual(hour);
  for (const text of ["{}", "[]", hourText(hour).replace("1.5", '"x"')])
    expect(() => readHour(text), text).toThrow(expect.objectContaining({ code: "hour_malformed" }));
  expect(() => readHour("{")).toThrow();
  expect(minusCounts(hour, hour)).toEqual(noCounts);
});
