// A real daemon before a real devnet that words things otherwise, over sockets: it quotes both sides, through fills and prints, and leaves
// nothing when it stops. Every value alone is tried in virtual time (test/simulation/foreign-words.test.ts).

import { afterEach, expect, test } from "vitest";
import { createClient } from "../../src/client/client.ts";
import type { ForeignWords } from "../../src/devnet/api/faults/foreign-words.ts";
import { accountId } from "../../src/domain/units.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, take } from "./counterparty.ts";
import { CHAIN_ID, endScenes, type Scene, startDaemon, startScene } from "./daemon.ts";

let scene: Scene;
afterEach(endScenes);

const post = (method: "POST" | "PATCH", path: string, body: object) =>
  fetch(`${scene.controlUrl}${path}`, {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
/** Prices of the account's orders in USD, as `quoin/client` reads them, which is as tolerant as the daemon. */
async function orders(): Promise<readonly number[]> {
  const client = createClient({ chainId: CHAIN_ID, validatorUrl: scene.validatorUrl });
  const open = await client.accounts.openOrders(accountId(12n));
  client.close();
  return open.map(({ price }) => Number(price) / 1e8);
}

/** None while the client throws: the list was missing, as an empty one may be, and the account, read after it, shows an order. */
const ordersByNow = (): Promise<readonly number[]> => orders().catch(() => []);

const tried: readonly ForeignWords[] = [
  { placed: "none", modified: "silent", canceled: "silent", lists: "items" },
  { answers: "silent", orderFrames: "none", orderSizes: "remainingAlone", emptyList: "status404" },
  { placed: "idAndRemaining", modified: "canceledAndPlaced", orderSide: "isBuy", frames: "list" },
  { modified: "otherNameAndSilent", names: "snake", numbers: "numbers", openOrders: "ids" },
];

test.each(tried)("%j", async (words) => {
  scene = await startScene({
    params: "{ halfSpreadBps: 10, size: 0.5, levels: 2, stepBps: 5 }",
    accounts: counterpartyRow,
  });
  const answer = await post("POST", "/faults", { kind: "foreignWords", words });
  expect(answer.status).toBe(200);
  const { process: daemon } = await startDaemon(scene);
  await until("four orders", async () => (await ordersByNow()).length === 4);
  for (const [side, usd] of [
    ["sell", "217.10"],
    ["buy", "216.80"],
  ] as const) {
    await take(scene.validatorUrl, { side, contracts: 0.2 });
    await post("PATCH", "/oracle/1", { price: usd });
    await until(`four orders around ${usd}`, async () => {
      const found = await ordersByNow();
      return found.length === 4 && found.every((price) => Math.abs(price - Number(usd)) < 0.5);
    });
  }
  expect(daemon.stdout()).not.toMatch(/"event":"latch\.tripped"|answer was lost|has no answer/);
  expect(await daemon.end()).toBe(0);
  await post("POST", "/faults", { kind: "foreignWords", words: {} });
  expect(await orders()).toEqual([]);
});

test("an unknown or a word that the devnet does not have is refused by its name", async () => {
  scene = await startScene();
  const wrong = await post("POST", "/faults", { kind: "foreignWords", words: { placed: "loudly" } });
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringMatching(/placed.*otherName/)]);
  const unknown = await post("POST", "/faults", { kind: "foreignWords", words: { moon: "full" } });
  expect([unknown.status, await unknown.text()]).toEqual([400, expect.stringContaining("moon")]);
});
