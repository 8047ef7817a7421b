// A key's lock notes what its ledger has synced, never more: a ledger is behind its key only where an older one has taken its place.

import { beforeEach, expect, test } from "vitest";
import { Ledger } from "../../../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../../../src/bot/ledger/memory/memory.ts";
import { behindKeys, type KeyLocks, notingSent } from "../../../../src/bot/ledger/sent-marks.ts";
import type { SentMark } from "../../../../src/domain/intent.ts";
import { accountId, nonce } from "../../../../src/domain/units.ts";
import { macrotask } from "../../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";

const SIGNER = "0123456789abcdef";
let marks: Map<string, SentMark>;
let locks: KeyLocks;
let failing: string | null;
beforeEach(() => {
  marks = new Map();
  failing = null;
  const lock = {
    sent: (signer: string) => marks.get(signer) ?? null,
    note: (signer: string, mark: SentMark) => void marks.set(signer, mark),
  };
  locks = new Map([[SIGNER, lock]]);
});

const intent = (at: bigint) => ({
  accountId: accountId(1n),
  signer: SIGNER,
  nonce: nonce(at),
  command: { kind: "cancelAll", accountId: accountId(1n), marketId: null } as never,
  bytesHash: "ab".repeat(32),
  timestampSec: 1,
  createdMs: 1000,
});

test("what is synced is noted: the reservation, and the last transaction that was committed before the sync", async () => {
  const flushes: (() => void)[] = [];
  const disk = new MemoryDisk({ failing: () => failing, flush: () => new Promise((resolve) => flushes.push(resolve)) });
  const clock = createVirtualClock({ startMs: 0, settle: macrotask });
  const ledger = new Ledger({}, { engine: notingSent(disk.open(), locks), clock });
  ledger.intent(intent(5n));
  const reserved = ledger.reserve(SIGNER, nonce(900n));
  ledger.intent(intent(6n));
  ledger.commit();
  expect(marks.size, "nothing is synced yet").toBe(0);
  while (flushes.length === 0) await macrotask();
  flushes.forEach((flush) => void flush());
  expect(await reserved).toBe(true);
  expect(marks.get(SIGNER)).toEqual({ nonce: 900n, intentId: 1 });
  expect(behindKeys(ledger.read, locks)).toBeNull();
});

test("what the disk refused is not noted", async () => {
  const disk = new MemoryDisk({ failing: () => failing, flush: () => Promise.resolve() });
  const clock = createVirtualClock({ startMs: 0, settle: macrotask });
  const ledger = new Ledger({}, { engine: notingSent(disk.open(), locks), clock });
  expect(await ledger.reserve(SIGNER, nonce(100n))).toBe(true);
  failing = "no space left on device";
  ledger.intent(intent(5n));
  expect(await ledger.reserve(SIGNER, nonce(900n))).toBe(false);
  expect(marks.get(SIGNER)).toEqual({ nonce: 100n, intentId: 0 });
});

test.each([
  ["as it was noted", 900n, 7, null],
  ["further, as after a kill", 950n, 8, null],
  ["fewer nonces", 899n, 7, "knows nonces up to 899 and transaction 7, the key has noted 900 and 7"],
  ["fewer transactions", 900n, 6, "knows nonces up to 900 and transaction 6, the key has noted 900 and 7"],
  ["nothing of this key", null, 7, "knows nonces up to 0 and transaction 7"],
  ["nothing at all, as a new one", null, 0, null],
])("a ledger that knows %s", (_, reserved, lastId, why) => {
  marks.set(SIGNER, { nonce: nonce(900n), intentId: 7 });
  const read = { lastIntentId: () => lastId, reservation: () => (reserved === null ? null : nonce(reserved)) };
  const found = behindKeys(read, locks);
  if (why === null) expect(found).toBeNull();
  else expect(found).toContain(why);
});

test("a key that has noted nothing yet is never ahead", () => {
  expect(behindKeys({ lastIntentId: () => 3, reservation: () => null }, locks)).toBeNull();
});
