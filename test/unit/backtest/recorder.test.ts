// What a run comes to by days, on an exchange that is nothing but the equity of one account, a block an hour.

import { expect, test } from "vitest";
import { Recorder } from "../../../src/backtest/recorder.ts";
import type { Chain } from "../../../src/devnet/chain/chain.ts";
import { accountId, usdc } from "../../../src/domain/units.ts";
import { DAY_MS, HOUR_MS } from "../../../src/kernel/clock.ts";

const START_MS = 1_790_000_000_000;
const account = accountId(12n);
const world = { isDrawn: false, orderMs: 0, feedMs: 0, informedShare: null, pressureGaps: null, premiumPeriodSecs: {} };

/** USDC after each hour, from a start of 1000; `days` as the run was asked for. */
function run(equities: readonly number[], days: number) {
  let [equity, timeMs] = [1000, START_MS];
  let onBlock = (_: { readonly timeMs: number }): void => {};
  const held = () => ({ collateral: usdc(BigInt(Math.round(equity * 1e6))), positions: [], openOrders: [] });
  const chain = {
    reads: { account: held },
    head: () => ({ timeMs, stateRoot: "" }),
    onEvents: () => {},
    onBlock(told: typeof onBlock) {
      onBlock = told;
    },
  } as unknown as Chain;
  const recorder = new Recorder({ accounts: [{ accountId: account, markets: [] }] } as never, chain, {
    startMs: START_MS,
  });
  for (const next of equities) {
    equity = next;
    timeMs += HOUR_MS;
    onBlock({ timeMs });
  }
  return recorder.end({ name: null, seed: 1n, settings: [], days, warmUpDays: 0 } as never, world);
}

const hourly = (hours: number, equity: (hour: number) => number) =>
  Array.from({ length: hours }, (_, at) => equity(at + 1));
const usd = (text: string) => Math.round(Number(text) * 1e6);

test("law: days add up to the whole across midnights, whole or not", () => {
  for (const hours of [72, 60, 49, 24, 5]) {
    const { line, curves } = run(
      hourly(hours, (hour) => 1000 + 7 * Math.sin(hour) + hour / 10),
      (hours * HOUR_MS) / DAY_MS,
    );
    expect(curves.days).toHaveLength(Math.ceil(hours / 24));
    expect(Math.round(1e6 * curves.days.reduce((sum, day) => sum + day, 0))).toBe(usd(line.pnl));
  }
});

test("a drawdown counts from the equity at the start: a loss of the first day is one", () => {
  expect(
    run(
      hourly(24, (hour) => 1000 - hour),
      1,
    ).line.maxDrawdown,
  ).toBe("24");
  expect(
    run(
      hourly(24, (hour) => (hour === 1 ? 990 : 1000 + hour)),
      1,
    ).line.maxDrawdown,
  ).toBe("10");
  expect(
    run(
      hourly(24, (hour) => 1000 + hour),
      1,
    ).line.maxDrawdown,
  ).toBe("0");
});

test("a year is told by whole days: of two and a half by two, of one not at all", () => {
  const rising = (hour: number) => 1000 + hour;
  expect(run(hourly(60, rising), 2.5).line.annual).toEqual({ days: 2, pnl: 365 * 24, deviation: 0, sharpe: null });
  expect(run(hourly(24, rising), 1).line.annual).toBeNull();
});
