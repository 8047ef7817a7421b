// Disks that fail under the ledger: nothing throws, nothing is lost or counted twice, and the health says so until it is over.

import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { Ledger } from "../../../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../../../src/bot/ledger/memory/memory.ts";
import { accountId, nonce, usdc } from "../../../../src/domain/units.ts";
import { macrotask } from "../../../../src/kernel/clock.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { transferOf } from "../accounting/books.ts";

const account = accountId(1n);
let clock: VirtualClock;
let failing: string | null;
let disk: MemoryDisk;
beforeEach(() => {
  clock = createVirtualClock({ startMs: 0, settle: macrotask });
  failing = null;
  disk = new MemoryDisk({ failing: () => failing, flush: () => Promise.resolve() });
});
const open = (waitingMax = 1000): Ledger => new Ledger({ waitingMax }, { engine: disk.open(), clock });
const deposit = (key: number) => transferOf(`${key}`, 1n, "transfer");
const equity = (atMs: number) =>
  ({ accountId: account, atMs, collateral: usdc(0n), unrealizedPnl: usdc(0n), unexplained: usdc(0n) }) as const;

test("a failure shows until what waited is written, and is tried again four times a second, not at every record", () => {
  const ledger = open();
  failing = "no space left on device";
  ledger.keep({ kind: "transfer", accountId: account, event: deposit(1), atMs: 1 });
  ledger.keep({ kind: "transfer", accountId: account, event: deposit(1), atMs: 1 });
  expect(ledger.commit()).toBe(false);
  expect(ledger.health()).toEqual({
    ok: false,
    fault: "failed",
    reason: "no space left on device",
    sinceMs: 0,
    waiting: 2,
    lost: 0,
  });
  failing = null;
  expect(ledger.commit()).toBe(false);
  clock.advanceSync(250);
  expect(ledger.commit()).toBe(true);
  expect(ledger.health()).toEqual({ ok: true });
  expect([...ledger.read.transfers(account)]).toHaveLength(1);
});

test("a commit that fails leaves no trace of its records, and the next one writes each once", () => {
  const ledger = open();
  ledger.keep({ kind: "equity", snapshot: equity(1) });
  failing = "input/output error";
  expect(ledger.commit()).toBe(false);
  expect([...ledger.read.rows("equity")]).toEqual([]);
  failing = null;
  clock.advanceSync(250);
  expect(ledger.commit()).toBe(true);
  expect([...ledger.read.rows("equity")]).toHaveLength(1);
  disk.killProcess();
  expect([...open().read.rows("equity")]).toHaveLength(1);
});

test("records beyond the bound are given up, oldest first, and counted", () => {
  const ledger = open(10);
  failing = "full";
  for (let n = 0; n < 20; n += 1) ledger.keep({ kind: "equity", snapshot: equity(n) });
  expect(ledger.health()).toMatchObject({ waiting: 10, lost: 10 });
  failing = null;
  clock.advanceSync(250);
  ledger.commit();
  expect([...ledger.read.rows("equity")].map(({ atMs }) => atMs)).toEqual(
    Array.from({ length: 10 }, (_, n) => `${n + 10}`),
  );
});

test("a sync that fails is no durability, and the health says so until one succeeds", async () => {
  const ledger = open();
  let checks = 0;
  failing = null;
  const flaky = new MemoryDisk({
    failing: () => {
      checks += 1;
      return checks === 4 ? "input/output error" : null;
    },
    flush: () => Promise.resolve(),
  });
  const other = new Ledger({}, { engine: flaky.open(), clock });
  expect(await other.reserve("a", nonce(5n))).toBe(false);
  expect(other.health()).toMatchObject({ ok: false, reason: "input/output error", waiting: 0 });
  expect(await other.reserve("a", nonce(5n))).toBe(true);
  expect(other.health()).toEqual({ ok: true });
  ledger.close();
});

