// What is remembered of keys that have nothing on the exchange: bounded, and freed as its time passes.

import { expect, it } from "vitest";
import { createNonces } from "../../../../../src/devnet/chain/admission/nonces.ts";

const NOW_MS = 1_790_000_000_000;
const DAY_MS = 86_400_000;

it("4,096 keys are remembered, then no new one is taken until the nonces of some have left the window", () => {
  const nonces = createNonces(() => undefined);
  for (let key = 0; key < 4096; key += 1) {
    expect(nonces.takesUnknown(`key ${key}`, NOW_MS)).toBe(true);
    nonces.commit(`key ${key}`, BigInt(NOW_MS + key), NOW_MS);
  }
  expect(nonces.takesUnknown("another", NOW_MS)).toBe(false);
  expect(nonces.takesUnknown("key 7", NOW_MS)).toBe(true);
  expect(nonces.takesUnknown("another", NOW_MS + 2 * DAY_MS - 1)).toBe(false);
  expect(nonces.takesUnknown("another", NOW_MS + 2 * DAY_MS + 60_000)).toBe(true);
});
