// The report of mutants is of the guard as it is: a gate, a limit, a latch or a key that joins the tables must have been tried.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { gateIds } from "../../../../src/bot/risk/gates/gate.ts";
import { limitIds } from "../../../../src/bot/risk/limits/limit-rule.ts";
import { trips } from "../../../../src/bot/risk/trips.ts";
import { tabledMutants } from "../../../mutants/all.ts";
import { limitKeys } from "../../../mutants/controls.ts";
import { NONE_SURVIVED, tableRows } from "../../../mutants/report.ts";
import { project } from "../../../mutants/source.ts";
import { guardTests } from "../../../mutants/tests.ts";

const report = readFileSync(resolve(project, "docs/mutants.md"), "utf8");
const mutants = tabledMutants(project);

test("every row of the guard's tables, and every number that it reads, has its mutants", () => {
  const ids = [
    ...gateIds.map((id) => `gate ${id}`),
    ...limitIds.map((id) => `limit ${id}`),
    ...trips.map(({ kind }) => `latch ${kind}`),
  ];
  const removed = new Set(mutants.filter(({ what }) => what === "removed").map(({ subject }) => subject));
  expect(removed).toEqual(new Set(ids));
  const read = (key: string) => mutants.some(({ what }) => what.startsWith(`\`${key}\` read as `));
  expect(limitKeys.filter((key) => !read(key))).toEqual([]);
});

test("the tests that look for them are there", () => {
  const tests = new Set(mutants.flatMap(({ file, tests }) => tests ?? guardTests(file)));
  expect([...tests].filter((test) => !existsSync(resolve(project, test)))).toEqual([]);
});

test("docs/mutants.md is of the tables as they are (npm run mutants writes it)", () => {
  expect(report.split("\n")).toEqual(expect.arrayContaining([...tableRows(mutants)]));
});

test("a row that joins a table, and one that leaves it, changes the summary", () => {
  const [first, ...others] = mutants;
  if (first === undefined) throw new Error("no mutants");
  const rows = tableRows(mutants);
  expect(tableRows(others)).not.toEqual(rows);
  expect(tableRows([...mutants, { ...first, what: "`maxNew` read as twice" }])).not.toEqual(rows);
  expect(tableRows(mutants.map((mutant) => ({ ...mutant, start: 0, end: 0 })))).toEqual(rows);
});

test("none survives", () => {
  expect(report).toContain(`## Survivors\n\n${NONE_SURVIVED}\n`);
});
