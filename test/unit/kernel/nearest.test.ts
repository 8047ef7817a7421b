// The name that was meant, and how many edits two words are apart.

import { expect, test } from "vitest";
import { editDistance, meant, nearest, withAllowed } from "../../../src/kernel/nearest.ts";

test.each([
  ["", "", 0],
  ["glft", "glft", 0],
  ["glft", "gltf", 1],
  ["kitten", "sitting", 3],
  ["", "abc", 3],
  ["abc", "", 3],
  ["ca", "abc", 3],
])("%j and %j are %d edits apart, both ways", (one, other, edits) => {
  expect(editDistance(one, other)).toBe(edits);
  expect(editDistance(other, one)).toBe(edits);
});

test("the nearest name is found through case and swapped letters; a far one is not offered", () => {
  const names = ["halfSpreadBps", "size", "levels"];
  expect(nearest("halfSpraedBps", names)).toBe("halfSpreadBps");
  expect(nearest("halfspreadbps", names)).toBe("halfSpreadBps");
  expect(nearest("level", names)).toBe("levels");
  expect(nearest("half", names)).toBe("halfSpreadBps");
  expect(nearest("ha", names)).toBeUndefined();
  expect(nearest("gamma", names)).toBeUndefined();
  expect(nearest("12", [])).toBeUndefined();
});

test("a single letter is corrected, but not into a word of other letters", () => {
  expect(nearest("13", ["12", "99"])).toBe("12");
  expect(nearest("7", ["12", "99"])).toBeUndefined();
});

test("a fault ends with the nearest name of each, or as it is", () => {
  const names = ["fixed-spread", "glft", "ladder"];
  expect(meant(["momentum"], names)).toBe("");
  expect(meant(["gltf", "momentum"], names)).toBe("; did you mean glft?");
  expect(meant(["gltf", "Fixed_Spread"], names)).toBe("; did you mean glft or fixed-spread?");
});

test("what was probably meant comes before the list of what is allowed", () => {
  const names = ["fixed-spread", "glft"];
  expect(withAllowed("unknown", ["gltf"], names)).toBe("unknown; did you mean glft? Allowed: fixed-spread, glft");
  expect(withAllowed("unknown", ["momentum"], names, ", or a path")).toBe(
    "unknown; allowed: fixed-spread, glft, or a path",
  );
});
