// The space of a search: how it is written, what it refuses, and which settings are tried.

import { expect, test } from "vitest";
import { GridError } from "../../../../src/backtest/grid.ts";
import { prepareTune } from "../../../../src/backtest/tune/prepare.ts";
import { sobolPoints } from "../../../../src/backtest/tune/sobol.ts";
import {
  checkSpace,
  neighborsIn,
  type Param,
  parseParam,
  pointOf,
  type Space,
  settingsAt,
} from "../../../../src/backtest/tune/space.ts";
import { systemFiles } from "../../../../src/kernel/yaml/files.ts";
import { backtestFiles } from "../scene.ts";

const PARAMS = "accounts.12.markets.1.params";
const HALF = `${PARAMS}.halfSpreadBps`;
const all = async () => true;
const evenly = (space: Space, count: number) =>
  settingsAt(space, sobolPoints(space.params.length).take(50 * count), { count });
const spaceOf = (
  params: readonly Param[],
  wholes: readonly string[] = [],
  isAllowed: Space["isAllowed"] = all,
): Space => ({
  params,
  wholes: new Set(wholes),
  isAllowed,
});
/** With a range or values. */
const paramOf = (written: string): Param => parseParam(written) as Param;

test("a range is even in the logarithm where it is wide and above zero", () => {
  expect(parseParam(`${HALF}=1..12`)).toEqual({ path: HALF, low: 1, high: 12, isLog: false });
  expect(parseParam(`${HALF}=0.1..1e2`)).toEqual({ path: HALF, low: 0.1, high: 100, isLog: true });
  expect(parseParam(`${HALF}=1..100`)).toMatchObject({ isLog: false });
  expect(parseParam(`${HALF}=-1..1000`)).toMatchObject({ low: -1, isLog: false });
  expect(parseParam(`${HALF}=2,print`)).toEqual({ path: HALF, values: [2, "print"] });
  expect(parseParam(HALF), "the strategy's own range").toEqual({ path: HALF });
});

test.each([
  ["=1..2", /write it as PATH=LOW\.\.HIGH/],
  [`${HALF}=12..1`, /halfSpreadBps=12\.\.1: LOW must be below HIGH/],
  [`${HALF}=2..2`, /LOW must be below HIGH/],
  [`${HALF}=1..x`, /LOW and HIGH are numbers/],
  [`${HALF}=1..2..3`, /LOW and HIGH are numbers/],
  [`${HALF}=..3`, /LOW and HIGH are numbers/],
  [`${HALF}=1,,2`, /write it as/],
  ["accounts.12.markets.1.limits.maxPosition=1..5", /only parameters of a strategy/],
])("%s is refused", (written, why) => {
  expect(() => parseParam(written)).toThrow(why);
});

test("none, one that appears twice and more than ten are refused", () => {
  expect(() => checkSpace([])).toThrow(/an option is missing/);
  expect(() => checkSpace([parseParam(`${HALF}=1..2`), parseParam(`${HALF}=3..4`)])).toThrow(/appears twice/);
  const many = Array.from({ length: 11 }, (_, nth) => parseParam(`${PARAMS}.p${nth}=1..2`));
  expect(() => checkSpace(many)).toThrow(/11 times --param, at most 10/);
});

test("settings differ, lie in the range, and have every whole number and every value", async () => {
  const space = [paramOf(`${HALF}=0.1..1000`), paramOf(`${PARAMS}.levels=1..3`), paramOf(`${PARAMS}.center=a,b`)];
  const found = await evenly(spaceOf(space, [`${PARAMS}.levels`]), 64);
  const column = (nth: number) => found.map((settings) => settings[nth]?.value);
  expect(new Set(found.map((settings) => JSON.stringify(settings))).size).toBe(64);
  const halves = column(0) as readonly number[];
  expect(Math.min(...halves)).toBeGreaterThanOrEqual(0.1);
  expect(Math.max(...halves)).toBeLessThanOrEqual(1000);
  expect(
    halves.filter((half) => half < 10),
    "half of them, in the logarithm",
  ).toHaveLength(32);
  expect(new Set(column(1))).toEqual(new Set([1, 2, 3]));
  expect(new Set(column(2))).toEqual(new Set(["a", "b"]));
});

test("whole numbers of a wide range are even in the logarithm, and a narrow range keeps its values apart", async () => {
  const whole = await evenly(spaceOf([paramOf(`${HALF}=1..1000`)], [HALF]), 40);
  expect(whole.filter(([half]) => Number(half?.value) <= 31).length).toBeGreaterThan(15);
  expect(whole.every(([half]) => Number.isInteger(half?.value))).toBe(true);
  const narrow = await evenly(spaceOf([paramOf(`${HALF}=217.11..217.19`)]), 20);
  expect(narrow).toHaveLength(20);
  expect(narrow.every(([half]) => Number(half?.value) >= 217.11 && Number(half?.value) <= 217.19)).toBe(true);
});

test("a small space is tried whole, and what is not allowed is left out", async () => {
  const space = [paramOf(`${HALF}=1,2,3`), paramOf(`${PARAMS}.size=1,2`)];
  expect(await evenly(spaceOf(space), 50)).toHaveLength(6);
  const below = await evenly(
    spaceOf(space, [], async ([half]) => half?.value !== 2),
    50,
  );
  expect(below).toHaveLength(4);
});

