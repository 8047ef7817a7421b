// What a real daemon has learned of a market, on a real disk: the next one goes on from it, after a stop and after kill -9; a row that is
// broken is dropped and said, and keeps no start from quoting.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, it } from "vitest";
import type { EstimateLine, Status } from "../../src/bot/dashboard/status.ts";
import { until } from "../support/until.ts";
import { endScenes, metricsOf, type Scene } from "./daemon.ts";
import { type Life, startBusyScene, startLife } from "./kill-run.ts";

afterEach(endScenes);

async function estimate({ url }: Life, name: string): Promise<EstimateLine | undefined> {
  const status = (await (await fetch(`${url}/status.json`)).json()) as Status;
  return status.accounts[0]?.markets[0]?.estimates.find((line) => line.name === name);
}
const shareOfA = async (life: Life): Promise<number> => (await estimate(life, "intensityA"))?.dataShare ?? 0;

/** Changes the rows of the ledger that the daemon of `scene` has left. */
function change({ folder }: Scene, edit: (ledger: DatabaseSync) => void): void {
  const ledger = new DatabaseSync(join(folder, "var", "quoin.sqlite"));
  edit(ledger);
  ledger.close();
}

it("the next daemon goes on from what the one before it learned, also after kill -9, and a broken row only costs that", async () => {
  const scene = await startBusyScene({ takersPerSec: 4 });
  const first = await startLife(scene);
  const judged = 'quoin_markout_bps_count{account="12",market="1",horizon="1s"}';
  await until("a fill was judged", async () => ((await metricsOf(first.url)).get(judged) ?? 0) > 0);
  const learned = await until("takers were seen", async () => await shareOfA(first));
  expect(await first.process.end("SIGTERM")).toBe(0);

  change(scene, (ledger) => {
    const [row] = ledger.prepare("SELECT state FROM estimates WHERE market = 1").all() as [{ state: string }];
    const { kept } = JSON.parse(row.state) as { readonly kept: { readonly adverse: Record<string, object> } };
    expect(Object.keys(kept.adverse)).toContainEqual(expect.stringMatching(/^(buy|sell) \S+ 1s$/));
    // As takers who know more would have left it: they stop a side.
    const lost = { before: { fills: 40, markouts: -120, count: 40 }, largest: 1, burst: null, atMs: -1 };
    const cells = ["open", "beforePrint", "afterPrint"].map((phase) => [`sell ${phase} 60s`, lost]);
    ledger
      .prepare("UPDATE estimates SET state = json_set(state, '$.kept.adverse', json(?)) WHERE market = 1")
      .run(JSON.stringify(Object.fromEntries(cells)));
  });
  for (const nth of [2, 3]) {
    const next = await startLife(scene);
    const level = 'quoin_adverse_level{account="12",market="1",side="sell"}';
    expect((await metricsOf(next.url)).get(level), `life ${nth}`).toBe(3);
    expect(await shareOfA(next)).toBeGreaterThan(0.95 * learned);
    expect((await estimate(next, "intensityA"))?.ageMs).toBeLessThan(60_000);
    await next.process.seen("what it keeps", (text) => text.includes("estimates of market 1 restored from the ledger"));
    await next.process.end("SIGKILL");
  }

  change(scene, (ledger) => ledger.exec(`UPDATE estimates SET state = replace(state, '"takers":', '"takers":-')`));
  const last = await startLife(scene);
  await last.process.seen("what it drops", (text) => text.includes("are learned again: reach.sums.takers"));
  expect(await last.process.end("SIGTERM")).toBe(0);
});
