// The lock that keeps a second process off a key: held by the operating system, freed by death.

import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockAgentKey } from "../../../../src/bot/execution/key-lock.ts";
import { nonce } from "../../../../src/domain/units.ts";
import { holdLock, LockError } from "../../../../src/kernel/locking.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quoin-lock-"));
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

const codeOf = (run: () => unknown): string => {
  try {
    run();
    return "done";
  } catch (thrown) {
    if (thrown instanceof LockError) return thrown.code;
    throw thrown;
  }
};

test("a lock is held until it is released", () => {
  const path = join(folder, "a.lock");
  const first = holdLock(path);
  expect(codeOf(() => holdLock(path))).toBe("lock_held");
  expect(codeOf(() => holdLock(path))).toBe("lock_held");
  first.release();
  first.release();
  holdLock(path).release();
});

test("another process meets the lock, and SIGKILL frees it", async () => {
  const path = join(folder, "a.lock");
  const module = resolve(import.meta.dirname, "../../../../src/kernel/locking.ts");
  const code = `import { holdLock } from ${JSON.stringify(module)}; holdLock(${JSON.stringify(path)}); console.log("held"); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((done) => child.once("exit", done));
  await new Promise((done) => child.stdout.once("data", done));
  expect(codeOf(() => holdLock(path))).toBe("lock_held");
  child.kill("SIGKILL");
  await exited;
  holdLock(path).release();
});

test("what is no lock file, or cannot be made, is unavailable", () => {
  const foreign = join(folder, "foreign");
  writeFileSync(foreign, "something else ".repeat(100));
  expect(codeOf(() => holdLock(foreign))).toBe("lock_unavailable");
  expect(codeOf(() => holdLock(join(folder, "none", "a.lock")))).toBe("lock_unavailable");
});

test("a key in a place that cannot be written is locked elsewhere", () => {
  const elsewhere = join(folder, "elsewhere.lock");
  const lock = lockAgentKey(join(folder, "none", "agent.key"), elsewhere);
  expect(lock.path).toBe(elsewhere);
  lock.release();
  mkdirSync(join(folder, "keys"));
  const beside = lockAgentKey(join(folder, "keys", "agent.key"), elsewhere);
  expect(beside.path).toBe(join(folder, "keys", "agent.key.lock"));
  expect(codeOf(() => lockAgentKey(join(folder, "keys", "agent.key"), elsewhere))).toBe("lock_held");
  beside.release();
});

test("a key's lock keeps what the key sent, for each key that was in the file, and stays held while it is noted", () => {
  const file = join(folder, "agent.key");
  const first = lockAgentKey(file, "");
  expect(first.sent("one")).toBeNull();
  first.note("one", { nonce: nonce(1_790_000_000_000n), intentId: 7 });
  first.note("two", { nonce: nonce(5n), intentId: 8 });
  first.note("one", { nonce: nonce(1_780_000_000_000n), intentId: 9 });
  expect(codeOf(() => lockAgentKey(file, ""))).toBe("lock_held");
  first.release();
  const second = lockAgentKey(file, "");
  expect(codeOf(() => lockAgentKey(file, ""))).toBe("lock_held");
  expect(second.sent("one")).toEqual({ nonce: 1_780_000_000_000n, intentId: 9 });
  expect(second.sent("two")).toEqual({ nonce: 5n, intentId: 8 });
  second.release();
});

test("a lock file of an earlier version, which is empty, is taken", () => {
  writeFileSync(join(folder, "agent.key.lock"), "");
  const lock = lockAgentKey(join(folder, "agent.key"), "");
  expect(lock.sent("one")).toBeNull();
  lock.release();
});
