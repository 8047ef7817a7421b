// The ledger's file is deleted, or held by another program, while the daemon trades; or a backup takes its place between two runs.

import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { beforeAll, expect, it } from "vitest";
import { until } from "../support/until.ts";
import { openOrdersOf, removeScene, startDaemon, startDaemonProcess, startScene } from "./daemon.ts";
import { configBeside, operator, post, resting, statusOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll();
let url: string;
let running: Awaited<ReturnType<typeof startDaemon>>["process"];
let log: () => string;

beforeAll(async () => {
  const daemon = await startDaemon(scene);
  url = daemon.url;
  running = daemon.process;
  log = running.stdout;
  await resting(scene, 4);
});

const reasons = async () => (await fetch(`${url}/readyz`)).text();

it("held: nothing is added, the loop turns on, and it is over when the other program lets go", async () => {
  const other = new DatabaseSync(join(scene.folder, "var", "quoin.sqlite"), { timeout: 10_000 });
  other.exec("BEGIN IMMEDIATE");
  await until("the reason", async () => (await reasons()).includes("another program holds it"));
  await until("the log", () => log().includes('"event":"ledger.failed","fault":"held"'));
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  other.exec("COMMIT");
  other.close();
  await until("ready", async () => (await fetch(`${url}/readyz`)).status === 200);
  await resting(scene, 4);
});

it("deleted: nothing is added, and a halt does not say that it is written", async () => {
  const folder = join(scene.folder, "var");
  for (const name of readdirSync(folder)) if (name !== "admin.token") rmSync(join(folder, name), { recursive: true });
  await until("the reason", async () => (await reasons()).includes("was deleted or replaced"));
  const { code, stdout, stderr } = await operator("halt", configBeside(scene, url), "--reason", "a test");
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^quoin: account 12: this is in effect, but not written, and the daemon's log says why: .*run this command once more while no daemon runs/,
    ),
  ]);
  expect(stdout).toMatch(/^account 12: halted; held by /);
  await until("nothing rests", async () => (await openOrdersOf(scene.validatorUrl)).length === 0);
});

it("what it says to do keeps the halt: written while no daemon runs, it holds the next one", async () => {
  await running.end();
  expect((await operator("halt", scene.botConfig, "--reason", "again")).code).toBe(0);
  const { url: next, process } = await startDaemon(scene);
  expect((await statusOf(next)).accounts[0]?.latches).toEqual([expect.stringContaining("again")]);
  expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  expect(await process.end()).toBe(0);
});

it("a backup in its place is behind the key: own orders go, and nothing is added until an operator resumes", async () => {
  const own = await startScene();
  const file = join(own.folder, "var", "quoin.sqlite");
  const latchesAt = async (url: string) => (await statusOf(url)).accounts[0]?.latches;
  const kill = async ({ process }: Awaited<ReturnType<typeof startDaemonProcess>>) => process.end("SIGKILL");
  const first = await startDaemonProcess(own);
  await resting(own, 4);
  const saved = join(own.folder, "saved.sqlite");
  const reading = new DatabaseSync(file, { readOnly: true });
  await backup(reading, saved);
  const reservedIn = (database: DatabaseSync) =>
    BigInt(String(database.prepare("SELECT until FROM reservations").get()?.until));
  const before = reservedIn(reading);
  await until("a later reservation", () => Promise.resolve(reservedIn(reading) > before + 2000n));
  reading.close();
  await kill(first);

  const second = await startDaemonProcess(own);
  await resting(own, 4);
  expect(await latchesAt(second.url), "its own ledger is not behind after a kill").toEqual([]);
  await kill(second);

  for (const ending of ["", "-wal", "-shm", "-ahead"]) rmSync(file + ending, { force: true });
  cpSync(saved, file);
  const third = await startDaemonProcess(own);
  expect(await latchesAt(third.url)).toEqual([
    expect.stringMatching(/^operator, reducing: .*the ledger is behind its key/),
  ]);
  expect((await operator("status", configBeside(own, third.url))).stdout).toContain("the ledger is behind its key");
  await resting(own, 0);
  await kill(third);

  const fourth = await startDaemonProcess(own);
  expect(await latchesAt(fourth.url), "until somebody says so").toHaveLength(1);
  expect(await openOrdersOf(own.validatorUrl)).toEqual([]);
  expect((await post(fourth.url, "/resume", { reason: "looked at it" })).status).toBe(200);
  await resting(own, 4);
  expect(await fourth.process.end("SIGTERM")).toBe(0);
  removeScene(own);
});
