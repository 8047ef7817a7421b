// The document of controls is what the code says, and leaves no control of the checklist out.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { gates } from "../../../../src/bot/risk/gates/gates.ts";
import { limitRules } from "../../../../src/bot/risk/limits/limit-rules.ts";
import { accountLimitsSchema, marketLimitsSchema } from "../../../../src/bot/risk/limits/limits.ts";
import { trips } from "../../../../src/bot/risk/trips.ts";
import {
  checklist,
  checklistText,
  controlsOf,
  controlsText,
  heldElsewhere,
  otherTrips,
  requiredKeys,
} from "./controls.ts";

const project = resolve(import.meta.dirname, "../../../..");
const rows = [...gates, ...limitRules, ...trips];

test("docs/risk-controls.md is as the code says (npx vitest run test/unit/bot/risk/controls.test.ts -u writes it)", async () => {
  await expect(controlsText()).toMatchFileSnapshot(resolve(project, "docs/risk-controls.md"));
});

test("docs/reference/risk-checklist.md is as the code says", async () => {
  await expect(checklistText()).toMatchFileSnapshot(resolve(project, "docs/reference/risk-checklist.md"));
});

test("every control of the checklist is held by a row, and every row answers to one of the checklist", () => {
  const held = new Set([...rows.flatMap(controlsOf), ...heldElsewhere.map(({ control }) => control)]);
  expect(Object.keys(checklist).filter((id) => !held.has(id))).toEqual([]);
  expect([...held].filter((id) => !(id in checklist))).toEqual([]);
});

test("what other parts hold is tested where the row says", () => {
  expect([...heldElsewhere, ...otherTrips].filter(({ test: path }) => !existsSync(resolve(project, path)))).toEqual([]);
});

test("every key of the limits is read by a row that names it", () => {
  const named = new Set(rows.flatMap(({ limits }) => limits as readonly string[]));
  const market = Object.keys(marketLimitsSchema.parse(Object.fromEntries(requiredKeys.map((key) => [key, 1]))));
  const account = Object.keys(accountLimitsSchema.parse({})).map((key) => `account.${key}`);
  expect([...market, ...account].filter((key) => !named.has(key))).toEqual([]);
});

test("tests that rows name say those names", () => {
  const text = ["gates/gates.test.ts", "closings.ts", "limits/limit-rules.test.ts", "trips.test.ts"]
    .map((file) => readFileSync(resolve(import.meta.dirname, file), "utf8"))
    .join("\n");
  for (const { id } of [...gates, ...limitRules]) expect(text).toMatch(new RegExp(`gate: "${id}"|^  ${id}: \\[`, "m"));
  for (const { kind } of trips) expect(text).toContain(`"${kind}`);
});
