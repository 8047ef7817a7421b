// Backtests and worlds on workers, with a real PostgreSQL and real processes: what is printed, who takes a job, and what becomes of it
// when a worker or the command is stopped, or a worker is killed. A test in test/long waits until pg-boss notices a killed one.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/bot/fleet/database.ts";
import { type JobQueue, openJobQueue } from "../../src/jobs/job-queue.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { ask } from "../support/postgres.ts";
import { endAll, type RunningProcess } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { withPostgres } from "../support/with-postgres.ts";
import {
  backtestOf,
  endsIn,
  finishedBy,
  plant,
  type QueueScene,
  removeQueueScene,
  runsIn,
  silence,
  simulationOf,
  startQueueScene,
  startWorker,
  statesIn,
  worldsIn,
} from "./queue-scene.ts";

const SWEEP = ["--days", "0.0003", "--seeds", "2", "--set", "accounts.12.markets.1.params.halfSpreadBps=4,8"];
const ID = "00000000-0000-4000-8000-000000000001";

withPostgres("a queue of backtests and worlds", () => {
  let scene: QueueScene;
  let database: Database;
  let workers: readonly RunningProcess[] = [];

  beforeAll(async () => {
    scene = await startQueueScene();
    database = openDatabase(scene.databaseUrl, 10_000, systemClock);
  });
  afterAll(async () => {
    await endAll();
    await database?.close();
    if (scene !== undefined) await removeQueueScene(scene);
  });

  it("two workers share a sweep, and it prints what one process prints", async () => {
    workers = await Promise.all([startWorker(scene), startWorker(scene)]);
    const resume = join(scene.folder, "sweep.jsonl");
    const sweep = backtestOf(scene, ...SWEEP, "--queue", "--resume", resume);
    const alone = backtestOf(scene, ...SWEEP, "--workers", "1");
    expect(await Promise.all([sweep.exit, alone.exit])).toEqual([0, 0]);
    expect(runsIn(sweep.stdout())).toBe(runsIn(alone.stdout()));
    expect(runsIn(sweep.stdout()).split("\n")).toHaveLength(5);
    expect(workers.map(finishedBy)).not.toContain(0);
    expect(readFileSync(resume, "utf8").split("\n")).toHaveLength(5);
    expect(await statesIn(scene)).toEqual([]);
  });

  it("rows that are no jobs fail alone, each with its own error, and the sweep behind them goes on", async () => {
    const hash = "\u0000";
    const rows = [
      { text: "{}" },
      { text: "no JSON" },
      null,
      [1],
      { text: JSON.stringify({ kind: "none", text: "", hashes: [] }) },
      // PostgreSQL takes no such text, whatever it is asked.
      { text: JSON.stringify({ kind: "backtest", text: "", hashes: [hash] }) },
    ];
    for (const row of rows) await plant(scene, row);
    const sweep = backtestOf(scene, ...SWEEP, "--queue");
    expect([await sweep.exit, sweep.stderr()]).toEqual([0, ""]);
    expect(runsIn(sweep.stdout()).split("\n")).toHaveLength(5);
    await until("an end of each", async () => (await statesIn(scene)).every((state) => state === "completed"));
    const ends = await endsIn(scene);
    expect(ends).toHaveLength(rows.length);
    expect(ends.filter((text) => text.includes("the row in the queue is no job of this program"))).toHaveLength(4);
    expect(ends.filter((text) => text.includes("invalid byte sequence"))).toHaveLength(1);
    for (const worker of workers) expect(worker.stdout()).not.toContain("database.away");
    await ask(scene.databaseUrl, "delete from quoin_jobs.job");
  });

  it("an end that no worker wrote is the error of its run", async () => {
    const sweep = backtestOf(scene, ...SWEEP, "--queue");
    await until("its runs", async () => (await statesIn(scene)).includes("active"));
    await ask(scene.databaseUrl, `update quoin_jobs.job set state = 'completed', output = '{"text":"{}"}'`);
    expect(await sweep.exit).toBe(1);
    expect(sweep.stderr()).toContain("the end in the queue is of no worker of this program");
    await until("an empty queue", async () => (await statesIn(scene)).length === 0);
  });

  it("worlds go to the same workers, and print what one process prints, although a worker is killed in the middle", async () => {
    const [killed] = workers as [RunningProcess, RunningProcess];
    const alone = simulationOf(scene, "--seeds", "2");
    const queued = simulationOf(scene, "--seeds", "2", "--queue");
    await until("a world on each worker", async () => {
      const states = await statesIn(scene);
      return states.length === 2 && states.every((state) => state === "active");
    });
    await killed.end("SIGKILL");
    await silence(scene);
    expect(await Promise.all([queued.exit, alone.exit])).toEqual([0, 0]);
    expect(worldsIn(queued.stdout())).toBe(worldsIn(alone.stdout()));
    expect(alone.stdout()).not.toBe(worldsIn(alone.stdout()));
    expect(await statesIn(scene)).toEqual([]);
  });

  it("a worker that is stopped gives its run back at once; the sweep says that nobody works, and stopped it takes the run back", async () => {
    const [, worker] = workers as [RunningProcess, RunningProcess];
    const sweep = backtestOf(scene, "--days", "300", "--queue");
    await until("a run that is under way", async () => (await statesIn(scene)).includes("active"));
    expect(await worker.end()).toBe(0);
    expect(worker.stdout()).toContain("gave back 1 run");
    expect(await statesIn(scene)).toEqual(["created"]);
    await until("the word that nobody works", () => sweep.stderr().includes("no worker takes the runs"));
    expect(await sweep.end("SIGINT")).toBe(1);
    expect(sweep.stderr()).toContain("stopped after 0 of 1 runs\n");
    expect(await statesIn(scene)).toEqual([]);
  });

  describe("its jobs", () => {
    let queue: JobQueue;
    let other: JobQueue;
    beforeAll(async () => {
      queue = await openJobQueue(database, "a-program");
      other = await openJobQueue(database, "other-program");
    });
    afterAll(() => Promise.all([queue.close(), other.close()]));

    it("are of one program: another does not take them, and is told that they wait", async () => {
      await other.add([{ id: ID, text: "for the other" }]);
      expect(await queue.take()).toBeNull();
      await until("a count of them", async () => (await queue.waitingElsewhere()) === 1);
      expect(await other.take()).toMatchObject({ id: ID, text: "for the other" });
    });

    it("read texts that are kept once, by their hash", async () => {
      const bot = { path: "bot.yaml", text: "accounts: []", hash: "1" };
      await queue.texts.keep([bot, { path: "devnet.yaml", text: "markets: []", hash: "2" }]);
      await other.texts.keep([bot, { ...bot, path: "another.yaml" }]);
      expect(await other.texts.read(["1", "2", "3"])).toEqual(
        new Map([
          ["1", "accounts: []"],
          ["2", "markets: []"],
        ]),
      );
    });

    it("are added once, and finished by who has them now", async () => {
      await queue.add([{ id: ID, text: "first" }]);
      await queue.add([{ id: ID, text: "again" }]);
      const lost = await queue.take();
      expect(lost).toMatchObject({ id: ID, attempt: 0, text: "first" });
      if (lost === null) return;
      expect(await queue.giveBack([lost])).toBe(1);
      expect(await queue.take()).toEqual(lost);
      await queue.finish({ ...lost, attempt: 1 }, "of an attempt that is not under way");
      expect(await queue.look([ID])).toEqual([{ id: ID, state: "active", text: null }]);
      await queue.finish(lost, "done");
      expect(await queue.giveBack([lost])).toBe(0);
      expect(await queue.look([ID])).toEqual([{ id: ID, state: "completed", text: "done" }]);
      await queue.remove([ID]);
      expect(await queue.look([ID])).toEqual([]);
    });
  });
});
