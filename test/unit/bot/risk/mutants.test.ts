// Each gate, limit, latch and number that the guard reads has its mutants, and the tests that should kill them are there.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { gateIds } from "../../../../src/bot/risk/gates/gate.ts";
import { limitIds } from "../../../../src/bot/risk/limits/limit-rule.ts";
import { trips } from "../../../../src/bot/risk/trips.ts";
import { tabledMutants } from "../../../mutants/all.ts";
import { limitKeys } from "../../../mutants/controls.ts";
import { project } from "../../../mutants/source.ts";
import { guardTests } from "../../../mutants/tests.ts";

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
