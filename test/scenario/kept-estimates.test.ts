// What a real daemon has learned of a market, on a real disk: the next one goes on from it, after a stop and after kill -9; a row that is
// broken is dropped and said, and keeps no start from quoting.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, it } from "vitest";
import type { EstimateLine, Status } from "../../src/bot/dashboard/status.ts";
import { endAll } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { removeScene, type Scene } from "./daemon.ts";
import { type Life, startBusyScene, startLife } from "./kill-run.ts";

let scene: Scene;

afterEach(async () => {
  await endAll();
  removeScene(scene);
});

async function estimate({ url }: Life, name: string): Promise<EstimateLine | undefined> {
  const status = (await (await fetch(`${url}/status.json`)).json()) as Status;
  return status.accounts[0]?.markets[0]?.estimates.find((line) => line.name === name);
}
const shareOfA = async (life: Life): Promise<number> => (await estimate(life, "intensityA"))?.dataShare ?? 0;

it("the next daemon goes on from what the one before it learned, and a broken row only costs that", async () => {
  scene = await startBusyScene({ takersPerSec: 4 });
  const first = await startLife(scene);
  const learned = await until("takers were seen", async () => await shareOfA(first));
  expect(await first.process.end("SIGTERM")).toBe(0);

  const second = await startLife(scene);
  expect(await shareOfA(second)).toBeGreaterThan(0.95 * learned);
  const { ageMs } = (await estimate(second, "intensityA")) ?? {};
  expect(ageMs).toBeLessThan(60_000);
  await second.process.end("SIGKILL");

  const third = await startLife(scene);
  expect(await shareOfA(third)).toBeGreaterThan(0.95 * learned);
  expect(third.process.stdout() + third.process.stderr()).toContain("the estimates of market 1 go on from the ledger");
  await third.process.end("SIGKILL");

  const ledger = new DatabaseSync(join(scene.folder, "var", "quoin.sqlite"));
  ledger.exec(`UPDATE estimates SET state = replace(state, '"takers":', '"takers":-')`);
  ledger.close();
  const last = await startLife(scene);
  expect(last.process.stdout() + last.process.stderr()).toContain("are learned again: intensity.takers");
  expect(await last.process.end("SIGTERM")).toBe(0);
});
