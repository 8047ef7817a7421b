// A daemon that turns and cannot act, under a watchdog with a way of its own to the exchange: its orders go, and once it can act again it
// reconciles and quotes on, without a halt.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { operate } from "../support/operate.ts";
import { type ChaosProxy, startProxy } from "../support/proxy.ts";
import { quoin, quoinDone, type Running } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { endScenes, startDaemon } from "./daemon.ts";
import { configBeside, resting, statusOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll();
let proxy: ChaosProxy;
let dog: Running;
let url: string;
let agentKey: string;

const approve = (pubkey: string, expiresAt: number) =>
  operate(scene, "POST", "/accounts/12/agents", { pubkey, name: "another", expiresAt });
const FAR_SEC = 4_102_444_800;

const says = (event: string, times = 1) =>
  until(`the watchdog's ${event}`, () => dog.stdout().split(`"event":"${event}"`).length > times);
const latches = async () => (await statusOf(url)).accounts[0]?.latches;

beforeAll(async () => {
  const account = await (await fetch(`${scene.validatorUrl}/v1/accounts/12`)).json();
  agentKey = (account as { agents: { pubkey: string }[] }).agents[0]?.pubkey.replace(/^0x/, "") ?? "";
  const { stdout } = await quoinDone(["keygen", "--out", join(scene.folder, "watchdog.key")]);
  await approve(stdout.trim(), FAR_SEC);
  const yaml = readFileSync(scene.botConfig, "utf8")
    .replace("agentKeyFile: agent.key", "agentKeyFile: agent.key\n    watchdogKeyFile: watchdog.key")
    .concat("watchdog: { silenceMs: 3000, pollMs: 50 }\n");
  proxy = await startProxy({ targetPort: Number(new URL(scene.validatorUrl).port), seed: 1n });
  writeFileSync(scene.botConfig, yaml.replace(scene.validatorUrl, `http://127.0.0.1:${proxy.port}`));
  ({ url } = await startDaemon(scene));
  const direct = configBeside(scene, url, (text) => text.replace(`http://127.0.0.1:${proxy.port}`, scene.validatorUrl));
  dog = quoin(["watchdog", "--config", direct]);
  await says("watchdog.started");
  await resting(scene, 4);
});
afterAll(async () => {
  await endScenes();
  await proxy.close();
});

it("cut from the exchange it beats on: the watchdog cancels its orders", async () => {
  for (const direction of ["up", "down"] as const) proxy.set(direction, { blackhole: true });
  await says("watchdog.canceled");
  await resting(scene, 0);
  expect(dog.stdout()).toMatch(/the exchange has not answered the daemon for \d+ s: canceling everything/);
  proxy.calm();
  proxy.reset();
  await resting(scene, 4);
  await says("watchdog.back");
  expect(await latches()).toEqual([]);
});

it("with its key revoked: the same, and quotes when it is approved again", async () => {
  await approve(agentKey, Math.floor(Date.now() / 1000) + 1);
  await says("watchdog.canceled", 2);
  await resting(scene, 0);
  expect(dog.stdout()).toContain("the daemon's key may not act on account 12: canceling everything");
  await approve(agentKey, FAR_SEC);
  await resting(scene, 4);
  expect(await latches()).toEqual([]);
});
