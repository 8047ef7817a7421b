// The life of an agent key: its end is told ahead, quotes and everything else are gone before it, another key takes over, and key files
// are taken as systemd and Docker hand them out.

import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { operate } from "../support/operate.ts";
import { endAll, quoinDone, type Running } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { metricsOf, openOrdersOf, removeScene, type Scene, startDaemon, startScene } from "./daemon.ts";
import { resting, statusOf } from "./operator.ts";

let scene: Scene;
let daemon: Running;
let url: string;
let publicKey: string;

/** Quoting ends 8 s before the key does, and everything is canceled 5 s before. */
const MARGIN_MS = 8000;

beforeAll(async () => {
  scene = await startScene({
    oracle: "{ source: fixed, price: 216.94, validForSecs: 86400 }",
    limits: `maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500, agentExpiryMarginMs: ${MARGIN_MS}`,
  });
  // As systemd hands out a credential.
  chmodSync(join(scene.folder, "agent.key"), 0o400);
  ({ process: daemon, url } = await startDaemon(scene));
  await resting(scene, 4);
  publicKey = await approvedKey();
});
afterAll(async () => {
  await endAll();
  removeScene(scene);
});

async function approvedKey(): Promise<string> {
  const account = await (await fetch(`${scene.validatorUrl}/v1/accounts/12`)).json();
  return (account as { agents: { pubkey: string }[] }).agents[0]?.pubkey.replace(/^0x/, "") ?? "";
}
async function approve(pubkey: string, expiresAt: number): Promise<void> {
  const answer = await operate(scene, "POST", "/accounts/12/agents", { pubkey, name: "bot", expiresAt });
  expect(answer.status, await answer.text()).toBe(200);
}
const nowSec = () => Math.floor(Date.now() / 1000);
const agentKeyGate = async () =>
  (await statusOf(url)).accounts[0]?.markets[0]?.gates.find(({ gate }) => gate === "agentKey");

it("before it ends quotes are pulled and everything is canceled; afterwards nothing rests", async () => {
  const endsSec = nowSec() + 17;
  await approve(publicKey, endsSec);
  await until("the warning", () => daemon.stdout().includes('"event":"key.ends"'));
  expect(daemon.stdout()).toMatch(/ends at \d{4}-.*, in less than an hour: have the owner approve another/);
  await until("the gate", async () => (await agentKeyGate())?.open === false);
  expect(nowSec()).toBeLessThan(endsSec);
  await resting(scene, 0);
  expect(nowSec(), "flat of orders in time").toBeLessThan(endsSec);
  const metrics = await metricsOf(url);
  expect(metrics.get('quoin_agent_key_expiry_timestamp_seconds{account="12"}')).toBe(endsSec);
  await until("the exchange's word", () => daemon.stdout().includes('"event":"massCancel.confirmed"'));
  expect(Date.now() / 1000).toBeLessThan(endsSec);
  await until("its end", () => nowSec() > endsSec);
  expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
});

it("another approved key quotes on", async () => {
  const { stdout } = await quoinDone(["keygen", "--out", join(scene.folder, "second.key")]);
  await approve(stdout.trim(), nowSec() + 86_400 * 30);
  writeFileSync(scene.botConfig, readFileSync(scene.botConfig, "utf8").replace("agent.key", "second.key"));
  daemon.child.kill("SIGHUP");
  await resting(scene, 4);
  expect((await agentKeyGate())?.open).toBe(true);
  expect(await daemon.end()).toBe(0);
});
