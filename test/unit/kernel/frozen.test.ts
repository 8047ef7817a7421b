// Plain data is frozen to the bottom; what has a life of its own is left alone.

import { expect, test } from "vitest";
import { frozen } from "../../../src/kernel/frozen.ts";
import { mutableIn } from "../../support/mutable-in.ts";

test("lists and objects are frozen to the bottom, in place", () => {
  const value = { list: [{ deep: [[{ at: 1n }]] }], none: null, bare: Object.assign(Object.create(null), { of: [1] }) };
  expect(frozen(value)).toBe(value);
  expect(mutableIn(value)).toEqual([]);
  expect(() => value.list.splice(0)).toThrow(TypeError);
  expect(() => Object.assign(value.list[0]?.deep ?? [], { extra: 1 })).toThrow(TypeError);
});

test.each([[1], ["text"], [7n], [null], [undefined]])("%s is as it was", (value) => {
  expect(frozen(value)).toBe(value);
});

test("what is no plain data is left alone", () => {
  const value = { map: new Map([[1, 2]]), bytes: new Uint8Array(2), pattern: /x/ };
  frozen(value);
  expect(mutableIn(value)).toEqual([
    ".map: not frozen",
    ".map: a Map",
    ".bytes: not frozen",
    ".bytes: a Uint8Array",
    ".pattern: not frozen",
    ".pattern: a RegExp",
  ]);
});
