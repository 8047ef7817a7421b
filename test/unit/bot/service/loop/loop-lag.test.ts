// How long the process stood still, and whether the machine slept meanwhile.

import { describe, expect, test } from "vitest";
import { LoopLag, TICK_MS } from "../../../../../src/bot/service/loop/loop-lag.ts";

const at = (monotonicMs: number, wallMs = monotonicMs) => ({ monotonicMs, wallMs });
const lagOf = (lag: LoopLag, now: ReturnType<typeof at>) => {
  const longest = lag.longest(now);
  return longest.state === "absent" ? null : longest.value;
};

describe("the lag of the loop", () => {
  test("nobody knows it before the first tick", () => {
    expect(new LoopLag().longest(at(0)).state).toBe("absent");
  });

  test("a stall shows while it goes on and for five seconds after", () => {
    const lag = new LoopLag();
    lag.tick(at(0));
    expect(lagOf(lag, at(TICK_MS + 700))).toBe(700);
    expect(lag.tick(at(TICK_MS + 700))).toBe("ran");
    let now = TICK_MS + 700;
    for (; now < 5700; now += TICK_MS) {
      lag.tick(at(now));
      expect(lagOf(lag, at(now))).toBe(700);
    }
    for (; now < 6000; now += TICK_MS) lag.tick(at(now));
    expect(lagOf(lag, at(now))).toBe(0);
  });

  test("a machine that slept: its wall clock tells what the monotonic one has not counted, before the first tick after it too", () => {
    const lag = new LoopLag();
    lag.tick(at(0, 1_000_000));
    expect(lagOf(lag, at(50, 1_060_050))).toBe(60_000 - TICK_MS + 50);
    expect(lag.tick(at(TICK_MS, 1_060_000 + TICK_MS))).toBe("slept");
    expect(lagOf(lag, at(2 * TICK_MS, 1_060_000 + 2 * TICK_MS))).toBe(60_000);
  });

  test("a wall clock that is set back, or forward by less than a second, is no sleep", () => {
    const lag = new LoopLag();
    lag.tick(at(0, 1_000_000));
    expect(lag.tick(at(TICK_MS, 900_000))).toBe("ran");
    expect(lag.tick(at(2 * TICK_MS, 900_000 + TICK_MS + 900))).toBe("ran");
    expect(lagOf(lag, at(2 * TICK_MS, 900_000 + TICK_MS + 900))).toBe(0);
  });
});
