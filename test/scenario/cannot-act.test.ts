// An exchange that takes no order of ours, seen from outside with real processes: page, log, status, /readyz and metrics say so in the
// same words, stale quotes go, and the quotes return by themselves.

import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { operate } from "../support/operate.ts";
import { quoinDone } from "../support/quoin.ts";
import { type RewritingProxy, startRewritingProxy } from "../support/rewriting-proxy.ts";
import { until } from "../support/until.ts";
import { endScenes, metricsOf, reachThrough, startDaemon } from "./daemon.ts";
import { configBeside, resting, statusOf } from "./operator.ts";
import { sceneForEach } from "./scene.ts";

const scene = sceneForEach({
  // So many rejections would pause the market for half a minute.
  limits: "maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500, rejectSamplesMin: 100000",
});
let proxy: RewritingProxy;
beforeEach(async () => {
  proxy = await startRewritingProxy(scene.validatorUrl);
  const yaml = readFileSync(scene.botConfig, "utf8").replace("readLagMaxMs: 250", "readLagMaxMs: 3000");
  writeFileSync(scene.botConfig, yaml);
  reachThrough(scene, proxy);
});
afterEach(async () => {
  await endScenes();
  await proxy.close();
});

it("says that it cannot act wherever it is asked, pulls what it cannot move, and quotes again once it can", async () => {
  const { process: daemon, url } = await startDaemon(scene);
  await resting(scene, 4);
  await until("readiness", async () => (await fetch(`${url}/readyz`)).status === 200);
  proxy.turnAway = (body) => (/"(Place|Modify)Order"/.test(body) ? "unknown signer" : undefined);
  await operate(scene, "PATCH", "/oracle/1", { price: "217.50" });
  await resting(scene, 0);
  const reasons = await until("not ready", async () => {
    const answer = await fetch(`${url}/readyz`);
    return answer.status === 503 && ((await answer.json()) as { reasons: readonly string[] }).reasons;
  });
  const said = /(buy|sell): (quoting less than wanted|not quoting) because .*/;
  expect(reasons.every((reason) => said.test(reason))).toBe(true);
  const metrics = await metricsOf(url);
  expect(metrics.get('quoin_quoting{account="12",market="1",side="buy"}')).toBe(0);
  expect([...metrics.keys()].some((name) => name.startsWith("quoin_not_quoting_seconds_total{"))).toBe(true);
  expect((await statusOf(url)).accounts[0]?.markets[0]?.buy.sentence).toMatch(/^not quoting because /);
  expect((await quoinDone(["status", "--config", configBeside(scene, url)])).stdout).toMatch(
    /buy: not quoting because /,
  );
  await daemon.seen("the reason in the log", (text) => text.includes("not quoting because"));
  proxy.turnAway = null;
  await resting(scene, 4);
  await until("readiness", async () => (await fetch(`${url}/readyz`)).status === 200);
});
