// The stream falls silent about one market's book while its connection lives, over real sockets: that market closes and says so, the account
// pauses once, the other market goes on, and both quote soon after the end.

import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { operate } from "../support/operate.ts";
import { type StreamProxy, startStreamProxy } from "../support/stream-proxy.ts";
import { until } from "../support/until.ts";
import { endScenes, metricsOf, reachThrough, startDaemon, streamUrlOf } from "./daemon.ts";
import { sceneForEach } from "./scene.ts";

const scene = sceneForEach({
  pausedMarket: 2,
  devnet: "throttle: { requestsPerSecond: 0, actionBudget: 400 }\n",
});
let proxy: StreamProxy;

beforeEach(async () => {
  await operate(scene, "PATCH", "/markets/2", { status: "Active" });
  proxy = await startStreamProxy(streamUrlOf(scene));
  const [head = "", market = ""] = readFileSync(scene.botConfig, "utf8").split("    markets:\n");
  const [row = "", rest = ""] = market.split("server:");
  const both = `${head}    markets:\n${row}${row.replace("marketId: 1", "marketId: 2")}server:${rest}`;
  writeFileSync(scene.botConfig, both);
  reachThrough(scene, proxy);
});

afterEach(async () => {
  await endScenes();
  await proxy.close();
});

async function restingIn(marketId: number): Promise<number> {
  const account = await (await fetch(`${scene.validatorUrl}/v1/accounts/12`)).json();
  return (account as { openOrders: { marketId: number }[] }).openOrders.filter((one) => one.marketId === marketId)
    .length;
}

async function readiness(url: string): Promise<{ readonly status: number; readonly reasons: readonly string[] }> {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, ...((await answer.json()) as { readonly reasons: readonly string[] }) };
}

async function gaps(url: string): Promise<number> {
  const counts = [...(await metricsOf(url))].filter(([name]) => /^quoin_resyncs_total.*reason="gap"/.test(name));
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

it("closes that market alone, asks for its book again ever more rarely, and quotes when it is back", async () => {
  const { process: daemon, url } = await startDaemon(scene);
  const areBothQuoted = async (): Promise<boolean> =>
    (await restingIn(1)) === 4 && (await restingIn(2)) === 4 && (await readiness(url)).status === 200;
  await until("quotes in both markets", areBothQuoted);
  const before = await gaps(url);
  proxy.swallow((text) => text.startsWith('{"type":"orderbookSnapshot","market_id":2,'));
  await operate(scene, "PATCH", "/oracle/2", { price: "217.50" });
  await daemon.seen("a new connection", (text) => text.includes("opening another stream") || undefined);
  await daemon.seen("a new subscription", (text) => text.includes("subscribing to it again") || undefined);
  const isClosed = ({ status, reasons }: Awaited<ReturnType<typeof readiness>>): boolean =>
    status === 503 && reasons.length === 1;
  const { reasons } = await until("the one reason", async () => {
    const said = await readiness(url);
    return isClosed(said) && said;
  });
  expect(reasons[0]).toMatch(/^account 12, .*: not quoting because the book .* \(book\)$/);
  expect([await restingIn(1), await restingIn(2)]).toEqual([4, 0]);
  expect((await gaps(url)) - before).toBe(1);
  proxy.swallow(() => false);
  await until("quotes in both markets", areBothQuoted, 40_000);
  expect((await gaps(url)) - before).toBe(1);
});