test("settings lie in the space where their point is, so that the point of a setting makes it again", async () => {
  const space = spaceOf(
    [
      paramOf(`${HALF}=0.1..1000`),
      paramOf(`${PARAMS}.levels=1..4`),
      paramOf(`${PARAMS}.size=0.5..2`),
      paramOf(`${PARAMS}.center=a,b,c`),
      paramOf(`${PARAMS}.maxInventory=1..1000`),
    ],
    [`${PARAMS}.levels`, `${PARAMS}.maxInventory`],
  );
  for (const settings of await evenly(space, 100)) {
    const point = pointOf(space, settings);
    expect(point.every((share) => share >= 0 && share <= 1)).toBe(true);
    expect(await settingsAt(space, [point], { count: 1 })).toEqual([settings]);
    expect(await settingsAt(space, [point], { count: 1, known: [settings] })).toEqual([]);
  }
});

test("further settings are others than those tried, allowed, and where these scored most", async () => {
  const prepared = await prepareTune(backtestFiles(), [paramOf(`${HALF}=1..9`)], systemFiles);
  const scoreOf = (half: unknown): number => -((Number(half) - 7) ** 2);
  const tried = (await prepared.others(8)).map((settings) => ({ settings, score: scoreOf(settings[0]?.value) }));
  const further = await prepared.further(tried, 4);
  expect(further).toHaveLength(4);
  expect(Math.abs(Number(further[0]?.[0]?.value) - 7)).toBeLessThan(0.5);
  for (const settings of further) expect(tried.map((one) => one.settings)).not.toContainEqual(settings);
  expect(await prepared.further(tried, 0)).toEqual([]);
  expect(await prepared.further(tried.slice(0, 1), 4), "one score promises nothing").toEqual([]);
});

test("the strategy's schema tells where only whole numbers are allowed, and which ends are not", async () => {
  const file = backtestFiles();
  const levels = await prepareTune(file, [paramOf(`${PARAMS}.levels=1..4`)], systemFiles);
  const values = (await levels.others(10)).map(([setting]) => setting?.value);
  expect(values.toSorted()).toEqual([1, 2, 3, 4]);
  const half = await prepareTune(file, [paramOf(`${HALF}=1..4`)], systemFiles);
  expect((await half.others(3)).map(([setting]) => setting?.value)).toEqual([2.5, 3.25, 1.75]);
  const faults = async (...written: readonly string[]) => {
    const error = await prepareTune(file, written.map(parseParam), systemFiles).catch((thrown: unknown) => thrown);
    return error instanceof GridError ? error.faults.join("\n") : "";
  };
  expect(await faults(`${HALF}=0.01..9000`)).toMatch(/halfSpreadBps=0\.01: .*\n.*halfSpreadBps=9000: /);
  expect(await faults(`${PARAMS}.halfSpreadBp=1..2`)).toMatch(/halfSpreadBp=1: .*halfSpreadBps/);
  expect(await faults(`${PARAMS}.halfSpreadBp=1..2`), "once, not for each end").not.toContain("\n");
  expect(await faults("accounts.13.markets.1.params.size=1..2")).toMatch(
    /accounts\.13\.markets\.1\.params\.size=1: .*names nothing/,
  );
});

test("without a range the schema's is taken, and where it bounds one side alone, the sentence says what to write", async () => {
  const file = backtestFiles();
  const { params } = await prepareTune(file, [{ path: HALF }, { path: `${PARAMS}.levels` }], systemFiles);
  expect(params).toEqual([
    { path: HALF, low: 0.1, high: 5000, isLog: true },
    { path: `${PARAMS}.levels`, low: 1, high: 20, isLog: false },
  ]);
  await expect(prepareTune(file, [{ path: `${PARAMS}.size` }], systemFiles)).rejects.toThrow(
    `--param ${PARAMS}.size: fixed-spread does not bound it on both sides; write --param ${PARAMS}.size=LOW..HIGH`,
  );
  await expect(prepareTune(file, [{ path: `${PARAMS}.sizes` }], systemFiles)).rejects.toThrow(/did you mean size/);
  await expect(prepareTune(file, [{ path: "accounts.12.markets.9.params.size" }], systemFiles)).rejects.toThrow(
    /names nothing/,
  );
});

test("neighbors are a fifth lower and higher, one parameter at a time; choices and zero have none", () => {
  const [half, levels, center] = [HALF, `${PARAMS}.levels`, `${PARAMS}.center`];
  const params = [paramOf(`${half}=1..12`), paramOf(`${levels}=1..4`), paramOf(`${center}=mid,print`)];
  const settings = (a: number, b: number) => [
    { path: half, value: a },
    { path: levels, value: b },
    { path: center, value: "mid" },
  ];
  expect(neighborsIn(params, new Set([levels]), settings(5, 2))).toEqual([
    settings(4, 2),
    settings(6, 2),
    settings(5, 1),
    settings(5, 3),
  ]);
  expect(neighborsIn(params, new Set([levels]), settings(0, 10))).toEqual([settings(0, 8), settings(0, 12)]);
});
