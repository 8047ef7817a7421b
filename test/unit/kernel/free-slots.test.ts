// Free numbers, against a list that is searched.

import fc from "fast-check";
import { expect, test } from "vitest";
import { FreeSlots } from "../../../src/kernel/free-slots.ts";

test("law: the next free number is the one that a search finds", () => {
  const draws = fc.array(fc.record({ from: fc.nat(12), takes: fc.boolean() }), { maxLength: 60 });
  fc.assert(
    fc.property(fc.nat(12), draws, (count, steps) => {
      const slots = new FreeSlots(count);
      const taken = new Set<number>();
      for (const { from, takes } of steps) {
        if (from > count) continue;
        let expected = from;
        while (expected < count && taken.has(expected)) expected += 1;
        expect(slots.from(from)).toBe(expected);
        if (!takes || expected === count) continue;
        slots.take(expected);
        taken.add(expected);
        expect(slots.isFree(expected)).toBe(false);
      }
    }),
  );
});
