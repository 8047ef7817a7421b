// A devnet that is stopped and started on its disk is the one that never stopped: same roots, same crowd, nothing forgotten.

import { afterEach, expect, it } from "vitest";
import type { Disk } from "../../src/devnet/chain/log/disk.ts";
import { type DevnetConfig, defaultFlow } from "../../src/devnet/config/config.ts";
import { startDevnet } from "../../src/devnet/devnet.ts";
import { price } from "../../src/domain/units.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { createSigner } from "../../src/wire/signing.ts";
import { createMemoryDisk } from "../unit/devnet/chain/memory-disk.ts";
import { ALICE, countingEntropy, config as manual, order, seal, verifier } from "../unit/devnet/chain/set-up.ts";
import { ask, config, control, list, stopAll } from "./devnet-set-up.ts";

afterEach(stopAll);

const busy: DevnetConfig = {
  ...manual,
  accounts: config.accounts,
  markets: manual.markets.map((market) => ({
    ...market,
    oracle: {
      source: "synthetic" as const,
      price: price(20_000_000_000n),
      printEverySecs: 5,
      validForSecs: 6,
      driftPercent: 0.027,
      volatilityPercent: 0.056,
      autocorrelation: 0.76,
    },
  })),
  flow: { ...defaultFlow, enabled: true, noiseTakersPerSec: 2 },
};

const startOn = (disk: Disk) =>
  startDevnet(busy, {
    clock: systemClock,
    verifier,
    enclave: { entropy: countingEntropy(), signerOf: createSigner },
    log: () => undefined,
    disk,
  });

/** Blocks 1 to 120, one resting order of Alice in the first; stopped and started again after each of `stops`. */
async function lived(stops: readonly number[]) {
  const files = new Map<string, Buffer>();
  let devnet = await startOn(createMemoryDisk(files));
  const body = seal(order({ price: price(19_970_000_000n) }), { nonce: BigInt(devnet.chain.timeMs()) });
  const placed = ask(`${devnet.validatorUrl}/v1/tx`, { method: "POST", body });
  await ask(`${devnet.validatorUrl}/v1/node/info`);
  for (let height = 1; height <= 120; height += 1) {
    await control(devnet, "POST", "/clock", { advanceMs: 200 });
    if (height === 1) await placed;
    if (!stops.includes(height)) continue;
    await devnet.close();
    devnet = await startOn(createMemoryDisk(files));
  }
  const key = { headers: { "x-api-key": "secret-key" } };
  const state = (await control(devnet, "GET", "/state")).body;
  const fills = await list(`${devnet.restUrl}/v1/accounts/${ALICE}/trades`, key);
  const orders = await list(`${devnet.restUrl}/v1/accounts/${ALICE}/orders`, key);
  const trades = await list(`${devnet.validatorUrl}/v1/markets/1/trades`);
  const stats = (await ask(`${devnet.restUrl}/v1/stats`, key)).body;
  await devnet.close();
  return { state, fills, orders, trades, stats };
}

it("stopping and starting changes nothing that can be read", async () => {
  const unbroken = await lived([]);
  expect(unbroken.state.height).toBe(120);
  expect(unbroken.trades.length).toBeGreaterThan(10);
  expect(unbroken.orders).toHaveLength(1);
  expect(await lived([1, 37, 38, 119])).toEqual(unbroken);
});
