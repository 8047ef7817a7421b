// The grid of `--set`: how it is written, in which order its cells run, and what it refuses.

import { expect, test } from "vitest";
import { GridError, parseAxis, readCells, settingsOf } from "../../../src/backtest/grid.ts";
import { systemFiles } from "../../../src/kernel/yaml/files.ts";
import { backtestFiles } from "./scene.ts";

const HALF = "accounts.12.markets.1.params.halfSpreadBps";

test("an axis is a path and values as YAML reads them", () => {
  expect(parseAxis(`${HALF}=4,2.5,glft`)).toEqual({ path: HALF, values: [4, 2.5, "glft"] });
});

test.each(["", "a", "=1", "a=", "a=1,,2", "a=[1"])("%j is no axis", (written) => {
  expect(() => parseAxis(written)).toThrow(GridError);
});

test("cells are all combinations, the last axis fastest; without an axis there is one", () => {
  const cells = settingsOf([parseAxis("a=1,2"), parseAxis("b=x,y")]);
  expect(cells.map((cell) => cell.map(({ value }) => value))).toEqual([
    [1, "x"],
    [1, "y"],
    [2, "x"],
    [2, "y"],
  ]);
  expect(settingsOf([])).toEqual([[]]);
});

test("an axis that appears twice is refused", () => {
  expect(() => settingsOf([parseAxis("a=1"), parseAxis("a=2")])).toThrow(/appears twice/);
});

async function faultsOf(...sets: readonly string[]): Promise<readonly string[]> {
  const error = await readCells(backtestFiles(), sets.map(parseAxis), systemFiles).catch((thrown: unknown) => thrown);
  return error instanceof GridError ? error.faults : [];
}

test("what is allowed passes", async () => {
  expect(await faultsOf(`${HALF}=4,5`, "accounts.12.markets.2.limits.maxPosition=7")).toEqual([]);
});

test.each([
  ["accounts.13.markets.1.params.halfSpreadBps=4", /no 13 there; did you mean 12\?/],
  ["accounts.12.markets.1.params.halfSpredBps=4", /halfSpredBps=4: .*halfSpreadBps/],
  ["accounts.12.markets.1.limit.maxPosition=4", /limit\.maxPosition=4: .*limits/],
  [`${HALF}=-1`, /halfSpreadBps=-1: .*allowed/],
  [`${HALF}=wide`, /halfSpreadBps=wide: .*allowed/],
  ["accounts.12.markets.1.strategy=gltf", /strategy=gltf: .*glft/],
])("%s is refused", async (set, says) => {
  expect((await faultsOf(set)).join("\n")).toMatch(says);
});
