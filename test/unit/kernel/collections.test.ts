// Collections with a cap, and the heap behind the virtual clock.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InvariantError } from "../../../src/kernel/assert.ts";
import { createOldestOutMap, createRing } from "../../../src/kernel/bounded.ts";
import { createHeap } from "../../../src/kernel/heap.ts";

describe("ring", () => {
  test("holds the newest items, oldest first, whatever went through it", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 9 }), (items, capacity) => {
        const ring = createRing<number>(capacity);
        for (const item of items) ring.push(item);
        const kept = items.slice(-capacity);
        expect(ring.items()).toEqual(kept);
        expect(ring.length()).toBe(kept.length);
        expect(ring.newest()).toBe(kept.at(-1));
        expect(kept.map((_item, index) => ring.at(index))).toEqual(kept);
        expect(ring.at(kept.length)).toBeUndefined();
        expect(ring.at(-1)).toBeUndefined();
      }),
    );
  });

  test("is empty after clear and fills again from the start", () => {
    const ring = createRing<number>(2);
    for (const item of [1, 2, 3]) ring.push(item);
    ring.clear();
    ring.push(4);
    expect(ring.items()).toEqual([4]);
  });

  test.each([0, -1, 1.5])("a capacity of %d is a fault of the code", (capacity) => {
    expect(() => createRing(capacity)).toThrow(InvariantError);
  });
});

describe("oldest-out map", () => {
  test("lets the first added go, even when it was read or written since", () => {
    const map = createOldestOutMap<string, number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.set("a", 3);
    expect(map.get("a")).toBe(3);
    map.set("c", 4);
    expect([...map.keys()]).toEqual(["b", "c"]);
    expect(map.has("a")).toBe(false);
    expect(map.delete("b")).toBe(true);
    expect(map.size()).toBe(1);
  });

  test("law: holds what a list would, whatever is added, deleted and added again", () => {
    const step = fc.record({ key: fc.nat(12), isDelete: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 6 }), (steps, capacity) => {
        const map = createOldestOutMap<number, true>(capacity);
        let kept: readonly number[] = [];
        for (const { key, isDelete } of steps) {
          if (isDelete) {
            map.delete(key);
            kept = kept.filter((other) => other !== key);
          } else {
            map.set(key, true);
            if (!kept.includes(key)) kept = [...kept, key].slice(-capacity);
          }
          expect([...map.keys()]).toEqual(kept);
        }
      }),
    );
  });
});

test("heap gives back what went in, least first", () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (items) => {
      const heap = createHeap<number>((a, b) => a < b);
      for (const item of items) heap.push(item);
      const sorted = [...items].sort((a, b) => a - b);
      expect(heap.size()).toBe(items.length);
      expect(heap.peek()).toBe(sorted[0]);
      expect(sorted.map(() => heap.pop())).toEqual(sorted);
      expect(heap.pop()).toBeUndefined();
    }),
  );
});
