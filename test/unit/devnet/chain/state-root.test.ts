// The state root as a hash over a series of records.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createStateRoot, ROOT_OF_NOTHING } from "../../../../src/devnet/chain/state-root.ts";

const rootOf = (records: readonly string[], from?: string) => {
  const root = createStateRoot(from);
  for (const record of records) root.recordText(record);
  return root.seal();
};

describe("state root", () => {
  test("stays as it was without changes", () => {
    const root = createStateRoot();
    expect(root.seal()).toBe(ROOT_OF_NOTHING);
    root.recordText("a");
    expect(root.seal()).toBe(root.seal());
  });

  test("law: equal records give equal roots, text or bytes; different series give different ones", () => {
    const series = fc.array(fc.string({ unit: "grapheme", maxLength: 30 }));
    fc.assert(
      fc.property(series, series, (one, other) => {
        const bytes = createStateRoot();
        for (const record of one) bytes.record(Buffer.from(record));
        expect(bytes.seal()).toBe(rootOf(one));
        expect(rootOf(one) === rootOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
      { numRuns: 50 },
    );
  });

  test("records do not run into each other", () => {
    expect(rootOf(["ab", "c"])).not.toBe(rootOf(["a", "bc"]));
    expect(rootOf(["", "a"])).not.toBe(rootOf(["a", ""]));
  });

  test("goes on from a root as if it had never stopped", () => {
    const root = createStateRoot();
    root.recordText("a");
    const before = root.seal();
    root.recordText("b");
    expect(rootOf(["b"], before)).toBe(root.seal());
  });

  test("holds series longer than its buffer, and a single record longer than that", () => {
    const long = Array.from({ length: 40 }, (_, at) => String(at).repeat(40_000));
    const changed = long.with(0, "x".repeat(40_000));
    const huge = "y".repeat(3_000_000);
    expect(rootOf(long)).toBe(rootOf(long));
    expect(rootOf(long)).not.toBe(rootOf(changed));
    expect(rootOf([huge])).not.toBe(rootOf([`${huge}y`]));
  });
});
