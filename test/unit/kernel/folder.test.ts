// Making folders, also where none can be made.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeFolder } from "../../../src/kernel/folder.ts";

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "quoin-folder-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("makes what is missing above it too, and is content with what is there", () => {
  const folder = join(scratch(), "a", "b");
  makeFolder(folder);
  makeFolder(folder);
  expect(existsSync(folder)).toBe(true);
});

test("below a file there is no folder", () => {
  const file = join(scratch(), "file");
  writeFileSync(file, "");
  expect(() => makeFolder(join(file, "a"))).toThrow(/EEXIST/);
});

// Other systems have no /proc.
test.skipIf(process.platform !== "linux")("a system that says a folder is there and is not: it throws", () => {
  expect(() => makeFolder("/proc/quoin/ledger")).toThrow(/ENOENT/);
});
