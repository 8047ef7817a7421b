// A daemon below npm, and npm or its shell is ended: the daemon stops in the safe way. One that was started without npm outlives its parent.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { PROJECT } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { openOrdersOf, startDaemonProcess } from "./daemon.ts";
import { resting, statusOf } from "./operator.ts";
import { sceneForEach } from "./scene.ts";

const STARTER = join(PROJECT, "src/start.js");

const scene = sceneForEach();
const started: ChildProcess[] = [];

afterEach(async () => {
  for (const id of idsOf(scene.botConfig)) kill(id, "SIGKILL");
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

function pgrep(...words: readonly string[]): readonly number[] {
  try {
    return execFileSync("pgrep", words, { encoding: "utf8" }).trim().split("\n").map(Number);
  } catch {
    return []; // It ends with 1 where it found none.
  }
}

/** Ids of the processes whose command line matches. */
const idsOf = (pattern: string): readonly number[] => pgrep("-f", pattern);

/** One that has just ended is no fault. */
function kill(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Starts npm with a folder for its cache and no way to a registry. */
function npm(program: "npx" | "npm", words: readonly string[], cwd: string): ChildProcess & { said: () => string } {
  const env = { ...process.env, npm_config_cache: join(scene.folder, "npm"), npm_config_offline: "true" };
  const child = spawn(program, words, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  let said = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return Object.assign(child, { said: () => said });
}

const npxQuoin = () => npm("npx", ["quoin", "run", "--config", scene.botConfig], PROJECT);

/** `npm start` in a folder whose package starts the daemon by `script`. */
function npmStart(script: string) {
  const run = `node "${STARTER}" run --config "${scene.botConfig}"`;
  writeFileSync(
    join(scene.folder, "package.json"),
    JSON.stringify({ scripts: { start: script.replaceAll("RUN", run) } }),
  );
  return npm("npm", ["start"], scene.folder);
}

/** The daemon, and the shell that npm started it by, end with the text of the configuration's path in their command lines. */
const allEnded = () => until("the end of the daemon", () => idsOf(scene.botConfig).length === 0);

/** Ids of what a process has started and what still runs. */
const startedBy = (parent: number): readonly number[] => pgrep("-P", `${parent}`);

const ends = {
  "SIGTERM to npm": (id: number) => kill(id, "SIGTERM"),
  "SIGKILL to npm": (id: number) => kill(id, "SIGKILL"),
  "SIGKILL to what npm started": (id: number) => kill(startedBy(id)[0] ?? 0, "SIGKILL"),
} as const;

// Other systems have no /proc, and pgrep in other dialects.
describe.skipIf(process.platform !== "linux")("below npm", () => {
  const cases = [
    ...Object.entries(ends).map(([end, act]) => ["npx quoin run", end, npxQuoin, act] as const),
    ["npm start", "SIGKILL to npm", () => npmStart("RUN"), ends["SIGKILL to npm"]] as const,
  ];
  it.each(cases)("%s: %s: what rests is canceled, and the daemon ends", async (_start, _end, run, act) => {
    const child = run();
    await resting(scene, 4);
    act(child.pid ?? 0);
    await allEnded();
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
    expect(child.said()).toContain("npm has ended: no new orders from now on");
    expect(child.said()).toContain("stopped: the exchange lists no order of ours");
  });

  it("the script of npm start here: SIGTERM to npm reaches the daemon as a signal", async () => {
    const child = npmStart("exec RUN || RUN");
    await resting(scene, 4);
    child.kill("SIGTERM");
    await allEnded();
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
    expect(child.said()).toContain("SIGTERM: no new orders from now on");
  });

  it("SIGKILL to npm as the daemon's process begins: what an earlier run left is canceled", async () => {
    const earlier = await startDaemonProcess(scene);
    await resting(scene, 4);
    await earlier.process.end("SIGKILL");
    const child = npxQuoin();
    await until("the daemon's process", () => startedBy(child.pid ?? 0).some((shell) => startedBy(shell).length > 0));
    child.kill("SIGKILL");
    await allEnded();
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });
});

// Other systems have no setsid.
it.skipIf(process.platform !== "linux")(
  "without npm, npm's variables inherited: it trades on when its parent ends",
  async () => {
    const [go, ids, out] = ["go", "ids", "out"].map((name) => join(scene.folder, name));
    const daemon = `nohup "${process.execPath}" "${STARTER}" run --config "${scene.botConfig}" > "${out}" 2>&1`;
    // A session of its own, as a terminal has, whose starter has ended before it starts the daemon.
    const terminal = `while [ ! -e "${go}" ]; do sleep 0.02; done; ${daemon} & echo $$ $! > "${ids}"; wait`;
    const env = { ...process.env, npm_lifecycle_event: "npx" };
    execFileSync("sh", ["-c", `setsid sh -c '${terminal}' > /dev/null 2>&1 &`], { env });
    writeFileSync(go ?? "", "");
    await resting(scene, 4);
    const [parent = 0, child = 0] = readFileSync(ids ?? "", "utf8")
      .split(" ")
      .map(Number);
    kill(parent, "SIGKILL");
    const url = /"event":"ready","url":"([^"]+)"/.exec(readFileSync(out ?? "", "utf8"))?.[1] ?? "";
    const { nowMs: endedMs } = await statusOf(url);
    await until("three looks at processes", async () => (await statusOf(url)).nowMs > endedMs + 3500);
    expect((await statusOf(url)).phase).toBe("trading");
    expect(await openOrdersOf(scene.validatorUrl)).toHaveLength(4);
    kill(child, "SIGTERM");
    await allEnded();
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  },
);
