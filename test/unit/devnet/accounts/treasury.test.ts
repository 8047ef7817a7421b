// How many subaccounts a family's volume unlocks (S8), at every edge.

import { expect, test } from "vitest";
import { subaccountCapacity, treasuryOf } from "../../../../src/devnet/accounts/treasury.ts";
import { usdc } from "../../../../src/domain/units.ts";

const USDC = 1_000_000n;

test.each([
  ["nothing traded", 0n, 0],
  ["a base unit below the first unlock", 100_000n * USDC - 1n, 0],
  ["the first unlock", 100_000n * USDC, 10],
  ["a base unit below the eleventh", 100_100_000n * USDC - 1n, 10],
  ["the eleventh", 100_100_000n * USDC, 11],
  ["the twelfth", 200_100_000n * USDC, 12],
  ["a base unit below the fiftieth", 4_000_100_000n * USDC - 1n, 49],
  ["the fiftieth", 4_000_100_000n * USDC, 50],
  ["more than anybody trades", 10n ** 30n, 50],
])("subaccounts unlocked by %s", (_, volume, capacity) => {
  expect(subaccountCapacity(treasuryOf({ activationFee: usdc(0n), openOrderCap: 200 }), usdc(volume))).toBe(capacity);
});
