// Quotes follow what others quote, never themselves: while answers and frames of the book overtake each other, our own orders must not
// pass for others' in the book that the next quotes are priced from.

import { expect, test } from "vitest";
import { runWorld } from "../../src/sim/run.ts";

/** Others quote often there. */
const SEED = 40003n;
const MINUTES = 2;
/** 690 where quotes follow others alone; where our own orders pass for others', about twice as many. */
const MODIFIES_MAX = 1000;

test("quotes do not chase themselves", async () => {
  let modifies = 0;
  const onLine = (line: string): void => {
    if (line.includes(' send {"ModifyOrder"')) modifies += 1;
  };
  const { violation } = await runWorld({ seed: SEED, minutes: MINUTES, faults: [], onLine });
  expect(violation).toBeNull();
  expect(modifies).toBeGreaterThan(100);
  expect(modifies).toBeLessThan(MODIFIES_MAX);
});
