// What outlives its week in the ledger, and what a full disk leaves: the archive beside it, and the reserve.

import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TAIL_MAX } from "../../../../../src/bot/accounting/market-book.ts";
import { collateralOf } from "../../../../../src/bot/accounting/totals.ts";
import { Ledger } from "../../../../../src/bot/ledger/ledger.ts";
import { pnlByDay } from "../../../../../src/bot/ledger/pnl-by-span.ts";
import { bookOf } from "../../../../../src/bot/ledger/rebuild.ts";
import { Reserve } from "../../../../../src/bot/ledger/sqlite/reserve.ts";
import { openSqlite, readSqlite } from "../../../../../src/bot/ledger/sqlite/sqlite.ts";
import { verifyLedger } from "../../../../../src/bot/ledger/verify.ts";
import { accountId, usdc } from "../../../../../src/domain/units.ts";
import { createVirtualClock } from "../../../../../src/kernel/virtual-clock.ts";
import { plainPlace } from "../../../../support/plain-bot.ts";
import { filled, positionRead, transferOf } from "../../accounting/books.ts";

const account = accountId(12n);
const OLD = TAIL_MAX + 300;
const DAY_MS = 86_400_000;
let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quoin-archive-"));
  file = join(folder, "ledger.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (atMs: number, bytesMax = 1 << 30): Ledger =>
  new Ledger({}, { engine: openSqlite({ file, bytesMax }), clock: createVirtualClock({ startMs: atMs }) });

/** A week and a day ago: an opening, a read and fills that earn a unit each. */
function trade(ledger: Ledger): void {
  ledger.keep({ kind: "transfer", accountId: account, event: transferOf("opening", 1000n), atMs: 1 });
  ledger.keep({ kind: "position", accountId: account, event: positionRead({ inventory: 0n }), atMs: 1 });
  for (let nth = 0; nth < OLD; nth += 1) {
    const side = nth % 2 === 0 ? "buy" : "sell";
    const fill = filled({ key: `${nth}`, side, price: 100n, size: 1n, fee: -1n, realizedPnl: 0n, timestampMs: nth });
    ledger.keep({ kind: "fill", event: fill, receivedMs: nth });
  }
  ledger.commit();
}

/** Reads the file as `quoin ledger verify` does. */
function faults(): readonly string[] {
  const reading = readSqlite(file);
  try {
    return verifyLedger(reading).faults;
  } finally {
    reading.close();
  }
}

test("fills older than a week leave, the newest 512 of a market stay, and the money is the same", async () => {
  const ledger = open(8 * DAY_MS);
  trade(ledger);
  for (let round = 0; round < 3; round += 1) await ledger.archive();
  expect([...ledger.read.fills(account)].length).toBe(TAIL_MAX);
  expect(collateralOf(bookOf(ledger.read, account))).toBe(BigInt(1000 + OLD));
  expect(statSync(`${file}.archive`).mode & 0o777).toBe(0o600);
  ledger.close();
  expect(faults()).toEqual([]);
});

test("PnL by day is the same before and after rows were archived; without the archive it begins with what is left", async () => {
  const ledger = open(8 * DAY_MS);
  trade(ledger);
  ledger.keep({
    kind: "fill",
    event: filled({ key: "new", side: "buy", price: 100n, size: 1n, fee: -7n, timestampMs: 8 * DAY_MS }),
    receivedMs: 8 * DAY_MS,
  });
  ledger.commit();
  const before = [...pnlByDay(ledger.read, account)];
  for (let round = 0; round < 3; round += 1) await ledger.archive();
  const left = [...pnlByDay(ledger.read, account)];
  ledger.close();
  const reading = readSqlite(file);
  const whole = [...pnlByDay(reading.whole ?? reading.read, account)];
  reading.close();
  expect(whole).toEqual(before);
  expect(before.map(({ span, fills, pnl }) => [span, fills, pnl.print.fees])).toEqual([
    [0, OLD, BigInt(OLD)],
    [8, 1, 7n],
  ]);
  expect(left.map(({ span, fills, pnl }) => [span, fills, pnl.print.fees])).toEqual([
    [0, TAIL_MAX, BigInt(TAIL_MAX)],
    [8, 1, 7n],
  ]);
});

test("nothing leaves before its time", async () => {
  const ledger = open(6 * DAY_MS);
  trade(ledger);
  await ledger.archive();
  expect([...ledger.read.fills(account)].length).toBe(OLD);
  expect(existsSync(`${file}.archive`)).toBe(false);
  ledger.close();
});

test("a ledger that fills up archives whatever its age, and shows its headroom", async () => {
  const ledger = open(DAY_MS, 1 << 20);
  trade(ledger);
  await ledger.archive();
  const before = ledger.space();
  expect(before).toMatchObject({ limitBytes: 1 << 20 });
  for (let nth = 0; ledger.space().bytes < 0.76 * (1 << 20); nth += 1) {
    for (let of = 0; of < 50; of += 1)
      ledger.keep({
        kind: "order",
        order: {
          accountId: account,
          orderId: BigInt(nth * 50 + of) as never,
          marketId: 1,
          side: "buy",
          price: null,
          size: null,
          isOver: false,
        },
      });
    ledger.commit();
    ledger.tidy();
  }
  await ledger.archive();
  await ledger.archive();
  expect([...ledger.read.fills(account)].length).toBeLessThan(OLD);
  ledger.close();
});

test("verify names an opening balance that was changed, an archive that lacks a row, and one that is gone", async () => {
  const ledger = open(8 * DAY_MS);
  trade(ledger);
  await ledger.archive();
  ledger.close();
  const change = (path: string, sql: string): void => {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  };
  change(`${file}.archive`, "DELETE FROM fills WHERE key = '3'");
  expect(faults()).toEqual(["account 12: the opening balance is not what the archived rows add up to"]);
  rmSync(`${file}.archive`);
  expect(faults()).toEqual(["the archive is missing: the opening balance cannot be checked against it"]);
  change(file, "UPDATE openings SET state = replace(state, '1000', '9000')");
  expect(faults).toThrow(/opening balance that is not what was written/);
});

test("a death between the copy and the fold leaves each row once", async () => {
  const engine = openSqlite({ file });
  const ledger = new Ledger({}, { engine, clock: createVirtualClock({ startMs: 0 }) });
  trade(ledger);
  await engine.archive(8 * DAY_MS);
  ledger.close();
  const reading = readSqlite(file);
  expect([...(reading.whole?.fills(account) ?? [])].length).toBe(OLD);
  reading.close();
  expect(faults()).toEqual([]);
});

test("a read of the position that was archived may yet be accepted", async () => {
  const ledger = open(8 * DAY_MS);
  ledger.keep({ kind: "position", accountId: account, event: positionRead({ inventory: 5n }), atMs: 1 });
  ledger.keep({ kind: "position", accountId: account, event: positionRead({ number: 2, inventory: 9n }), atMs: 1 });
  for (let nth = 0; nth < OLD; nth += 1)
    ledger.keep({
      kind: "fill",
      event: filled({ key: `${nth}`, side: "buy", price: 100n, size: 1n, timestampMs: nth }, { readsBefore: 2 }),
      receivedMs: nth,
    });
  await ledger.archive();
  expect([...ledger.read.positions(account)]).toEqual([]);
  const unattributed = () => {
    const now = bookOf(ledger.read, account).markets.get(1)?.now;
    return now === undefined ? undefined : now.inventory - now.attributed;
  };
  expect(unattributed()).toBe(4n);
  ledger.keep({ kind: "accepted", accountId: account, event: { kind: "accepted", marketId: 1, number: 2 } });
  ledger.commit();
  expect(unattributed()).toBe(0n);
  await ledger.archive();
  expect(unattributed()).toBe(0n);
  ledger.close();
});

test("near its limit the ledger goes on from the reserve: intents are written, decisions are not", () => {
  const ledger = open(0, 2 ** 20);
  const order = (id: number): boolean =>
    ledger.keep({
      kind: "order",
      order: {
        accountId: account,
        orderId: BigInt(id) as never,
        marketId: 1,
        side: "buy",
        price: null,
        size: null,
        isOver: false,
      },
    });
  for (let id = 0; !ledger.space().isReserveUsed; id += 1) {
    order(id);
    if (id % 500 === 0) ledger.tidy();
  }
  ledger.keep({
    kind: "decision",
    decision: { accountId: account, marketId: 1, atMs: 1, viewHash: "ab", commands: [], denials: [] },
  });
  const command = plainPlace({ accountId: account });
  ledger.intent({
    accountId: account,
    signer: "ab",
    nonce: 1n as never,
    command,
    bytesHash: "ab",
    timestampSec: 1,
    createdMs: 1,
  });
  expect(ledger.commit()).toBe(true);
  expect(ledger.health()).toEqual({ ok: true });
  expect(ledger.openIntents()).toHaveLength(1);
  expect([...ledger.read.rows("decisions")]).toEqual([]);
  ledger.close();
});

test("the reserve is real bytes, given once, and taken again", () => {
  const reserve = new Reserve(file);
  expect(reserve.give()).toBe(false);
  reserve.take();
  expect(reserve.isHeld).toBe(true);
  const { size, blocks } = statSync(`${file}.reserve`);
  expect([size, blocks * 512 >= size]).toEqual([16 << 20, true]);
  expect([reserve.give(), reserve.give(), reserve.isHeld]).toEqual([true, false, false]);
  writeFileSync(`${file}.reserve`, "cut off by a full disk");
  reserve.take();
  expect(statSync(`${file}.reserve`).size).toBe(16 << 20);
});

test("a chain that ended lies in the archive, with what had left the ledger before, in its order, and once", async () => {
  const ledger = open(8 * DAY_MS);
  trade(ledger);
  await ledger.archive();
  const mark = { createdAtMs: 1, lifetimeVolume: usdc(0n) };
  const ended = () => {
    const reading = readSqlite(file);
    try {
      return Array.from(reading.whole?.chainRows("fills", 1) ?? [], ({ key }) => Number(key));
    } finally {
      reading.close();
    }
  };
  expect(ended()).toEqual(Array.from({ length: OLD }, (_, nth) => nth));
  expect(ledger.keep({ kind: "chainBegan", accountId: account, mark, atMs: 1 })).toBe(true);
  expect(ended()).toEqual(Array.from({ length: OLD }, (_, nth) => nth));
  trade(ledger);
  ledger.close();
  expect(faults()).toEqual([]);
  const reading = readSqlite(file);
  expect([...(reading.whole?.chainRows("fills", 2) ?? [])]).toHaveLength(OLD);
  reading.close();
  rmSync(`${file}.archive`);
  const alone = readSqlite(file);
  expect([...alone.read.chainRows("fills", 1)]).toEqual([]);
  alone.close();
});

test("a death after the copy of a chain that ended and before the ledger forgot it: the next start does it again", () => {
  const ledger = open(DAY_MS);
  trade(ledger);
  const before = join(folder, "before.sqlite");
  for (const ending of ["", "-wal"]) copyFileSync(file + ending, before + ending);
  const mark = { createdAtMs: 1, lifetimeVolume: usdc(0n) };
  ledger.keep({ kind: "chainBegan", accountId: account, mark, atMs: 1 });
  ledger.close();
  copyFileSync(`${file}.archive`, `${before}.archive`);
  file = before;
  const again = open(DAY_MS);
  expect([...again.read.fills(account)]).toHaveLength(OLD);
  expect(again.keep({ kind: "chainBegan", accountId: account, mark, atMs: 1 })).toBe(true);
  again.close();
  const reading = readSqlite(file);
  expect([...(reading.whole?.chainRows("fills", 1) ?? [])]).toHaveLength(OLD);
  expect([...(reading.whole?.rows("fills") ?? [])]).toEqual([]);
  reading.close();
});
