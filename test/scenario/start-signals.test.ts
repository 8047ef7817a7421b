// Signals in the first moments of a daemon that starts over what an earlier run left resting: they do what they do later.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { PROJECT, quoinProcess, type RunningProcess } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { metricsOf, openOrdersOf, startDaemonProcess } from "./daemon.ts";
import { configBeside, operator, resting, stateOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll();

/** An earlier run leaves four orders. */
beforeEach(async () => {
  const { process } = await startDaemonProcess(scene);
  await resting(scene, 4);
  await process.end("SIGKILL");
});

/** Has the starter believe that its Node is too old: the daemon is its child, under the pinned runtime. */
function oldStarter(): string {
  const file = join(scene.folder, "old-node.cjs");
  const claim = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.2.0" } });`;
  writeFileSync(file, `${claim}\nvoid import(${JSON.stringify(join(PROJECT, "src/start.js"))});\n`);
  return file;
}

/** SIGUSR2, the last that the starter comes to listen to, in a mask with a bit for each signal. */
const LAST_HEARD = 1n << 11n;

/** Resolves with the first handlers: before them a signal does what the system has it do. */
async function startHeard(runtime: "new" | "old"): Promise<RunningProcess> {
  const options = runtime === "old" ? { starter: oldStarter() } : {};
  const daemon = quoinProcess(["run", "--config", scene.botConfig], options);
  const status = `/proc/${daemon.child.pid}/status`;
  const heard = () => BigInt(`0x${/SigCgt:\s*(\w+)/.exec(readFileSync(status, "utf8"))?.[1] ?? "0"}`);
  await until("the first handlers", () => (heard() & LAST_HEARD) !== 0n);
  return daemon;
}

// Other systems have no /proc, which shows the signals that a process handles. At these instants, on an idle machine: the program loads,
// the exchange is asked, quotes rest.
describe.skipIf(process.platform !== "linux")("after the first handlers", () => {
  it.each([
    [0, "new", "SIGTERM"],
    [400, "new", "SIGINT"],
    [0, "old", "SIGINT"],
    [300, "old", "SIGTERM"],
  ] as const)("%i ms, %s runtime: %s ends in the safe way", async (ms, runtime, signal) => {
    const daemon = await startHeard(runtime);
    await pause(ms);
    expect(await daemon.end(signal)).toBe(0);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
    expect(daemon.stdout()).toContain(`${signal}: no new orders from now on`);
  });

  it.each([
    [0, "new"],
    [600, "new"],
    [200, "old"],
  ] as const)("%i ms, %s runtime: SIGHUP has the file read again, SIGUSR2 halts", async (ms, runtime) => {
    const daemon = await startHeard(runtime);
    await pause(ms);
    daemon.signal("SIGHUP");
    daemon.signal("SIGUSR2");
    const url = await daemon.seen("its address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
    await until("the halt", async () => (await stateOf(url)) === "halted");
    await resting(scene, 0);
    const reloads = async () => (await metricsOf(url)).get('quoin_config_reloads_total{result="applied"}');
    await until("the reload", async () => ((await reloads()) ?? 0) > 0);
    expect(daemon.isOver()).toBe(false);
    expect((await operator("resume", configBeside(scene, url), "--reason", "a test")).code).toBe(0);
    expect(await daemon.end("SIGTERM")).toBe(0);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });
});
