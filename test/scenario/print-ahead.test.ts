// One frame of a print that lies a second ahead of all other words: quotes pause, the operator reads what is unconfirmed and what lifts it,
// and quotes go on without a restart.

import { afterEach, beforeEach, expect, it } from "vitest";
import { type StreamProxy, startStreamProxy } from "../support/stream-proxy.ts";
import { until } from "../support/until.ts";
import { endScenes, openOrdersOf, reachThrough, startDaemon, streamUrlOf } from "./daemon.ts";
import { resting, statusOf } from "./operator.ts";
import { sceneForEach } from "./scene.ts";

const scene = sceneForEach();
let proxy: StreamProxy;

beforeEach(async () => {
  proxy = await startStreamProxy(streamUrlOf(scene));
  reachThrough(scene, proxy);
});

afterEach(async () => {
  await endScenes();
  await proxy.close();
});

const validUntilSec = async (url: string): Promise<number> =>
  (await statusOf(url)).accounts[0]?.markets[0]?.oracleValidUntilSec ?? 0;

it.each([
  ["at the same price", 21_694_000_000],
  ["at another price", 25_000_000_000],
])("a frame of a print that stays valid a second longer, %s", async (_, price) => {
  const { process, url } = await startDaemon(scene);
  await resting(scene, 4);
  const truthSec = await validUntilSec(url);
  const frame = { type: "oraclePriceUpdate", market_id: 1, previous_price: "21694000000", positions_updated: 0 };
  proxy.say({ ...frame, price: `${price}`, valid_until: truthSec + 1 });
  const ahead = new Date((truthSec + 1) * 1000).toISOString();
  await until("the doubt, by name", async () =>
    JSON.stringify(await statusOf(url)).includes(`a print valid until ${ahead} is followed by one of`),
  );
  await until("the quotes are pulled", async () => (await openOrdersOf(scene.validatorUrl)).length === 0);
  await resting(scene, 4);
  expect(await validUntilSec(url)).toBe(truthSec);
  expect((await statusOf(url)).accounts[0]?.markets[0]?.oraclePrice).toBe(216.94);
  expect(await process.end("SIGTERM")).toBe(0);
});
