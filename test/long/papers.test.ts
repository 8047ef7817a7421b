// Table 1 of Avellaneda and Stoikov with 20,000 paths of each row through the shipped strategies: within 3 % of the exact values.

import { expect, test } from "vitest";
import { createPrng } from "../../src/kernel/prng.ts";
import { formulaOf, paperRows, shippedOf } from "../support/paper-rows.ts";
import { exactMoments, simulateMoments } from "../support/papers.ts";

test.each(paperRows)("gamma $gamma, $strategy", (row) => {
  const exact = exactMoments(formulaOf(row));
  const ours = simulateMoments(shippedOf(row), 20_000, createPrng(1n));
  for (const key of ["profit", "profitStd", "inventoryStd", "fills"] as const)
    expect(Math.abs(ours[key] / exact[key] - 1), key).toBeLessThan(0.03);
});
