// Faults that last a while, over a disk that fails meanwhile: what was to end ends later, what was to be printed is printed, in its order.

import { expect, test } from "vitest";
import { disturbedPrints, noDisturbance } from "../../../../../src/devnet/api/faults/fault-acts.ts";
import type { PrintSource } from "../../../../../src/devnet/chain/sources.ts";
import { createExchange } from "../../../../../src/devnet/exchange.ts";
import { price } from "../../../../../src/domain/units.ts";
import { macrotask } from "../../../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../../../src/kernel/virtual-clock.ts";
import { createSigner } from "../../../../../src/wire/signing.ts";
import { createMemoryDisk } from "../../chain/memory-disk.ts";
import { BLOCK_MS, config, countingEntropy, START_MS, verifier } from "../../chain/set-up.ts";

test("a pause that ends while the disk is full ends when there is room", async () => {
  const disk = createMemoryDisk();
  const clock = createVirtualClock({ startMs: START_MS, settle: macrotask });
  const enclave = { entropy: countingEntropy(), signerOf: createSigner };
  const real = { ...config, clock: { mode: "real" } } as const;
  const { chain, act, close } = createExchange({ config: real }, { clock, verifier, enclave, disk, log: () => {} });
  chain.start();
  const status = () => chain.reads.market(1)?.status;
  expect(act({ kind: "marketPaused", marketId: 1, forMs: 1000 }).status).toBe("success");
  expect(act({ kind: "oracleHalted", marketId: 1, forMs: 1500 }).status).toBe("success");
  disk.setFull(true);
  await clock.advance(5000);
  expect(status()).toBe("Paused");
  expect(chain.head().height).toBe(0);
  disk.setFull(false);
  await clock.advance(2 * BLOCK_MS);
  expect(status()).toBe("Active");
  expect(chain.reads.oracle(1)?.status).toBe("Active");
  expect(chain.head().height).toBeGreaterThan(0);
  act({ kind: "marketPaused", marketId: 1, forMs: 1000 });
  await close();
  await clock.advance(5000);
  expect(status()).toBe("Paused");
});

test("late prints that a block could not begin with are given to it again, each once, in their order", () => {
  const every: PrintSource = {
    printsDue: (height) => [{ marketId: 1, price: price(BigInt(height)), validForMs: 1 }],
  };
  const disturbance = noDisturbance();
  disturbance.lateMs.set(1, 2);
  const slow: PrintSource = { printsDue: (height, ms) => (height % 4 === 1 ? every.printsDue(height, ms) : []) };
  const { printsDue } = disturbedPrints(slow, disturbance);
  const printed: string[] = [];
  for (let height = 1; height <= 9; height += 1) {
    const asked = [1, 2, 3].map(() => printsDue(height, height).map((each) => Number(each.price)));
    expect(asked[1]).toEqual(asked[0]);
    expect(asked[2]).toEqual(asked[0]);
    for (const print of asked[0] ?? []) printed.push(`${print} in ${height}`);
  }
  expect(printed).toEqual(["1 in 3", "5 in 7"]);
});