test("a halt holds though the disk cannot take it, and is written when it can", () => {
  const ledger = open();
  const event = { kind: "lifted", accountId: account, marketId: null, latch: null, reason: "r" } as const;
  failing = "full";
  expect(ledger.keep({ kind: "latch", event, atMs: 1 })).toBe(false);
  failing = null;
  clock.advanceSync(250);
  ledger.commit();
  expect(ledger.read.latchEvents()).toEqual([event]);
});

test("law: whatever fails and dies in between, each movement is booked once and none that was called committed is lost", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("book" as const), key: fc.nat(20) }),
    fc.record({ kind: fc.constant("disk" as const), failing: fc.constantFrom(null, "full") }),
    fc.record({ kind: fc.constant("pass" as const), ms: fc.nat(600) }),
    fc.record({ kind: fc.constant("commit" as const) }),
    fc.record({ kind: fc.constant("sync" as const) }),
    fc.record({ kind: fc.constant("kill" as const) }),
    fc.record({ kind: fc.constant("power" as const), survivors: fc.nat(5) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const time = createVirtualClock({ startMs: 0 });
      let reason: string | null = null;
      const drive = new MemoryDisk({ failing: () => reason, flush: () => Promise.resolve() });
      const born = () => new Ledger({}, { engine: drive.open(), clock: time });
      let ledger = born();
      let committed = new Set<string>();
      let synced = new Set<string>();
      const known = () => new Set([...ledger.read.transfers(account)].map(({ key }) => key));
      for (const each of steps) {
        if (each.kind === "book") {
          ledger.keep({ kind: "transfer", accountId: account, event: deposit(each.key), atMs: 1 });
          ledger.keep({ kind: "transfer", accountId: account, event: deposit(each.key), atMs: 1 });
        } else if (each.kind === "disk") reason = each.failing;
        else if (each.kind === "pass") time.advanceSync(each.ms);
        else if (each.kind === "commit") {
          if (ledger.commit()) committed = known();
        } else if (each.kind === "sync") {
          if (await ledger.sync()) synced = committed = known();
        } else {
          if (each.kind === "kill") drive.killProcess();
          else drive.losePower(each.survivors);
          ledger = born();
          for (const key of each.kind === "kill" ? committed : synced) expect(known().has(key)).toBe(true);
          committed = known();
          if (each.kind === "power") synced = committed;
        }
      }
      reason = null;
      time.advanceSync(1000);
      ledger.commit();
      expect(known().size).toBe([...ledger.read.transfers(account)].length);
    }),
    { numRuns: 200 },
  );
});

test("a disk that fills up before a commit: the reserve makes room for it", () => {
  let isFull = false;
  const small = new MemoryDisk({ failing: () => null, flush: () => Promise.resolve(), isFull: () => isFull });
  const ledger = new Ledger({}, { engine: small.open(), clock });
  ledger.keep({ kind: "transfer", accountId: account, event: deposit(1), atMs: 1 });
  isFull = true;
  expect(ledger.commit()).toBe(true);
  expect(ledger.health()).toEqual({ ok: true });
});

test("a full disk: the reserve makes room at once for what waits, and is taken back with the room", async () => {
  let isFull = false;
  const small = new MemoryDisk({ failing: () => null, flush: () => Promise.resolve(), isFull: () => isFull });
  const ledger = new Ledger({}, { engine: small.open(), clock });
  ledger.keep({ kind: "transfer", accountId: account, event: deposit(1), atMs: 1 });
  isFull = true;
  ledger.keep({ kind: "transfer", accountId: account, event: deposit(2), atMs: 1 });
  ledger.keep({ kind: "equity", snapshot: equity(1) });
  expect(ledger.commit()).toBe(true);
  expect(ledger.health()).toEqual({ ok: true });
  expect(ledger.space().isReserveUsed).toBe(true);
  small.killProcess();
  const later = new Ledger({}, { engine: small.open(), clock });
  expect([...later.read.transfers(account)]).toHaveLength(2);
  expect([...later.read.rows("equity")]).toEqual([]);
  isFull = false;
  await later.archive();
  expect(later.space().isReserveUsed).toBe(false);
});
