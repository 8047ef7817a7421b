// The page's history on disk: what is written is read back, and anything but a regular file is left alone.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { historyFile } from "../../../src/daemon/history-file.ts";
import { until } from "../../support/until.ts";

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "quoin-history-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "history");
}

test("lines are appended in their order, and replaced as a whole", async () => {
  const file = scratch();
  const failures: unknown[] = [];
  const store = historyFile(file, (error) => failures.push(error));
  expect(store.load()).toEqual([]);
  store.append(["one", "two"]);
  store.append(["three"]);
  await until("three lines", () => store.load().length === 3);
  expect(store.load()).toEqual(["one", "two", "three"]);
  store.replace(["four"]);
  store.append(["five"]);
  await until("two lines", () => readFileSync(file, "utf8") === "four\nfive\n");
  expect(failures).toEqual([]);
});

// Windows has no mkfifo.
test.skipIf(process.platform === "win32")("a pipe in its place is neither read nor waited for: said once", async () => {
  const file = scratch();
  execFileSync("mkfifo", [file]);
  const failures: unknown[] = [];
  const store = historyFile(file, (error) => failures.push(error));
  expect(store.load()).toEqual([]);
  store.append(["one"]);
  store.append(["two"]);
  await until("the failure", () => failures.length);
  rmSync(file);
  writeFileSync(file, "");
  store.append(["three"]);
  // The second write may still have waited when the pipe went.
  await until("the line", () => store.load().at(-1) === "three");
  expect(store.load()).not.toContain("one");
  expect(failures).toHaveLength(1);
});
