// The lifetime of an agent key: it is revoked and approved again; its end is told ahead, quotes and everything else are gone before it, another
// key takes over, and key files are taken as systemd and Docker hand them out.

import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { accountId } from "../../src/domain/units.ts";
import { createSigner } from "../../src/wire/signing.ts";
import { operate } from "../support/operate.ts";
import { quoinDone, type Running } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { send } from "./counterparty.ts";
import { metricsOf, openOrdersOf, startDaemon } from "./daemon.ts";
import { resting, statusOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

/** Of the account (RFC 8032, test 1). */
const owner = createSigner(Buffer.from("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "hex"));

/** Quoting ends 8 s before the key does, and everything is canceled 5 s before. */
const MARGIN_MS = 8000;

const scene = sceneForAll({
  limits: `maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500, agentExpiryMarginMs: ${MARGIN_MS}`,
});
let daemon: Running;
let url: string;
let publicKey: string;

beforeAll(async () => {
  // As systemd hands out a credential.
  chmodSync(join(scene.folder, "agent.key"), 0o400);
  ({ process: daemon, url } = await startDaemon(scene));
  await resting(scene, 4);
  publicKey = await approvedKey();
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
const sentence = async () => (await statusOf(url)).accounts[0]?.markets[0]?.buy.sentence;
const idsOf = async () =>
  (await openOrdersOf(scene.validatorUrl)).map((order) => (order as unknown as { readonly orderId: number }).orderId);

it("revoked, it is named, and what rests cannot be canceled; approved again, the account resynchronizes and is quoted", async () => {
  const revoke = { type: "RevokeAgent", accountId: accountId(12n), agent: publicKey } as const;
  const { status, error } = await send(scene.validatorUrl, revoke, owner);
  expect([status, error]).toEqual(["success", undefined]);
  await until("the gate", async () => (await agentKeyGate())?.open === false);
  expect(await sentence()).toMatch(/^not quoting because the agent key is not known to be approved/);
  await daemon.seen("a resync", (text) => /"resync.began".*cannotAct/.exec(text)?.[0]);
  const before = await idsOf();
  expect(before).toHaveLength(4);
  await approve(publicKey, nowSec() + 86_400 * 30);
  await until(
    "new quotes",
    async () => (await sentence()) === null && !(await idsOf()).some((id) => before.includes(id)),
  );
  await resting(scene, 4);
  expect(daemon.stdout().match(/"event":"ready"/g)).toHaveLength(1);
});

it("before it ends quotes are pulled and everything is canceled; afterwards nothing rests", async () => {
  const endsSec = nowSec() + 17;
  await approve(publicKey, endsSec);
  await until("the warning", () => daemon.stdout().includes('"event":"key.ends"'));
  expect(daemon.stdout()).toMatch(/expires at \d{4}-.*, in less than an hour: have the owner approve another/);
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
  daemon.signal("SIGHUP");
  await resting(scene, 4);
  expect((await agentKeyGate())?.open).toBe(true);
  expect(await daemon.end()).toBe(0);
});
