// The README's two commands on a machine that has a shell, `env`, Node and npm, the shared libraries of these, and nothing else: no
// /proc, /dev or /etc, no compiler, no network. The packages come from npm's cache. It needs Linux and the right to `chroot`.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PROJECT } from "../support/quoin.ts";
import { until } from "../support/until.ts";

/** What the C library brings with it; a program may load one of these when it runs. */
const OF_LIBC = /\/lib(c|m|dl|pthread|rt|resolv|util)\.so\.[0-9]+$/;
const START_MS_MAX = 300_000;
const TESTS_MS_MAX = 25 * 60_000;

/** A program of this machine, none of the project's own. */
function find(program: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return [...folders, "/usr/sbin", "/sbin"].map((folder) => join(folder, program)).find((path) => existsSync(path));
}

const programs = {
  node: find("node"),
  npm: find("npm"),
  env: find("env"),
  chroot: find("chroot"),
  ldd: find("ldd"),
  git: find("git"),
};
const lacking = Object.entries(programs).flatMap(([name, path]) => (path === undefined ? [name] : []));
if (process.platform !== "linux") lacking.push("Linux");
if (process.getuid?.() !== 0) lacking.push("the right to chroot");
if (!existsSync(join(PROJECT, ".git"))) lacking.push("a checkout to clone");
if (lacking.length > 0) console.log(`the bare machine is not tried here, for want of ${lacking.join(", ")}`);

let root: string;

beforeEach(() => {
  if (lacking.length > 0) return;
  root = mkdtempSync(join(tmpdir(), "quoin-bare-"));
  const { node = "", npm = "", env = "", git = "" } = programs;
  install("/bin/sh", "/bin/sh");
  install(env, "/usr/bin/env");
  install(node, "/usr/bin/node");
  const npmFolder = dirname(dirname(realpathSync(npm)));
  cpSync(npmFolder, join(root, "npm"), { recursive: true });
  symlinkSync("/npm/bin/npm-cli.js", join(root, "usr/bin/npm"));
  for (const folder of ["tmp", "home"]) mkdirSync(join(root, folder));
  const cache = execFileSync(npm, ["config", "get", "cache"]).toString().trim();
  cpSync(join(cache, "_cacache"), join(root, "home/.npm/_cacache"), { recursive: true });
  execFileSync(git, ["clone", "--quiet", PROJECT, join(root, "quoin")]);
});

afterEach(() => {
  if (lacking.length === 0) rmSync(root, { recursive: true, force: true });
});

/** Copies a program, what it loads, and the C library whole. */
function install(program: string, to: string): void {
  const { ldd = "" } = programs;
  const loaded = execFileSync(ldd, [program]).toString().match(/\/\S+/g) ?? [];
  const libc = loaded.filter((path) => path.endsWith("/libc.so.6")).map((path) => dirname(path));
  const whole = libc.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  for (const path of new Set([...loaded, ...whole.filter((each) => OF_LIBC.test(each))]))
    cpSync(realpathSync(path), join(root, path));
  cpSync(realpathSync(program), join(root, to));
}

/** A shell's command line in the clone. */
function run(command: string) {
  const { chroot = "" } = programs;
  const env = { PATH: "/usr/bin:/bin", HOME: "/home", TMPDIR: "/tmp", npm_config_offline: "true" };
  const shell = spawn(chroot, [root, "/bin/sh", "-c", `cd /quoin && ${command}`], { env, detached: true });
  let output = "";
  for (const stream of [shell.stdout, shell.stderr]) stream.on("data", (text: Buffer) => (output += text.toString()));
  const exit = new Promise<number | null>((resolve) => shell.on("close", resolve));
  return { shell, exit, output: () => output };
}

// Skipped, with the line above that says what is missing, where a bare root cannot be made or entered.
test.skipIf(lacking.length > 0)(
  "npm ci && npm start quotes, and a signal ends it",
  { timeout: START_MS_MAX },
  async () => {
    const { shell, exit, output } = run("npm ci && exec npm start");
    await until("a fill", () => output().includes('"event":"fill"') || shell.exitCode !== null, START_MS_MAX);
    expect(output()).toContain('"event":"quoting"');
    process.kill(-(shell.pid ?? 0), "SIGINT");
    expect(await exit, output().slice(-2000)).toBe(0);
    expect(output()).toContain("the exchange lists no order of ours");
  },
);

// Skipped, with the line above that says what is missing, where a bare root cannot be made or entered.
test.skipIf(lacking.length > 0)("npm ci && npm test passes", { timeout: TESTS_MS_MAX }, async () => {
  const { exit, output } = run("npm ci && npm test");
  expect(await exit, output().slice(-4000)).toBe(0);
});
