// Spans of time and counts read as people write them: two units at most, never "60 s" or "1 fills".

import fc from "fast-check";
import { expect, test } from "vitest";
import { countText, durationText, roughText } from "../../../src/kernel/text.ts";

test.each([
  [0, "0 ms"],
  [399.6, "400 ms"],
  [999.6, "1 s"],
  [1194.823_203, "1.2 s"],
  [9960, "10 s"],
  [39_559.9, "40 s"],
  [59_600, "1 min"],
  [590_706.96, "9 min 51 s"],
  [3_599_600, "1 h"],
  [7_500_000, "2 h 5 min"],
  [86_390_000, "1 d"],
  [7 * 86_400_000, "7 d"],
  [90_000_000, "1 d 1 h"],
  [-9907, "9.9 s"],
  [Number.NaN, "an unknown time"],
  [Number.POSITIVE_INFINITY, "an unknown time"],
])("%d ms is %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test.each([
  [0, "1 s"],
  [52_400, "52 s"],
  [254_000, "4 min 10 s"],
  [4_900_000, "1 h 22 min"],
  [5 * 3_600_000 + 200_000, "5 h"],
  [30 * 3_600_000 + 1_000_000, "1 d 6 h"],
  [20 * 86_400_000 + 40_000_000, "20 d"],
  [Number.POSITIVE_INFINITY, "an unknown time"],
])("%d ms is about %s", (ms, text) => {
  expect(roughText(ms)).toBe(text);
});

test("a count agrees with its noun", () => {
  expect([0, 1, 2].map((count) => countText(count, "fill"))).toEqual(["0 fills", "1 fill", "2 fills"]);
});

test("no unit reaches the next one", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e12 }), (ms) => {
      expect(durationText(ms)).not.toMatch(/\b(1000 ms|60 s|60 min|24 h)\b/);
    }),
  );
});
