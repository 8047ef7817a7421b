// The facts about the runtime that the design counts on: they hold in every process that the suite starts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { engines } from "../../../release/package.ts";
import { PROJECT } from "../../support/quoin.ts";

test("tests run under the pinned runtime, not under the Node of the machine", () => {
  expect(Object.values(manifest.optionalDependencies)).toContain(process.versions.node);
});

test("README names the Node.js that the checkout needs, and the one that the package needs", () => {
  const readme = readFileSync(join(PROJECT, "README.md"), "utf8");
  const [of = "", ofPackage = ""] = [manifest.engines, engines].map(({ node }) => /^>=(\d+)$/.exec(node)?.[1]);
  expect(readme).toContain(`You need npm and Node.js ${of} or later.`);
  expect(readme).toContain(`The installed package runs on the machine's own Node.js, ${ofPackage} or later.`);
  const starter = readFileSync(join(PROJECT, "src/start.js"), "utf8");
  expect(starter).toContain(`NODE_MAJOR_MIN = ${ofPackage};`);
});

test("SQLite is built in and needs no flag", () => {
  const database = new DatabaseSync(":memory:");
  expect({ ...database.prepare("select 40 + 2 as answer").get() }).toEqual({ answer: 42 });
  database.close();
});
