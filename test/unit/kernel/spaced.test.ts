// The first of each kind is said, and the next one not before the time has passed.

import { expect, test } from "vitest";
import { Spaced } from "../../../src/kernel/spaced.ts";

test("each kind is said at once, and again when the time has passed since it was said", () => {
  const spaced = new Spaced(100);
  expect([0, 50, 99, 100, 150, 200].map((nowMs) => spaced.isDue("a", nowMs))).toEqual([
    true,
    false,
    false,
    true,
    false,
    true,
  ]);
  expect(spaced.isDue("b", 201)).toBe(true);
});
