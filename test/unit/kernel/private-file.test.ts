// Private files and folders on a real disk: tokens and secrets are written for one user alone, and what others could have changed is refused.

import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  hasPrivateFolder,
  PrivateFileError,
  readSecretFile,
  writePrivateFile,
} from "../../../src/kernel/private-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quoin-private-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function fault(run: () => unknown): PrivateFileError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof PrivateFileError) return thrown;
    throw thrown;
  }
  throw new Error("nothing was refused");
}

test("a folder of another user is refused, whatever its mode", () => {
  const { uid } = statSync(folder);
  expect(hasPrivateFolder(join(folder, "none"), uid)).toBe(false);
  chmodSync(folder, 0o700);
  expect(hasPrivateFolder(folder, uid)).toBe(true);
  const refusal = fault(() => hasPrivateFolder(folder, uid + 1));
  expect([refusal.code, refusal.message]).toEqual([
    "private_file_owner",
    expect.stringContaining(`belongs to user ${uid}`),
  ]);
});

test("a secret that is written is read back by its user alone", () => {
  const path = join(folder, "token");
  writePrivateFile(path, "a-secret-token");
  expect(statSync(path).mode & 0o7777).toBe(0o600);
  expect(readSecretFile(path)).toBe("a-secret-token");
  chmodSync(path, 0o640);
  expect(fault(() => readSecretFile(path, statSync(path).uid)).code).toBe("private_file_mode");
});

test("a secret that is missing is no key: nobody is told to make one", () => {
  const path = join(folder, "none");
  expect(fault(() => readSecretFile(path)).message).toBe(`${path} does not exist`);
});

test.each([
  ["too short", "seven77"],
  ["too long", "x".repeat(1025)],
  ["with a blank", "two words"],
  ["of two lines", "first-line\nsecond-line"],
])("forbidden: a secret %s", (_, content) => {
  const path = join(folder, "token");
  writeFileSync(path, content, { mode: 0o600 });
  const refusal = fault(() => readSecretFile(path));
  expect(refusal.code).toBe("private_file_malformed");
  expect(refusal.message).not.toContain(content);
});
