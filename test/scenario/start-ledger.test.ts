// The ledger of a demo: in a private folder of its start, found by commands through the running daemon, and gone with it.

import { cpSync, existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { jsonLines } from "../support/json-lines.ts";
import {
  endAll,
  PROJECT,
  quoin,
  quoinDone,
  quoinProcess,
  type Running,
  type RunningProcess,
} from "../support/quoin.ts";
import { scratchFolder } from "../support/scratch.ts";
import { until } from "../support/until.ts";

const folder = scratchFolder("start-ledger");
afterAll(endAll);

/** A demo's configuration, with a port that its commands can ask. */
function demoAt(name: string, port: number, market = 1): string {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(
    file,
    `venue: { chainId: venue-v4:devnet:chain-2, embedded: ${join(PROJECT, "config/devnet.yaml")}, readLagMaxMs: 250 }
accounts:
  - accountId: 12
    markets:
      - marketId: ${market}
        strategy: fixed-spread
        params: { halfSpreadBps: 2, size: 0.5, levels: 2, stepBps: 4 }
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }
server: { port: ${port} }
`,
  );
  return file;
}

const ledgerOf = (daemon: Running | RunningProcess): Promise<string> =>
  daemon.seen("its ledger's file", (text) => /"event":"ready".*"ledgerFile":"([^"]+)"/.exec(text)?.[1]);

type Trade = { readonly marketId: number };
const tradesOf = async (config: string): Promise<readonly Trade[]> => {
  const { code, stdout, stderr } = await quoinDone(["trades", "--config", config, "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  return jsonLines(stdout);
};

test("two demos beside each other: each has its own fills, nothing lies beside the configuration, and both ledgers go", async () => {
  const configs = [demoAt("one", await freePort(), 1), demoAt("other", await freePort(), 2)];
  const before = readdirSync(folder);
  const daemons = configs.map((config) => quoin(["run", "--config", config]));
  const ledgers = await Promise.all(daemons.map(ledgerOf));
  expect(new Set(ledgers.map(dirname)).size).toBe(2);
  for (const file of ledgers) expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  const trades = await Promise.all(
    configs.map((config) =>
      until("fills", async () => {
        const rows = await tradesOf(config);
        return rows.length > 0 && rows;
      }),
    ),
  );
  expect(trades.map((rows) => [...new Set(rows.map(({ marketId }) => marketId))])).toEqual([[1], [2]]);
  for (const command of [["pnl"], ["ledger", "export", "--table", "funding"], ["ledger", "verify", "--offline"]])
    expect(await quoinDone([...command, "--config", `${configs[0]}`])).toMatchObject({ code: 0, stderr: "" });
  expect(await quoinDone(["report", "--config", `${configs[0]}`])).toMatchObject({ code: 0 });
  expect(readdirSync(folder)).toEqual(before);
  for (const daemon of daemons) expect(await daemon.end()).toBe(0);
  for (const file of ledgers) expect(existsSync(dirname(file))).toBe(false);
  const { code, stderr } = await quoinDone(["trades", "--config", `${configs[0]}`]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("goes with its daemon, and none answers")]);
});

test("what a killed demo left goes with the next start, of whichever configuration; one that runs keeps its own", async () => {
  const killed = quoinProcess(["run", "--config", demoAt("killed", await freePort())]);
  const left = dirname(await ledgerOf(killed));
  await killed.end("SIGKILL");
  const config = demoAt("living", await freePort());
  const living = quoin(["run", "--config", config]);
  const kept = dirname(await ledgerOf(living));
  expect(existsSync(left), "a start may still be under way there").toBe(true);
  const longAgo = new Date(Date.now() - 120_000);
  for (const each of [left, kept]) utimesSync(each, longAgo, longAgo);
  const next = quoin(["run", "--config", demoAt("next", await freePort())]);
  await ledgerOf(next);
  expect([existsSync(left), existsSync(kept)]).toEqual([false, true]);
  for (const daemon of [living, next]) expect(await daemon.end()).toBe(0);
});

test("forbidden: a file outside of the private folder, which somebody else at the port names", async () => {
  let named: unknown;
  const other = createServer((_, response) => response.end(JSON.stringify({ file: named }))).listen(0, "127.0.0.1");
  await until("its port", () => other.listening);
  const config = demoAt("asked", (other.address() as AddressInfo).port);
  const daemon = quoin(["run", "--config", demoAt("running", await freePort())]);
  const running = await ledgerOf(daemon);
  const elsewhere = join(folder, basename(dirname(running)));
  cpSync(dirname(running), elsewhere, { recursive: true });
  named = running;
  expect(await quoinDone(["trades", "--config", config])).toMatchObject({ code: 0 });
  for (named of [join(elsewhere, "quoin.sqlite"), `${running}.lock`, "quoin.sqlite", 7, null])
    expect((await quoinDone(["trades", "--config", config])).code, `${named}`).toBe(1);
  await daemon.end();
  other.close();
});
