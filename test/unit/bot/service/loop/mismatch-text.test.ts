// A difference from the exchange is told in the units of people, with the market's name.

import { expect, test } from "vitest";
import { mismatchKinds } from "../../../../../src/bot/feed/effects.ts";
import { mismatchText } from "../../../../../src/bot/service/loop/mismatch-text.ts";

test.each([
  [
    "position",
    "7952500",
    "7583500",
    "METRO-HPI: position corrected from 7.9525 to 7.5835: no fill shows the difference, booked as unattributed",
  ],
  ["orderPrice", "21694000000", "21695000000", "METRO-HPI: order price corrected from 216.94 to 216.95"],
  ["collateral", "100000000000", "99999500000", "METRO-HPI: collateral corrected from 100000 to 99999.5"],
  ["fillMissed", "none", "1:8816", "METRO-HPI: recovered a missed fill"],
] as const)("%s", (what, expected, found, text) => {
  expect(mismatchText("METRO-HPI", what, { expected, found })).toBe(text);
});

test("every kind has a sentence of its own", () => {
  const texts = mismatchKinds.map((what) => mismatchText("M", what, { expected: "1", found: "2" }));
  expect(new Set(texts).size).toBe(mismatchKinds.length);
});
