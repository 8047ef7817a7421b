// Prices have a second opinion, in real processes: dust does not walk the quotes, and a print that leaps is not quoted on until a
// second publication agrees or the operator confirms it, across a restart.

import { beforeEach, describe, expect, it } from "vitest";
import { operate } from "../support/operate.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, rest } from "./counterparty.ts";
import { metricsOf, postHeaders, startDaemon, startDaemonProcess } from "./daemon.ts";
import { sceneForEach } from "./scene.ts";

const scene = sceneForEach({
  oracle: "{ source: fixed, price: 200, validForSecs: 86400 }",
  accounts: counterpartyRow,
});
let daemon: Awaited<ReturnType<typeof startDaemon | typeof startDaemonProcess>>;

beforeEach(async () => {
  daemon = await startDaemon(scene);
  await quotesNear(200);
});

type Resting = { readonly side: string; readonly usd: number };
async function ours(): Promise<readonly Resting[]> {
  const answer = await fetch(`${scene.validatorUrl}/v1/accounts/12`);
  const { openOrders } = (await answer.json()) as { openOrders: { side: string; price: string }[] };
  return openOrders.map(({ side, price }) => ({ side, usd: Number(price) / 1e8 }));
}
const isNear = (usd: number, index: number): boolean => Math.abs(usd / index - 1) < 0.005;
const quotesNear = (index: number) =>
  until(`four quotes near ${index}`, async () => {
    const orders = await ours();
    return orders.length === 4 && orders.every(({ usd }) => isNear(usd, index));
  });
const publish = (usd: number) => operate(scene, "PATCH", "/oracle/1", { price: `${usd}` });
const isUnconfirmed = async () =>
  (await metricsOf(daemon.url)).get('quoin_gate_open{account="12",market="1",gate="printMove"}') === 0;
async function resume(latch?: string): Promise<number> {
  const headers = postHeaders(daemon.url);
  const body = JSON.stringify({ reason: "a test", latch });
  return (await fetch(`${daemon.url}/resume`, { method: "POST", headers, body })).status;
}

describe("dust", () => {
  it("moves no quote, however often it is placed inside the spread", async () => {
    const far = { side: "sell", contracts: 0.001, usd: 209 } as const;
    await rest(scene.validatorUrl, far);
    for (let round = 0; round < 15; round += 1) {
      const asks = (await ours()).flatMap(({ side, usd }) => (side === "Short" || side === "sell" ? [usd] : []));
      const usd = Math.round(100 * Math.min(...asks, 209)) / 100 - 0.01;
      await rest(scene.validatorUrl, { side: "buy", contracts: 0.001, usd });
      expect((await ours()).filter((order) => !isNear(order.usd, 200))).toEqual([]);
    }
    await quotesNear(200);
  });
});

describe("a print that leaps", () => {
  it("is quoted on after a second publication, and not before", async () => {
    await publish(300);
    await until("the doubt", isUnconfirmed);
    await until("no quotes", async () => (await ours()).length === 0);
    let cents = 0;
    await until("a second publication that is late enough", async () => {
      cents = (cents + 1) % 10;
      await publish(300 + cents / 100);
      return !(await isUnconfirmed());
    });
    await quotesNear(300);
  });

  it("stays unconfirmed over a restart and a resume that does not name it, until an operator confirms it", async () => {
    await daemon.process.end();
    const killed = await startDaemonProcess(scene);
    daemon = killed;
    await quotesNear(200);
    await publish(300);
    await until("the doubt", isUnconfirmed);
    await killed.process.end("SIGKILL");
    daemon = await startDaemon(scene);
    await until("the doubt of the run before", isUnconfirmed);
    expect(await resume()).toBe(200);
    expect(await isUnconfirmed()).toBe(true);
    expect(await resume("printMove")).toBe(200);
    await quotesNear(300);
  });

  it("is refuted by the next print near the last trusted one", async () => {
    await publish(300);
    await until("the doubt", isUnconfirmed);
    await publish(200.1);
    await quotesNear(200);
  });
});
