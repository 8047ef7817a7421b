// A real daemon that records: killed while it writes, started again, its strategy swapped by a reload, halted and resumed. The folder replays
// bit for bit. A folder that cannot be written is refused at the start.

import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { recordingOf } from "../../src/backtest/recorded/recording.ts";
import { quoinDone, type RunningProcess } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { endScenes, fillsIn, metricsOf, postHeaders, type Scene, startDaemonProcess } from "./daemon.ts";
import { startBusyScene } from "./kill-run.ts";

let scene: Scene;
let folder: string;

beforeAll(async () => {
  scene = await startBusyScene({ takersPerSec: 4 });
  folder = join(scene.folder, "recordings");
  appendFileSync(scene.botConfig, "recording: { folder: recordings }\n");
});

afterAll(endScenes);

const edit = (from: string, to: string): void =>
  writeFileSync(scene.botConfig, readFileSync(scene.botConfig, "utf8").replace(from, to));

const bytesIn = (): number => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

/** A daemon that has traded and whose recording has grown since. */
async function trading(): Promise<{ readonly process: RunningProcess; readonly url: string }> {
  const { process, url } = await startDaemonProcess(scene);
  await until("fills", async () => fillsIn(await metricsOf(url)) > 3);
  const before = bytesIn();
  await until("the recording grows", () => Promise.resolve(bytesIn() > before));
  return { process, url };
}

it("what a killed daemon and the next one decided comes out again", async () => {
  const killed = await trading();
  await killed.process.end("SIGKILL");

  const { process, url } = await trading();
  edit("strategy: fixed-spread", "strategy: ladder");
  edit(
    "params: { halfSpreadBps: 1, size: 0.2, levels: 2, stepBps: 1, skewBps: 1 }",
    "params: { halfSpreadBps: 1, size: 0.2, levels: 2, maxInventory: 40 }",
  );
  process.signal("SIGHUP");
  await process.seen("the swap", (text) => text.includes('"strategy":"ladder"'));
  const operate = (verb: string) =>
    fetch(`${url}/${verb}`, { method: "POST", headers: postHeaders(url), body: JSON.stringify({ reason: "a test" }) });
  expect((await operate("halt")).status).toBe(200);
  await process.seen("the halt", (text) => text.includes("massCancel.confirmed"));
  expect((await operate("resume")).status).toBe(200);
  const fills = fillsIn(await metricsOf(url));
  await until("fills of the other strategy", async () => fillsIn(await metricsOf(url)) > fills);
  expect((await metricsOf(url)).get("quoin_recording")).toBe(1);
  expect(await process.end("SIGTERM")).toBe(0);

  expect(readdirSync(folder)).toHaveLength(2);
  const { code, stdout, stderr } = await quoinDone(["replay", folder, "--json"]);
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ kind: "replay", identical: true, truncated: true });
});

it("a file that is deleted while it is written, and then its folder: new files hold what follows, and it is said and counted", async () => {
  const { process, url } = await trading();
  const lost = async (count: number) => {
    await until("the count", async () => (await metricsOf(url)).get("quoin_recording_files_lost_total") === count);
    expect((await metricsOf(url)).get("quoin_recording")).toBe(1);
  };
  const newest = () => readdirSync(folder).sort().at(-1) ?? "";
  const first = newest();
  rmSync(join(folder, first));
  await lost(1);
  await process.seen("the line", (text) => text.includes('"event":"recording.lost"'));
  expect(process.stdout()).toContain(`${first} is gone while it was written: the recording goes on in `);
  await until("a new file", () => newest() === first.replace("00001", "00002"));
  expect(await quoinDone(["replay", folder, "--json"])).toMatchObject({ code: 0 });

  rmSync(folder, { recursive: true });
  await lost(2);
  await until("a new folder", () => existsSync(folder) && newest() === first.replace("00001", "00003"));
  const fills = fillsIn(await metricsOf(url));
  await until("fills", async () => fillsIn(await metricsOf(url)) > fills + 3);
  expect(await process.end("SIGTERM")).toBe(0);
  expect(await quoinDone(["replay", folder])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /00003\.qrec begins within a run whose earlier files are lost: .* only its events can be used\n$/,
    ),
  });
  const events = await Array.fromAsync(recordingOf(folder)());
  expect(events.filter(({ event }) => event.kind === "execution").length).toBeGreaterThan(3);
});

it("a folder that cannot be written is refused in one line", async () => {
  const file = join(scene.folder, "a-file");
  writeFileSync(file, "");
  edit("recording: { folder: recordings }", `recording: { folder: ${file}/in-it }`);
  const { code, stderr } = await quoinDone(["run", "--config", scene.botConfig]);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^quoin: recording\.folder: .*a-file\/in-it cannot be written: .*; name another, or leave recording out\n$/,
  );
});
