// What pongs say is one witness among three: pongs an hour off move neither timestamps nor nonces, and a chain at a lower height is taken up
// as at a start.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readSqlite } from "../../src/bot/ledger/sqlite/sqlite.ts";
import { operate } from "../support/operate.ts";
import { endAll } from "../support/quoin.ts";
import { type StreamProxy, startStreamProxy } from "../support/stream-proxy.ts";
import { until } from "../support/until.ts";
import { openOrdersOf, removeScene, type Scene, startDaemon, startScene } from "./daemon.ts";
import { resting } from "./operator.ts";

const HOUR_MS = 3_600_000;

let scene: Scene;
let proxy: StreamProxy;
/** Pongs that were changed. */
let changed: number;

beforeEach(async () => {
  scene = await startScene({ oracle: "{ source: fixed, price: 216.94, validForSecs: 86400 }" });
  proxy = await startStreamProxy(`${scene.validatorUrl.replace("http", "ws")}/v1/ws`);
  changed = 0;
  const yaml = readFileSync(scene.botConfig, "utf8");
  const throughProxy = `validatorUrl: "${scene.validatorUrl}", wsUrl: "${proxy.wsUrl}"`;
  writeFileSync(scene.botConfig, yaml.replace(`validatorUrl: "${scene.validatorUrl}"`, throughProxy));
});

afterEach(async () => {
  await endAll();
  await proxy.close();
  removeScene(scene);
});

const control = (path: string, body: unknown) => operate(scene, "PATCH", path, body);
const isReady = async (url: string): Promise<boolean> => (await fetch(`${url}/readyz`)).status === 200;

function shiftPongs(by: { readonly timeMs?: number; readonly blocks?: number }): void {
  proxy.rewrite((pong) => {
    changed += 1;
    const { blockTimeMs, blockHeight } = pong as { readonly blockTimeMs: number; readonly blockHeight: number };
    return { ...pong, blockTimeMs: blockTimeMs + (by.timeMs ?? 0), blockHeight: blockHeight + (by.blocks ?? 0) };
  });
}

/** Every nonce that was sent, and what is written down for the next life. */
function nonces(): readonly number[] {
  const engine = readSqlite(join(scene.folder, "var/quoin.sqlite"));
  try {
    const sent = [...engine.read.rows("intents")].map(({ nonce }) => Number(nonce));
    const signers = new Set([...engine.read.rows("intents")].map(({ signer }) => String(signer)));
    return [...sent, ...[...signers].map((signer) => Number(engine.read.reservation(signer)))];
  } finally {
    engine.close();
  }
}

it("every pong an hour ahead: cancels land, nonces are of now, quotes go on, and so they do after a restart", async () => {
  shiftPongs({ timeMs: HOUR_MS });
  const first = await startDaemon(scene);
  await resting(scene, 4);
  await until("three pongs that are wrong", () => changed >= 3);
  expect(await isReady(first.url)).toBe(true);
  await control("/markets/1", { status: "Paused" });
  await until("the cancels of a paused market", async () => (await openOrdersOf(scene.validatorUrl)).length === 0);
  await control("/markets/1", { status: "Active" });
  await resting(scene, 4);
  expect(await first.process.end("SIGTERM")).toBe(0);
  for (const nonce of nonces()) expect(Math.abs(nonce - Date.now())).toBeLessThan(120_000);
  const second = await startDaemon(scene);
  await resting(scene, 4);
  expect(await second.process.end("SIGTERM")).toBe(0);
});

it("a chain that goes on at a lower height: recovered as at a start, and quoting again", async () => {
  shiftPongs({ blocks: 1_000_000 });
  const daemon = await startDaemon(scene);
  await resting(scene, 4);
  await until("two pongs", () => changed >= 2);
  shiftPongs({ blocks: 0 });
  await daemon.process.seen(
    "the restart of the chain",
    (text) => text.includes('"event":"chain.restarted"') || undefined,
  );
  const startsOf = (text: string): number => text.split('"event":"ready"').length - 1;
  const url = await daemon.process.seen("the second start", (text) =>
    startsOf(text) === 2 ? [...text.matchAll(/"event":"ready","url":"([^"]+)"/g)].at(-1)?.[1] : undefined,
  );
  await resting(scene, 4);
  await until("ready", () => isReady(url));
  expect(await daemon.process.end("SIGTERM")).toBe(0);
});
