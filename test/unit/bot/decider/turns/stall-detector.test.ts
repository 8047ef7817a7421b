// How long the process stood still, and whether the machine slept meanwhile.

import { describe, expect, test } from "vitest";
import { StallDetector } from "../../../../../src/bot/decider/turns/stall-detector.ts";
import { loopTiming } from "../../../../../src/bot/timing.ts";

const at = (monotonicMs: number, wallMs = monotonicMs) => ({ monotonicMs, wallMs });
const longestOf = (stalls: StallDetector, now: ReturnType<typeof at>) => {
  const longest = stalls.longest(now);
  return longest.state === "absent" ? null : longest.value;
};

describe("a stall", () => {
  test("nobody knows it before the first tick", () => {
    expect(new StallDetector().longest(at(0)).state).toBe("absent");
  });

  test("a stall shows while it goes on and for five seconds after", () => {
    const stalls = new StallDetector();
    stalls.tick(at(0));
    expect(longestOf(stalls, at(loopTiming.tickMs + 700))).toBe(700);
    expect(stalls.tick(at(loopTiming.tickMs + 700))).toBe("ran");
    let now = loopTiming.tickMs + 700;
    for (; now < 5700; now += loopTiming.tickMs) {
      stalls.tick(at(now));
      expect(longestOf(stalls, at(now))).toBe(700);
    }
    for (; now < 6000; now += loopTiming.tickMs) stalls.tick(at(now));
    expect(longestOf(stalls, at(now))).toBe(0);
  });

  test("a machine that slept: its wall clock tells what the monotonic one has not counted, before the first tick after it too", () => {
    const stalls = new StallDetector();
    stalls.tick(at(0, 1_000_000));
    expect(stalls.wasAway(at(50, 1_000_050))).toBe(false);
    expect(longestOf(stalls, at(50, 1_060_050))).toBe(60_000 - loopTiming.tickMs + 50);
    expect(stalls.wasAway(at(50, 1_060_050))).toBe(true);
    expect(stalls.tick(at(loopTiming.tickMs, 1_060_000 + loopTiming.tickMs))).toBe("slept");
    expect(longestOf(stalls, at(2 * loopTiming.tickMs, 1_060_000 + 2 * loopTiming.tickMs))).toBe(60_000);
  });

  test("a wall clock that is set back, or forward by less than a second, is no sleep", () => {
    const stalls = new StallDetector();
    stalls.tick(at(0, 1_000_000));
    expect(stalls.tick(at(loopTiming.tickMs, 900_000))).toBe("ran");
    expect(stalls.tick(at(2 * loopTiming.tickMs, 900_000 + loopTiming.tickMs + 900))).toBe("ran");
    expect(longestOf(stalls, at(2 * loopTiming.tickMs, 900_000 + loopTiming.tickMs + 900))).toBe(0);
  });
});

describe("an absence", () => {
  test("law: a process that ticks was never away", () => {
    const stalls = new StallDetector();
    for (let ms = 0; ms <= 60_000; ms += 3000) expect(stalls.tick(at(ms))).toBe("ran");
  });

  test("edge: more than three seconds, known before the first tick after it, and told once", () => {
    const stalls = new StallDetector();
    stalls.tick(at(0));
    expect([3000, 3001].map((ms) => stalls.wasAway(at(ms)))).toEqual([false, true]);
    expect(stalls.tick(at(3001))).toBe("stalled");
    expect(stalls.wasAway(at(3001))).toBe(false);
    expect(stalls.tick(at(3101))).toBe("ran");
  });

  test("a process that nobody has let tick was not away", () => {
    expect(new StallDetector().wasAway(at(90_000))).toBe(false);
  });
});
