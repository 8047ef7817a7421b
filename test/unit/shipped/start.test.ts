// The starter with real processes: a copy of it in a scratch checkout, where a small program stands for Quoin. A preload lets
// the pinned Node claim an older version, so the path of an old machine is walked on every machine.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../../support/until.ts";

const starter = resolve(import.meta.dirname, "../../../src/start.js");
const claimOldNode = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.2.0" } });`;
/** Tells its arguments and every signal it gets, then does what its first argument says. */
const program = `
const [act, ...rest]: string[] = process.argv.slice(2);
const timer = setInterval(() => {}, 1000);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    console.log(signal);
    if (signal === "SIGTERM") setTimeout(() => process.exit(7), 50);
  });
}
console.log(JSON.stringify({ act, rest, node: process.versions.node, pid: process.pid }));
if (act === "exit") process.exit(Number(rest[0]));
if (act === "die") process.kill(process.pid, "SIGKILL");
if (act === "idle") clearInterval(timer);
`;

let checkout = "";

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "quoin-start-"));
  mkdirSync(join(checkout, "src"));
  cpSync(starter, join(checkout, "src/start.js"));
  writeFileSync(join(checkout, "package.json"), `{ "type": "module" }`);
  writeFileSync(join(checkout, "src/main.ts"), program);
  writeFileSync(join(checkout, "old-node.cjs"), claimOldNode);
});

afterEach(() => rmSync(checkout, { recursive: true, force: true }));

/** Where npm would put the runtime of this platform. */
function runtimePath(): string {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const prefix = process.platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  const file = process.platform === "win32" ? "node.exe" : "node";
  return join(checkout, "node_modules", `${prefix}-${platform}-${process.arch}`, "bin", file);
}

function installRuntime(): void {
  mkdirSync(dirname(runtimePath()), { recursive: true });
  symlinkSync(process.execPath, runtimePath());
}

function start(
  age: "old" | "new",
  ...args: readonly string[]
): ChildProcess & { stdout: NonNullable<ChildProcess["stdout"]> } {
  const preload = age === "old" ? ["--require", join(checkout, "old-node.cjs")] : [];
  return spawn(process.execPath, [...preload, join(checkout, "src/start.js"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

type Ended = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
};

async function ended(child: ChildProcess): Promise<Ended> {
  const [out, err, [code, signal]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, "close") as Promise<[number | null, string | null]>,
  ]);
  return { code, signal, out, err };
}

/** What the program said in its first line, once it has said it. */
async function greeting(
  child: ChildProcess,
): Promise<{ readonly node: string; readonly pid: number; readonly rest: readonly string[] }> {
  const [chunk] = (await once(child.stdout!, "data")) as [Buffer];
  child.stdout!.unshift(chunk);
  return JSON.parse(chunk.toString().split("\n")[0]!);
}

test("a Node that is new enough runs the program itself", async () => {
  const child = start("new", "exit", "0");
  const said = await greeting(child);
  expect(said.pid).toBe(child.pid);
  expect((await ended(child)).code).toBe(0);
});

test("an old Node starts the pinned one and passes every argument as it was typed", async () => {
  installRuntime();
  const child = start("old", "exit", "3", "--config", "a b.yaml", "");
  const said = await greeting(child);
  expect(said).toMatchObject({ rest: ["3", "--config", "a b.yaml", ""], node: process.versions.node });
  expect(said.pid).not.toBe(child.pid);
  expect((await ended(child)).code).toBe(3);
});

test("a program with nothing left to do ends, the channel to the starter does not hold it", async () => {
  installRuntime();
  expect((await ended(start("old", "idle"))).code).toBe(0);
});

test("each signal arrives once, and the exit code of a graceful stop comes back", async () => {
  installRuntime();
  const child = start("old", "wait");
  await greeting(child);
  const whole = ended(child);
  child.kill("SIGHUP");
  child.kill("SIGINT");
  child.kill("SIGTERM");
  const { code, out } = await whole;
  expect(code).toBe(7);
  expect(out.trim().split("\n").slice(1).sort()).toEqual(["SIGHUP", "SIGINT", "SIGTERM"]);
});

test("a signal that comes while the runtime starts is kept until the program hears signals", async () => {
  mkdirSync(dirname(runtimePath()), { recursive: true });
  const [up, go] = [join(checkout, "up"), join(checkout, "go")];
  // Any signal that it is passed would end the shell.
  const slow = `#!/bin/sh\ntouch "${up}"\nwhile [ ! -e "${go}" ]; do sleep 0.02; done\nexec "${process.execPath}" "$@"\n`;
  writeFileSync(runtimePath(), slow, { mode: 0o755 });
  const child = start("old", "run");
  const whole = ended(child);
  await until("the runtime", () => existsSync(up));
  child.kill("SIGTERM");
  child.kill("SIGHUP");
  writeFileSync(go, "");
  const { code, out } = await whole;
  expect(code).toBe(7);
  expect(out.trim().split("\n").slice(1).sort()).toEqual(["SIGHUP", "SIGTERM"]);
});

describe("signals that come before the program listens", () => {
  /** Listens when it is spoken to. */
  const late = `
let served = 0;
process.stdin.on("data", () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"])
    process.on(signal, () => {
      console.log(signal);
      served += 1;
      if (served === 4) setImmediate(() => process.exit(0));
    });
});
console.log("up");
`;
  const lateStart = async (...words: readonly string[]) => {
    writeFileSync(join(checkout, "src/main.ts"), late);
    const child = spawn(process.execPath, [join(checkout, "src/start.js"), ...words], { stdio: "pipe" });
    const [chunk] = (await once(child.stdout, "data")) as [Buffer];
    expect(chunk.toString()).toBe("up\n");
    return child;
  };

  test.each([[["run"]], [["fleet", "run"]]])("%j: each is kept and served once", async (words) => {
    const child = await lateStart(...words);
    const whole = ended(child);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const) child.kill(signal);
    child.stdin.write("listen\n");
    const { code, signal, out } = await whole;
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(out.trim().split("\n").sort()).toEqual(["SIGHUP", "SIGINT", "SIGTERM", "SIGUSR2"]);
  });

  test.each([[["status"]], [["fleet", "status"]]])("%j: a command that ends anyway ends at once", async (words) => {
    const child = await lateStart(...words);
    const whole = ended(child);
    child.kill("SIGINT");
    expect(await whole).toMatchObject({ code: null, signal: "SIGINT" });
  });
});

