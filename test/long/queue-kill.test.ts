// Workers that die in the middle of a sweep, and one that freezes and wakes: what is printed does not change by a byte.

import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import {
  backtestOf,
  finishedBy,
  type QueueScene,
  removeQueueScene,
  runsIn,
  startQueueScene,
  startWorker,
  statesIn,
} from "../scenario/queue-scene.ts";
import { endAll, type Running, type RunningProcess } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { withPostgres } from "../support/with-postgres.ts";

/** Some seconds a run: either worker has one when the first is finished. */
const SWEEP = ["--days", "0.006", "--seeds", "5"];
/** A run that is lost is found after 10 s, at the earliest. */
const FOUND_MS = 60_000;
/** Long tests run beside each other. */
const HOOK_MS = 600_000;

withPostgres("workers that die", () => {
  let scene: QueueScene;
  let expected: string;

  beforeAll(async () => {
    scene = await startQueueScene();
    const alone = backtestOf(scene, ...SWEEP);
    expect(await alone.exit).toBe(0);
    expected = runsIn(alone.stdout());
  }, HOOK_MS);
  afterEach(endAll);
  afterAll(async () => {
    if (scene !== undefined) await removeQueueScene(scene);
  });

  async function startSweep(): Promise<{
    readonly sweep: Running;
    readonly workers: readonly [RunningProcess, RunningProcess];
  }> {
    const workers = [await startWorker(scene), await startWorker(scene)] as const;
    const sweep = backtestOf(scene, ...SWEEP, "--queue");
    await until("a first run that is finished", () => workers.some((worker) => finishedBy(worker) > 0), FOUND_MS);
    await until("two that are under way", async () => (await activeIn()) >= 2);
    return { sweep, workers };
  }
  const activeIn = async (): Promise<number> => (await statesIn(scene)).filter((state) => state === "active").length;

  it("killed: its run is made again by the other", async () => {
    const { sweep, workers } = await startSweep();
    workers[0].child.kill("SIGKILL");
    expect(await sweep.exit).toBe(0);
    expect(runsIn(sweep.stdout())).toBe(expected);
  });

  it("frozen until its run was made by the other: what it still says changes nothing", async () => {
    const { sweep, workers } = await startSweep();
    workers[0].child.kill("SIGSTOP");
    expect(await sweep.exit).toBe(0);
    workers[0].child.kill("SIGCONT");
    await until("the end of its run", () => finishedBy(workers[0]) + finishedBy(workers[1]) > 5, FOUND_MS);
    expect(runsIn(sweep.stdout())).toBe(expected);
    expect(await statesIn(scene)).toEqual([]);
    expect(await workers[0].end()).toBe(0);
  });

  it("two in turn: the backtest fails and says why", async () => {
    const sweep = backtestOf(scene, "--days", "300", "--queue");
    for (const _ of ["first", "second"]) {
      const worker = await startWorker(scene);
      await until("its run", async () => (await activeIn()) === 1, FOUND_MS);
      worker.child.kill("SIGKILL");
      await until("that it is missed", async () => (await activeIn()) === 0, FOUND_MS);
    }
    expect(await sweep.exit).toBe(1);
    expect(sweep.stderr()).toContain("quoin: two workers in turn died of a run");
    expect(await statesIn(scene)).toEqual([]);
  });
});
