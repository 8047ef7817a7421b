// Holds the laws of the house over the sources as they are. What each rule means and would catch is in rules.test.ts.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import * as rules from "./rules.ts";
import { concepts, mayImport, packageHomes } from "./table.ts";
import { readTree } from "./tree.ts";

const project = resolve(import.meta.dirname, "../..");
const product = readTree(project, ["src", "strategies"]);
const everything = [...product, ...readTree(project, ["test", "bench"])];

test.each([
  ["imports point one way", rules.importsPointOneWay],
  ["rooms are entered by their doors", rules.doorsAreUsed],
  ["packages have one home", rules.packagesHaveOneHome],
  ["imports resolve", rules.importsResolve],
  ["imports have no cycle", rules.importsHaveNoCycle],
  ["nothing is dead", rules.nothingIsDead],
  ["what is banned is touched in its homes alone", rules.bansHold],
  ["homes are needed", rules.homesAreNeeded],
  ["the table names rooms that exist", rules.roomsExist],
  ["long files say why they are one concept", rules.longFilesSayWhy],
  ["small files are concepts", rules.smallFilesAreConcepts],
])("%s", (_, rule) => {
  expect(rule(product)).toEqual([]);
});

test("files open with their purpose, tests and benches too", () => {
  expect(rules.filesOpenWithTheirPurpose(everything)).toEqual([]);
});

test("nothing is postponed, in tests and benches neither", () => {
  expect(rules.nothingIsPostponed(everything)).toEqual([]);
});

test("every concept that the table names exists", () => {
  const paths = new Set(product.map(({ path }) => path));
  expect(Object.keys(concepts).filter((path) => !paths.has(path))).toEqual([]);
});

test("every dependency has a home, and every home a dependency", () => {
  expect(new Set(Object.keys(packageHomes))).toEqual(new Set(Object.keys(manifest.dependencies)));
});

test("the table for readers in src/README.md has the same folders", () => {
  const rows = readFileSync(join(project, "src/README.md"), "utf8").matchAll(/^\| `.*?\|/gm);
  const folders = Array.from(rows).flatMap(([cell]) => cell.match(/[\w/-]+/g) ?? []);
  expect(new Set(folders)).toEqual(new Set(Object.keys(mayImport).filter((area) => !area.includes("."))));
});

test("the wings do not know each other", () => {
  const across = Object.entries(mayImport).flatMap(([area, targets]) => {
    const other = area.startsWith("bot/") ? "devnet" : area === "devnet" ? "bot" : null;
    return other === null ? [] : targets.filter((target) => target.includes(other)).map((target) => [area, target]);
  });
  expect(across).toEqual([]);
});