test("the program's death by a signal is the starter's death by the same signal", async () => {
  installRuntime();
  expect(await ended(start("old", "die"))).toMatchObject({ code: null, signal: "SIGKILL" });
});

test("a starter that is killed takes the program with it: it stops as on SIGTERM", async () => {
  installRuntime();
  const child = start("old", "wait");
  await greeting(child);
  const whole = ended(child);
  child.kill("SIGKILL");
  // The pipe closes only when the last holder, the program, has ended.
  expect((await whole).out).toMatch(/\nSIGTERM\n$/);
});

test("an old Node without the pinned runtime: one line that says what to do, exit 2", async () => {
  const { code, out, err } = await ended(start("old", "exit", "0"));
  expect(code).toBe(2);
  expect(out).toBe("");
  expect(err).toMatch(/^quoin: Node\.js 18\.2\.0 is too old .* not installed; run "npm ci" in .*\n$/);
});

test("a pinned runtime that cannot start: one line, exit 2", async () => {
  mkdirSync(runtimePath(), { recursive: true });
  const { code, err } = await ended(start("old", "exit", "0"));
  expect(code).toBe(2);
  expect(err).toMatch(/^quoin: .* the pinned runtime .* does not start \(.*\); run "npm ci" in .*\n$/);
});

test("a runtime in the pinned one's place that is too old starts no third: one line, exit 2", async () => {
  installRuntime();
  const child = spawn(process.execPath, [join(checkout, "src/start.js"), "exit", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
    // Every Node below this one claims to be old, the one in the pinned package's place too.
    env: { ...process.env, NODE_OPTIONS: `--require ${join(checkout, "old-node.cjs")}` },
  });
  const { code, out, err } = await ended(child);
  expect(code).toBe(2);
  expect(out).toBe("");
  expect(err).toMatch(/^quoin: .* the pinned runtime .* is Node\.js 18\.2\.0 itself; run "npm ci" in .*\n$/);
});

test("the mark of a start does not reach what Quoin starts", async () => {
  installRuntime();
  writeFileSync(
    join(checkout, "src/main.ts"),
    `console.log(Object.keys(process.env).filter((name) => name.startsWith("QUOIN")).length);`,
  );
  expect(await ended(start("old"))).toMatchObject({ code: 0, out: "0\n" });
});

test("a checkout below node_modules, where types are not stripped: one line, exit 2", async () => {
  const folder = join(checkout, "node_modules/quoin/src");
  mkdirSync(folder, { recursive: true });
  cpSync(starter, join(folder, "start.js"));
  const { code, err } = await ended(
    spawn(process.execPath, [join(folder, "start.js")], { stdio: ["ignore", "pipe", "pipe"] }),
  );
  expect(code).toBe(2);
  expect(err).toMatch(/^quoin: a checkout does not run below node_modules; run "npm pack" .*\n$/);
});
