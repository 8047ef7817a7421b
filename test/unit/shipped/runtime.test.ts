// The facts about the runtime that the design counts on: they hold in every process that the suite starts.
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };

test("tests run under the pinned runtime, not under the Node of the machine", () => {
  expect(Object.values(manifest.optionalDependencies)).toContain(process.versions.node);
});

test("SQLite is built in and needs no flag", () => {
  const database = new DatabaseSync(":memory:");
  expect({ ...database.prepare("select 40 + 2 as answer").get() }).toEqual({ answer: 42 });
  database.close();
});
