// Being away: a gap between two ticks, on either clock, is remembered for a while and then forgotten.

import { expect, test } from "vitest";
import { Absence } from "../../../../../src/bot/service/loop/stall-detection.ts";

const at = (monotonicMs: number, wallMs = monotonicMs) => ({ monotonicMs, wallMs });

test("a process that ticks was never away", () => {
  const absence = new Absence();
  for (let ms = 0; ms <= 60_000; ms += 3000) absence.tick(at(ms));
  expect(absence.backLately(60_000)).toBeNull();
});

test("a gap of more than three seconds is remembered for thirty", () => {
  const absence = new Absence();
  absence.tick(at(0));
  absence.tick(at(3001));
  expect(absence.backLately(3001)).toBe(3001);
  expect(absence.backLately(33_001)).toBe(3001);
  expect(absence.backLately(33_002)).toBeNull();
});

test("a machine that slept shows it on its wall clock alone", () => {
  const absence = new Absence();
  absence.tick(at(0, 0));
  absence.tick(at(100, 3_600_100));
  expect(absence.backLately(100)).toBe(100);
});
