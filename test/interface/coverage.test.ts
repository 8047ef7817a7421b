// Holds the table: every row of the list is there and is proven by tests.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { refusals } from "./refusals.ts";
import { ROW_COUNT, sections } from "./rows.ts";

const rows = sections.flatMap((section) => section.rows);

it("every number of the list is there, in order, each fact once", () => {
  const numbers = rows.map(({ number }) => number);
  expect(new Set(numbers).size).toBe(numbers.length);
  const whole = new Set(numbers.map((number) => Number.parseInt(number, 10)));
  expect([...whole].sort((a, b) => a - b)).toEqual(Array.from({ length: ROW_COUNT }, (_, at) => at + 1));
  for (const { rows: of } of sections) {
    const within = of.map(({ number }) => Number.parseInt(number, 10));
    expect(within).toEqual(within.toSorted((a, b) => a - b));
  }
});

it("every row has a test, unless it says what is missing", () => {
  const proven = new Set(testFiles().flatMap(({ proves }) => proves.flat()));
  expect(rows.filter((row) => row.missing === null && !proven.has(row.number)).map(({ number }) => number)).toEqual([]);
});

it("every test proves rows of the list", () => {
  const listed = new Set(rows.map(({ number }) => number));
  for (const { name, tests, proves } of testFiles()) {
    expect([name, proves.length]).toEqual([name, tests]);
    expect([name, proves.flat().filter((number) => !listed.has(number))]).toEqual([name, []]);
  }
});

it("what the interface is known not to show is assumed somewhere, under its number", () => {
  const ids = new Set(rows.flatMap((row) => row.assumed.map(({ id }) => id)));
  const known = [
    ...Array.from({ length: 31 }, (_, at) => `NS-${at + 1}`),
    ...Array.from({ length: 18 }, (_, at) => `x${at + 1}`),
  ];
  expect(known.filter((id) => !ids.has(id))).toEqual([]);
});

it("every assumption has its reason", () => {
  const bare = rows.flatMap((row) => row.assumed.filter(({ why }) => why === "").map(({ what }) => what));
  expect(bare).toEqual([]);
});

it("every code of a refusal is listed, with the section that asks for it or the reason", () => {
  const listed = refusals.map(({ code }) => code);
  expect(listed).toEqual([...refusalCodes()].sort());
  expect(refusals.filter(({ by, why }) => by === "" && why === "")).toEqual([]);
});

/** The codes that the devnet's source refuses with. */
function refusalCodes(): ReadonlySet<string> {
  const folder = resolve(import.meta.dirname, "../../src/devnet");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8"));
  return new Set(texts.flatMap((text) => [...text.matchAll(/\brefused?\(\s*"(\w+)"/g)].map(([, code = ""]) => code)));
}

/** The test files of the exchange: how many tests each writes, and the rows that each title names at its end. */
function testFiles(): readonly { name: string; tests: number; proves: readonly (readonly string[])[] }[] {
  const folder = import.meta.dirname;
  const files = readdirSync(folder).filter((name) => /^(?!coverage|document).*\.test\.ts$/.test(name));
  return files.map((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const titles = text.matchAll(/ \[(\d+[a-z]?(?:, \d+[a-z]?)*)\]",/g);
    return {
      name,
      tests: text.match(/^ *it(?:\.each)?[(<]/gm)?.length ?? 0,
      proves: [...titles].map(([, numbers = ""]) => numbers.split(", ")),
    };
  });
}
