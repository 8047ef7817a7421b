// Nobody takes what the daemon prints: its terminal was stopped with Ctrl-S, or its pipes are full. It trades on, and stops as ever.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { isInstalled } from "../support/installed.ts";
import { PROJECT } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { openOrdersOf } from "./daemon.ts";
import { resting } from "./operator.ts";
import { sceneForEach } from "./scene.ts";

const CTRL_S = "\x13";
const CTRL_Q = "\x11";
/** util-linux: runs a command on a terminal of its own. */
const hasScript = process.platform === "linux" && isInstalled(["script", "--version"]);

const scene = sceneForEach();
const started: ChildProcess[] = [];

afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** A daemon whose shell has written down its id and its exit code. */
function shell(): { readonly command: string; readonly pid: () => number; readonly code: () => Promise<number> } {
  const [pidFile, codeFile] = [join(scene.folder, "pid"), join(scene.folder, "code")];
  const daemon = `"${process.execPath}" "${join(PROJECT, "src/start.js")}" run --config "${scene.botConfig}"`;
  return {
    command: `sh -c 'echo $$ > "${pidFile}"; exec ${daemon}'; echo $? > "${codeFile}"`,
    pid: () => Number(readFileSync(pidFile, "utf8")),
    code: async () => {
      await until("the end of the daemon", () => existsSync(codeFile) && readFileSync(codeFile, "utf8") !== "", 20_000);
      return Number(readFileSync(codeFile, "utf8"));
    },
  };
}

// Linux may lack `script`, and other systems have it with other options.
it.skipIf(!hasScript).each(["stays stopped", "goes on"])(
  "a terminal that %s: the stop cancels, exit 0",
  async (then) => {
    const { command, pid, code } = shell();
    const terminal = spawn("script", ["-qec", command, "/dev/null"], { stdio: ["pipe", "pipe", "ignore"] });
    started.push(terminal);
    let shown = "";
    terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
      shown += text;
    });
    await resting(scene, 4);
    terminal.stdin.write(CTRL_S);
    await until("the terminal to stop", async () => {
      const before = shown;
      process.kill(pid(), "SIGHUP"); // each is answered with a line, and the line waits
      await once(terminal.stdout, "data", { signal: AbortSignal.timeout(200) }).catch(() => undefined);
      return shown === before;
    });
    process.kill(pid(), "SIGTERM");
    await until("nothing rests", async () => (await openOrdersOf(scene.validatorUrl)).length === 0);
    if (then === "goes on") terminal.stdin.write(CTRL_Q);
    expect(await code()).toBe(0);
    if (then === "goes on") await until("the last line", () => shown.includes("stopped: the exchange lists no order"));
  },
);

// Windows has no sh.
it.skipIf(process.platform === "win32")("pipes that nobody reads: the stop cancels, exit 0", async () => {
  const { command, pid, code } = shell();
  // The reader of both pipes fills them first, and never reads.
  const full = `{ head -c 200000 /dev/zero & ${command}; } 2>&1`;
  const reader = spawn("sh", ["-c", full], { stdio: ["ignore", "pipe", "ignore"] });
  started.push(reader);
  reader.stdout.pause();
  await resting(scene, 4);
  process.kill(pid(), "SIGTERM");
  expect(await code()).toBe(0);
  expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
});
