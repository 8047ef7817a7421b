// A devnet that is started fresh is another chain under the same name: what the ledger holds of the old one is archived, and nothing of
// it is taken for the new one's. The same chain at a lower height keeps everything.

import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { LedgerRow } from "../../src/bot/ledger/store.ts";
import { jsonLines } from "../support/json-lines.ts";
import { quoin, quoinDone, type Running } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, take } from "./counterparty.ts";
import { endScenes, type Scene, startDaemon, startScene } from "./daemon.ts";
import { positionsOf, resting, statusOf } from "./operator.ts";

let scene: Scene;
afterEach(endScenes);

const limits = "maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500";
const begin = async () => {
  scene = await startScene({
    params: "{ halfSpreadBps: 10, size: 1, levels: 2, stepBps: 5 }",
    limits,
    accounts: counterpartyRow,
  });
};

/** Without --data-dir, at the same addresses. */
async function startDevnetAgain(): Promise<void> {
  const portOf = (url: string) => new URL(url).port;
  const ports = ["--port", portOf(scene.validatorUrl), "--rest-port", portOf(scene.restUrl)];
  const config = ["--config", join(scene.folder, "devnet.yaml"), "--control-port", portOf(scene.controlUrl)];
  const devnet = quoin(["devnet", ...ports, ...config]);
  await devnet.seen("the devnet's line", (text) => text.includes("devnet.ready"));
}

const rowsOf = async (table: string, ...args: readonly string[]): Promise<readonly LedgerRow[]> => {
  const all = ["ledger", "export", "--config", scene.botConfig, "--json", "--table", table, ...args];
  const { code, stdout } = await quoinDone(all);
  expect(code).toBe(0);
  return jsonLines(stdout);
};

const fillsOf = async (url: string) => (await statusOf(url)).accounts[0]?.markets[0]?.fillCount;
const sold = (contracts: number) => take(scene.validatorUrl, { side: "sell", contracts });

async function expectNewBook(url: string, log: Running): Promise<void> {
  await resting(scene, 4);
  // Other people's orders have ids by now that were ours on the old chain, and trade.
  await sold(0.5);
  await until("the fill", async () => (await fillsOf(url)) === 1);
  expect(await positionsOf(scene)).toMatchObject([{ side: "Long", size: "500000" }]);
  expect((await statusOf(url)).accounts[0]).toMatchObject({ latches: [], markets: [{ position: 0.5 }] });
  expect(log.stdout().match(/"event":"chain\.began"/g)).toHaveLength(1);
  expect((await rowsOf("audit")).map(({ call }) => call)).toEqual(["chainBegan"]);
  expect((await rowsOf("transfers")).map(({ reason, amount }) => [reason, amount])).toEqual([["opening", "100000"]]);
  expect(await rowsOf("fills")).toHaveLength(1);
  expect(await rowsOf("fills", "--chain", "1")).toHaveLength(2);
  expect(await rowsOf("fills", "--chain", "2")).toHaveLength(1);
}

it("begun while the daemon was away: its start archives the old chain", async () => {
  await begin();
  const first = await startDaemon(scene);
  await resting(scene, 4);
  await sold(1.5);
  await until("the fills", async () => (await fillsOf(first.url)) === 2);
  expect(await first.process.end()).toBe(0);
  await scene.devnet.end();
  await startDevnetAgain();
  const { url, process } = await startDaemon(scene);
  await expectNewBook(url, process);
  expect(await process.end()).toBe(0);
  const other = ["ledger", "export", "--config", scene.botConfig, "--table", "latches", "--chain", "1"];
  expect(await quoinDone(other)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("goes on whatever the chain"),
  });
});

it("begun while the daemon runs: it stops, and starts again on the new one", async () => {
  await begin();
  const { url, process } = await startDaemon(scene);
  await resting(scene, 4);
  await sold(1.5);
  await until("the fills", async () => (await fillsOf(url)) === 2);
  await scene.devnet.end();
  await startDevnetAgain();
  const again = await process.seen(
    "its next address",
    (text) => [...text.matchAll(/"event":"ready","url":"([^"]+)"/g)].map(([, at]) => at)[1],
  );
  await expectNewBook(again, process);
});
