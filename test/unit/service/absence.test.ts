// Being away: a gap between two ticks, on either clock, is remembered for a while and then forgotten.

import { expect, test } from "vitest";
import { Absence } from "../../../src/service/absence.ts";

const at = (monotonicMs: number, wallMs = monotonicMs) => ({ monotonicMs, wallMs });

test("a process that ticks was never away", () => {
  const absence = new Absence();
  for (let ms = 0; ms <= 60_000; ms += 3000) absence.tick(at(ms));
  expect(absence.wasLately(60_000, 0)).toBe(false);
});

test("a gap of more than three seconds is remembered for thirty", () => {
  const absence = new Absence();
  absence.tick(at(0));
  absence.tick(at(3001));
  expect(absence.wasLately(3001, 0)).toBe(true);
  expect(absence.wasLately(33_001, 0)).toBe(true);
  expect(absence.wasLately(33_002, 0)).toBe(false);
});

test("what came after it was back is no matter of the gap", () => {
  const absence = new Absence();
  absence.tick(at(0));
  absence.tick(at(5000));
  expect([4999, 5000].map((sinceMs) => absence.wasLately(6000, sinceMs))).toEqual([true, false]);
});

test("a machine that slept shows it on its wall clock alone", () => {
  const absence = new Absence();
  absence.tick(at(0, 0));
  absence.tick(at(100, 3_600_100));
  expect(absence.wasLately(100, 0)).toBe(true);
});
