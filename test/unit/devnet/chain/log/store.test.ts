// The real disk: one process at a time, killed without warning, opened again.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StoreError } from "../../../../../src/devnet/chain/log/disk.ts";
import { openDisk } from "../../../../../src/devnet/chain/log/store.ts";
import { verifyChain } from "../../../../../src/devnet/chain/log/verify.ts";
import { makeBlocksForever } from "../crash-chain.ts";
import { verifier } from "../set-up.ts";

const bytesOf = (text: string) => Buffer.from(text);
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chain-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("disk", () => {
  test("appends, reads in parts, cuts, replaces and removes", () => {
    const disk = openDisk(join(folder, "made", "on", "the", "way"));
    expect(disk.size("log")).toBe(0);
    disk.append("log", bytesOf("hello "));
    disk.append("log", bytesOf("world"));
    expect(textOf(disk.read("log", 3, 5))).toBe("lo wo");
    expect(textOf(disk.read("log", 6, 100))).toBe("world");
    expect(disk.read("nothing", 0, 100)).toHaveLength(0);
    disk.truncate("log", 5);
    disk.append("log", bytesOf("!"));
    expect(textOf(disk.read("log", 0, 100))).toBe("hello!");
    disk.replace("log", bytesOf("new"));
    disk.append("log", bytesOf("er"));
    expect(textOf(disk.read("log", 0, 100))).toBe("newer");
    disk.replace("other", bytesOf("x"));
    expect([...disk.names()].sort((a, b) => a.localeCompare(b))).toEqual(["log", "other"]);
    disk.remove("log");
    expect(disk.names()).toEqual(["other"]);
    disk.close();
  });

  test("one at a time; closing gives it free", () => {
    const first = openDisk(folder);
    expect(() => openDisk(folder)).toThrow(/in use/);
    first.close();
    openDisk(folder).close();
  });

  test("a path that is no folder is one clear error", () => {
    writeFileSync(join(folder, "file"), "");
    expect(() => openDisk(join(folder, "file", "x"))).toThrow(StoreError);
  });

  test("what a crash left unfinished is not seen", () => {
    openDisk(folder).close();
    writeFileSync(join(folder, "snapshot-5.unfinished"), "half");
    const disk = openDisk(folder);
    expect(disk.names()).toEqual([]);
    disk.close();
  });
});

/** A process that makes blocks on the folder until it is killed; `stood` is the height after the first `blocks`. */
function runChain(blocks: number): {
  readonly child: ChildProcess;
  readonly stood: Promise<number>;
  readonly gone: Promise<void>;
} {
  const module = JSON.stringify(new URL("../crash-chain.ts", import.meta.url).href);
  const { name } = makeBlocksForever;
  const script = `import { ${name} } from ${module}; await ${name}(${JSON.stringify(folder)}, ${blocks});`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stood = new Promise<number>((resolve, reject) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(Number(chunk.toString())));
    child.once("exit", () => reject(new Error("the chain ended before it was killed")));
  });
  const gone = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
  });
  return { child, stood, gone };
}

test("a process killed while it makes blocks leaves a chain that resumes and verifies", async () => {
  let last = -1;
  for (let kill = 0; kill < 3; kill += 1) {
    const { child, stood, gone } = runChain(1 + kill * 40);
    const height = await stood;
    expect(height).toBeGreaterThanOrEqual(last);
    child.kill("SIGKILL");
    await gone;
    const disk = openDisk(folder);
    const report = verifyChain(disk, verifier);
    disk.close();
    expect(report.height).toBeGreaterThanOrEqual(height);
    last = report.height;
  }
  expect(last).toBeGreaterThan(6);
  expect(readdirSync(folder)).toContain("blocks.log");
});
