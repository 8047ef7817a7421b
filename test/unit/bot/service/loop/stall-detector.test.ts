// How long the process stood still, whether the machine slept meanwhile, and when an absence ended.

import { describe, expect, test } from "vitest";
import { StallDetector, TICK_MS } from "../../../../../src/bot/service/loop/stall-detector.ts";

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
    expect(longestOf(stalls, at(TICK_MS + 700))).toBe(700);
    expect(stalls.tick(at(TICK_MS + 700))).toBe("ran");
    let now = TICK_MS + 700;
    for (; now < 5700; now += TICK_MS) {
      stalls.tick(at(now));
      expect(longestOf(stalls, at(now))).toBe(700);
    }
    for (; now < 6000; now += TICK_MS) stalls.tick(at(now));
    expect(longestOf(stalls, at(now))).toBe(0);
  });

  test("a machine that slept: its wall clock tells what the monotonic one has not counted, before the first tick after it too", () => {
    const stalls = new StallDetector();
    stalls.tick(at(0, 1_000_000));
    expect(stalls.hasSlept(at(50, 1_000_050))).toBe(false);
    expect(longestOf(stalls, at(50, 1_060_050))).toBe(60_000 - TICK_MS + 50);
    expect(stalls.hasSlept(at(50, 1_060_050))).toBe(true);
    expect(stalls.tick(at(TICK_MS, 1_060_000 + TICK_MS))).toBe("slept");
    expect(longestOf(stalls, at(2 * TICK_MS, 1_060_000 + 2 * TICK_MS))).toBe(60_000);
  });

  test("a wall clock that is set back, or forward by less than a second, is no sleep", () => {
    const stalls = new StallDetector();
    stalls.tick(at(0, 1_000_000));
    expect(stalls.tick(at(TICK_MS, 900_000))).toBe("ran");
    expect(stalls.tick(at(2 * TICK_MS, 900_000 + TICK_MS + 900))).toBe("ran");
    expect(longestOf(stalls, at(2 * TICK_MS, 900_000 + TICK_MS + 900))).toBe(0);
  });
});

describe("an absence", () => {
  test("law: a process that ticks was never away", () => {
    const stalls = new StallDetector();
    for (let ms = 0; ms <= 60_000; ms += 3000) stalls.tick(at(ms));
    expect(stalls.absenceBefore(60_000)).toBeNull();
  });

  test("edge: one of more than three seconds is remembered for thirty", () => {
    const stalls = new StallDetector();
    stalls.tick(at(0));
    stalls.tick(at(3001));
    expect(stalls.absenceBefore(3001)).toEqual({ sinceMs: 100, backMs: 3001, forMs: 3001 });
    expect(stalls.absenceBefore(33_001)?.backMs).toBe(3001);
    expect(stalls.absenceBefore(33_002)).toBeNull();
  });

  test("forbidden: what was known before one began did not happen in it", () => {
    const stalls = new StallDetector();
    for (const ms of [0, 100, 90_000]) stalls.tick(at(ms));
    expect([199, 200, 90_000].map((ms) => stalls.absenceBefore(ms)?.backMs)).toEqual([undefined, 90_000, 90_000]);
  });

  test("law: of two in a row, what went in the first did", () => {
    const stalls = new StallDetector();
    for (const ms of [0, 100, 20_000, 20_100, 25_000]) stalls.tick(at(ms));
    expect([200, 20_050, 20_150, 20_200, 55_000].map((ms) => stalls.absenceBefore(ms)?.backMs)).toEqual([
      20_000, 20_000, 20_000, 25_000, 25_000,
    ]);
  });

  test("edge: a machine that slept shows it on its wall clock alone", () => {
    const stalls = new StallDetector();
    stalls.tick(at(0, 0));
    stalls.tick(at(100, 3_600_100));
    expect(stalls.absenceBefore(100)?.backMs).toBe(100);
  });
});
