// A key that comes to be approved on a second account while it trades: no CancelAllOrders leaves any more, and everything is canceled all the
// same.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { operate } from "../support/operate.ts";
import { quoinDone, type Running } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { metricsOf, OWNER, openOrdersOf, startDaemon } from "./daemon.ts";
import { post, resting } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll({ accounts: `  - { accountId: 13, owner: "${OWNER}", masterAccountId: 12 }` });
let daemon: Running;
let url: string;

beforeAll(async () => {
  ({ process: daemon, url } = await startDaemon(scene));
  await resting(scene, 4);
});

const executed = async (action: string): Promise<number> =>
  (await metricsOf(url)).get(`quoin_transactions_total{account="12",action="${action}",outcome="executed"}`) ?? 0;
const halt = () => post(url, "/halt", { reason: "test" });
const resume = () => post(url, "/resume", { reason: "test" });

it("a halt cancels with CancelAllOrders while the key is approved on its account alone, one by one afterwards", async () => {
  await halt();
  await resting(scene, 0);
  await until("a CancelAllOrders", async () => (await executed("cancelAll")) > 0);
  await until("the end of the mass cancel", () => daemon.stdout().includes('"event":"massCancel.confirmed"'));
  await resume();
  await resting(scene, 4);

  const { stdout } = await quoinDone(["keygen", "--out", join(scene.folder, "shared.key")]);
  const body = { pubkey: stdout.trim(), name: "shared", expiresAt: 1_924_905_600 };
  for (const id of [12, 13]) expect((await operate(scene, "POST", `/accounts/${id}/agents`, body)).status).toBe(200);
  writeFileSync(scene.botConfig, readFileSync(scene.botConfig, "utf8").replace("agent.key", "shared.key"));
  daemon.signal("SIGHUP");
  await until("what is said", () => daemon.stdout().includes('"event":"key.elsewhere"'));
  expect(daemon.stdout()).toMatch(/is approved on account 13 too, .*orders are canceled one by one/);

  const [all, each] = [await executed("cancelAll"), await executed("cancel")];
  await halt();
  await resting(scene, 0);
  expect(await executed("cancelAll")).toBe(all);
  expect(await executed("cancel")).toBeGreaterThan(each);
  await resume();
  await resting(scene, 4);
  expect(await daemon.end()).toBe(0);
  expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
});
