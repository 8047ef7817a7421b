// Shrinking: the faults that matter are found among many that do not.

import { expect, test } from "vitest";
import { shrink } from "../../src/sim/campaign.ts";
import type { Fault } from "../../src/sim/faults/fault.ts";

const fault = (id: number): Fault => ({ id, kind: "stall", how: "short", atMs: id, forMs: 0, amount: 100 });
const many = Array.from({ length: 24 }, (_, id) => fault(id));
const ids = (faults: readonly Fault[]) => faults.map(({ id }) => id);

test("two faults that only together break a law are all that is left", async () => {
  const breaks = async (faults: readonly Fault[]) =>
    ids(faults).includes(3) && ids(faults).includes(17) ? ("S2" as const) : null;
  expect(ids((await shrink(many, "S2", breaks, 500)).faults)).toEqual([3, 17]);
});

test("a world that breaks the law without a fault needs none", async () => {
  expect((await shrink(many, "S2", async () => "S2", 500)).faults).toEqual([]);
});

test("another law is another failure, and the number of runs is kept", async () => {
  let runs = 0;
  const breaks = async () => {
    runs += 1;
    return "S3" as const;
  };
  expect((await shrink(many, "S2", breaks, 10)).faults).toEqual(many);
  expect(runs).toBe(10);
});
