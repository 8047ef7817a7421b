// One contract for every engine under the ledger: what a commit promises, what is booked once, what stays and what is rotated.

import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import {
  createAccountBook,
  type FundingEvent,
  type PrintEvent,
  type TransferEvent,
} from "../../src/bot/accounting/account-book.ts";
import type { FillEvent } from "../../src/bot/accounting/market-book.ts";
import { collateralOf, totalsOf } from "../../src/bot/accounting/totals.ts";
import { verifyAudit } from "../../src/bot/ledger/audit-chain.ts";
import { Ledger } from "../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../src/bot/ledger/memory/memory.ts";
import { bookOf } from "../../src/bot/ledger/rebuild.ts";
import { openSqlite } from "../../src/bot/ledger/sqlite/sqlite.ts";
import {
  chainedTables,
  type LedgerEngine,
  type LedgerTable,
  ledgerTables,
  type StoredHour,
  type StoredMark,
} from "../../src/bot/ledger/store.ts";
import type { Command } from "../../src/domain/command.ts";
import type { DialectKey, DialectWord } from "../../src/domain/dialect.ts";
import type { Fill } from "../../src/domain/fill.ts";
import type { Intent } from "../../src/domain/intent.ts";
import type { LatchEvent } from "../../src/domain/latch.ts";
import type { StoredOrder } from "../../src/domain/order.ts";
import { accountId, nonce, orderId, price, size, usdc } from "../../src/domain/units.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { plainPlace } from "../support/plain-bot.ts";
import { positionRead, transferOf } from "../unit/bot/accounting/books.ts";

const folder = mkdtempSync(join(tmpdir(), "quoin-ledger-"));
afterAll(() => rmSync(folder, { recursive: true }));

const account = accountId(18_446_744_073_709_551_615n);
const place: Command = plainPlace({
  accountId: account,
  price: price(18_446_744_073_709_551_615n),
  size: size(500_000n),
});
const commands: readonly Command[] = [
  place,
  { ...place, level: null, maxSlippageBps: 50, timeInForce: "IOC", price: price(0n), reduceOnly: true },
  {
    kind: "modify",
    accountId: account,
    marketId: 65_535,
    orderId: orderId(18_446_744_073_709_551_614n),
    side: "sell",
    reduceOnly: false,
    newPrice: null,
    newSize: size(1n),
    level: 3,
  },
  { kind: "cancel", accountId: account, marketId: 1, orderId: orderId(7n) },
  { kind: "cancelAll", accountId: account, marketId: null, fences: nonce(1_790_000_000_001n) },
  { kind: "cancelAll", accountId: account, marketId: 1, fences: null },
];
const intent = (command: Command, at = 1_790_000_000_000n): Intent => ({
  accountId: account,
  signer: "0123456789abcdef",
  nonce: nonce(at),
  command,
  bytesHash: "ab".repeat(32),
  timestampSec: 1_790_000_000,
  createdMs: 1_790_000_000_123,
});
const fill = (facts: Partial<Fill> = {}): Fill => ({
  accountId: account,
  marketId: 1,
  orderId: orderId(9n),
  side: "buy",
  liquidity: "maker",
  price: price(21_694_000_000n),
  size: size(250_000n),
  fee: usdc(-5n),
  realizedPnl: usdc(1_000n),
  txHash: "f0",
  timestampMs: 1_790_000_000_500,
  key: "1:f0:8:9:maker",
  ...facts,
});

const filled = (facts: Partial<Fill> = {}, of: Partial<FillEvent> = {}): FillEvent => ({
  kind: "fill",
  fill: fill(facts),
  referencePrice: price(21_700_000_000n),
  readsBefore: 1,
  money: "own",
  ...of,
});

const quotedIn = (hour: number, of: Partial<StoredHour> = {}): StoredHour => ({
  accountId: account,
  marketId: 1,
  hour,
  beganMs: 0,
  prices: null,
  state: "{}",
  atMs: hour,
  ...of,
});

type Opened = { readonly ledger: Ledger; readonly reopen: () => Ledger };

/** `reopen` stands for the death of the process: nothing is closed before. */
function onMemory(): Opened {
  const disk = new MemoryDisk();
  const open = (): Ledger => new Ledger({}, { engine: disk.open(), clock: systemClock });
  return {
    ledger: open(),
    reopen: () => {
      disk.killProcess();
      return open();
    },
  };
}

let lives = 0;
/** The next run opens a copy of the files as they lie there, as after SIGKILL. */
function onSqlite(): Opened {
  const open = (): Ledger =>
    new Ledger({}, { engine: openSqlite({ file: join(folder, `${lives}`, "ledger.sqlite") }), clock: systemClock });
  lives += 1;
  return {
    ledger: open(),
    reopen: () => {
      cpSync(join(folder, `${lives}`), join(folder, `${lives + 1}`), { recursive: true });
      lives += 1;
      return open();
    },
  };
}

describe.each([
  ["memory", onMemory],
  ["sqlite", onSqlite],
])("%s", (name, open) => {
  let ledger: Ledger;
  let reopen: () => Ledger;
  beforeEach(() => {
    ({ ledger, reopen } = open());
  });

  test("a new ledger is empty and well", () => {
    expect(ledger.health()).toEqual({ ok: true });
    expect(ledger.openIntents()).toEqual([]);
    expect(ledger.reservation("a")).toBeNull();
    expect(ledger.read.latchEvents()).toEqual([]);
    expect(ledger.read.accounts()).toEqual([]);
    expect(ledger.read.lastEquity(account)).toBeUndefined();
  });

  test("law: a committed intent survives the process, exactly as it was, and an uncommitted one does not", () => {
    const ids = commands.map((command, at) => ledger.intent(intent(command, 1_790_000_000_000n + BigInt(at))));
    expect(ledger.commit()).toBe(true);
    ledger.intent(intent(place));
    const reopened = reopen();
    expect(reopened.openIntents()).toEqual(
      commands.map((command, at) => ({ ...intent(command, 1_790_000_000_000n + BigInt(at)), id: ids[at] })),
    );
  });

  test("law: an intent written ahead survives the process, exactly as it was, once, whether a commit followed or not", () => {
    const ids = [ledger.intent(intent(place))];
    expect(ledger.commit()).toBe(true);
    ids.push(...commands.map((command, at) => ledger.intent(intent(command, 1_790_000_000_000n + BigInt(at)))));
    ledger.intent(intent(place));
    expect(ledger.writeAhead()).toBe(true);
    const more = ledger.intent(intent(place));
    expect(ledger.writeAhead()).toBe(true);
    ledger.intent(intent(place));
    const second = reopen();
    expect(second.openIntents().map(({ id }) => id)).toEqual([...ids, more - 1, more]);
    expect(second.openIntents().slice(1, -2)).toEqual(
      commands.map((command, at) => ({ ...intent(command, 1_790_000_000_000n + BigInt(at)), id: ids[at + 1] })),
    );
    expect(second.intent(intent(place)), "its number was never told").toBe(more + 1);
    expect(second.commit()).toBe(true);
    expect(reopen().openIntents()).toHaveLength(ids.length + 3);
  });

  test("what ends in the task of its intent has ended", () => {
    const id = ledger.intent(intent(place));
    expect(ledger.writeAhead()).toBe(true);
    ledger.end({ intentId: id, end: "executed", txHash: "aa", remark: null, atMs: 5 });
    expect(ledger.commit()).toBe(true);
    expect(reopen().openIntents()).toEqual([]);
  });

  test("unanswered are the intents without an end and those given up, since a time, of one account", () => {
    const ids = [1, 2, 3, 4, 5].map((createdMs) => ledger.intent({ ...intent(place), createdMs }));
    ledger.intent({ ...intent(place), accountId: accountId(99n), createdMs: 5 });
    const ends = ["harmless", "harmless", "executed", "landed"] as const;
    for (const [at, end] of ends.entries()) {
      ledger.end({ intentId: ids[at]!, end, txHash: null, remark: null, atMs: 9 });
    }
    ledger.commit();
    const since = (ms: number) =>
      reopen()
        .read.unansweredIntents(account, ms)
        .map(({ createdMs }) => createdMs);
    expect(since(0)).toEqual([1, 2, 5]);
    expect(since(1.5)).toEqual([2, 5]);
  });

  test("what was put in a task is committed at its end", async () => {
    ledger.intent(intent(place));
    await Promise.resolve();
    await Promise.resolve();
    expect(reopen().openIntents()).toHaveLength(1);
  });

  test("an ended intent is open no more, and ids go on after a restart", () => {
    const first = ledger.intent(intent(place));
    const second = ledger.intent(intent(place));
    ledger.end({ intentId: first, end: "executed", txHash: "aa", remark: null, atMs: 5 });
    ledger.commit();
    const reopened = reopen();
    expect(reopened.openIntents().map(({ id }) => id)).toEqual([second]);
    expect(reopened.intent(intent(place))).toBe(second + 1);
  });

  const money = (told: Ledger) => totalsOf(bookOf(told.read, account));

  test("a fill is kept once, whoever tells it and however often, restarts between", () => {
    ledger.keep({ kind: "fill", event: filled(), receivedMs: 1 });
    ledger.keep({ kind: "fill", event: filled(), receivedMs: 2 });
    ledger.commit();
    const reopened = reopen();
    reopened.keep({ kind: "fill", event: filled(), receivedMs: 3 });
    expect([...reopened.read.fills(account)]).toEqual([filled()]);
    expect(money(reopened)).toMatchObject({ realizedPnl: 1_000n, fees: -5n });
  });

  test("a later copy of a fill tells what the first one lacked, and nothing it knew is lost", () => {
    const none = { fee: null, realizedPnl: null, timestampMs: null };
    ledger.keep({ kind: "fill", event: filled(none, { referencePrice: null }), receivedMs: 1 });
    expect(money(ledger)).toMatchObject({ realizedPnl: 0n, fees: 0n });
    ledger.keep({ kind: "fill", event: filled({ ...none, fee: fill().fee }, { readsBefore: 2 }), receivedMs: 2 });
    ledger.keep({ kind: "fill", event: filled({ ...none, realizedPnl: fill().realizedPnl }), receivedMs: 3 });
    ledger.keep({
      kind: "fill",
      event: filled({ ...none, timestampMs: fill().timestampMs }, { readsBefore: 0 }),
      receivedMs: 4,
    });
    ledger.keep({ kind: "fill", event: filled({ ...none, timestampMs: 2_000_000_000_000 }), receivedMs: 5 });
    expect([...ledger.read.fills(account)]).toEqual([filled({}, { readsBefore: 0 })]);
    expect(money(ledger)).toMatchObject({ realizedPnl: 1_000n, fees: -5n });
  });

  test("a fill that a transfer stands for is completed without being counted again", () => {
    const bare = filled({ fee: null, realizedPnl: null });
    ledger.keep({ kind: "fill", event: bare, receivedMs: 1 });
    ledger.keep({ kind: "fill", event: filled({ key: "other", fee: null }), receivedMs: 1 });
    ledger.keep({ kind: "fill", event: filled({ key: "in a read", fee: null }, { money: "read" }), receivedMs: 1 });
    const amount = usdc(1_005n);
    const fillKeys = [bare.fill.key, "in a read", "none"];
    const posting: TransferEvent = { kind: "transfer", key: "fills:1", reason: "fills", marketId: 1, amount, fillKeys };
    ledger.keep({ kind: "transfer", accountId: account, event: posting, atMs: 2 });
    ledger.commit();
    const reopened = reopen();
    reopened.keep({ kind: "fill", event: filled(), receivedMs: 3 });
    expect(collateralOf(bookOf(reopened.read, account))).toBe(1_005n);
    expect([...reopened.read.fills(account)].map((each) => [each.fill.key, each.money])).toEqual([
      [bare.fill.key, "posted"],
      ["other", "own"],
      ["in a read", "read"],
    ]);
    expect([...reopened.read.transfers(account)]).toEqual([{ ...posting, fillKeys: [] }]);
  });

  test("two accounts may share an execution", () => {
    ledger.keep({ kind: "fill", event: filled(), receivedMs: 1 });
    ledger.keep({ kind: "fill", event: filled({ accountId: accountId(2n) }), receivedMs: 1 });
    ledger.commit();
    expect(ledger.read.accounts()).toEqual([2n, account]);
    expect([...ledger.read.fills(account)]).toEqual([filled()]);
  });

  test("funding, prints, transfers and positions are kept once, and a read is accepted for good", () => {
    const payment: FundingEvent = { kind: "funding", marketId: 1, atSec: 3600, amount: usdc(-70n) };
    const print: PrintEvent = { kind: "print", marketId: 1, validUntilSec: 86_400, amount: usdc(-30n) };
    const opening = transferOf("opening", 100n);
    const position = positionRead({ inventory: -5n, entryPrice: 7n, oraclePrice: 9n, isAdopted: true });
    for (let told = 0; told < 2; told += 1) {
      ledger.keep({ kind: "funding", accountId: account, event: payment });
      ledger.keep({ kind: "funding", accountId: account, event: { ...payment, atSec: 7200 } });
      ledger.keep({ kind: "print", accountId: account, event: print, atMs: 1_790_000_000_000 });
      ledger.keep({ kind: "print", accountId: account, event: { ...print, marketId: 2 }, atMs: 1_790_000_000_000 });
      ledger.keep({ kind: "transfer", accountId: account, event: opening, atMs: 1 });
      ledger.keep({ kind: "position", accountId: account, event: position, atMs: 1 });
      ledger.keep({ kind: "position", accountId: account, event: { ...position, number: 2 }, atMs: 1 });
      ledger.keep({ kind: "accepted", accountId: account, event: { kind: "accepted", marketId: 1, number: 2 } });
      ledger.commit();
      ledger = reopen();
    }
    expect(money(ledger)).toEqual({ realizedPnl: 0n, fees: 0n, funding: -140n, transfers: 100n });
    expect([...ledger.read.fundings(account)]).toEqual([payment, { ...payment, atSec: 7200 }]);
    expect([...ledger.read.prints(account)]).toEqual([print, { ...print, marketId: 2 }]);
    expect([...ledger.read.transfers(account)]).toEqual([opening]);
    expect([...ledger.read.positions(account)]).toEqual([
      { position, isAccepted: false },
      { position: { ...position, number: 2 }, isAccepted: true },
    ]);
  });

  test("of each market, hour and run the last count is kept, in the order of hours", () => {
    const counted = { prices: { print: price(1n << 63n), mid: price(7n) }, state: '{"n":1}', atMs: 9 };
    for (const each of [quotedIn(5), quotedIn(4), quotedIn(4, { ...counted, beganMs: 8 }), quotedIn(5, counted)])
      ledger.keep({ kind: "hour", hour: each });
    ledger.commit();
    ledger = reopen();
    expect(ledger.read.hours(account)).toEqual([
      quotedIn(4),
      quotedIn(4, { ...counted, beganMs: 8 }),
      quotedIn(5, counted),
    ]);
    expect(ledger.read.hours(accountId(3n))).toEqual([]);
  });

  test("of each market and day the last mark is kept; the timeline tells when each row of money was", () => {
    const mark = (day: number, at: bigint): StoredMark => ({
      accountId: account,
      marketId: 1,
      day,
      name: '=USA-HPI "x"',
      print: price(at),
      mid: price(at + 1n),
      atMs: Number(at),
    });
    for (const each of [mark(2, 30n), mark(1, 10n), mark(1, 20n)]) ledger.keep({ kind: "mark", mark: each });
    const payment: FundingEvent = { kind: "funding", marketId: 1, atSec: 3600, amount: usdc(-70n) };
    const print: PrintEvent = { kind: "print", marketId: 1, validUntilSec: 86_400, amount: usdc(-30n) };
    const position = positionRead({ inventory: 0n, entryPrice: 0n, oraclePrice: 9n, isAdopted: false });
    ledger.keep({ kind: "funding", accountId: account, event: payment });
    ledger.keep({ kind: "print", accountId: account, event: print, atMs: 77 });
    ledger.keep({ kind: "transfer", accountId: account, event: transferOf("opening", 100n), atMs: 5 });
    ledger.keep({ kind: "position", accountId: account, event: position, atMs: 6 });
    ledger.keep({ kind: "fill", event: filled(), receivedMs: 7 });
    ledger.keep({ kind: "fill", event: filled({ timestampMs: null, key: "other" }), receivedMs: 8 });
    ledger.commit();
    ledger = reopen();
    expect(ledger.read.marks(account)).toEqual([mark(1, 20n), mark(2, 30n)]);
    const { fills, positions, sums } = ledger.read.timeline(account);
    expect([...fills].map(({ atMs, event }) => [atMs, event.fill.key])).toEqual([
      [1_790_000_000_500, filled().fill.key],
      [8, "other"],
    ]);
    expect([...positions]).toEqual([{ atMs: 6, event: { position, isAccepted: false } }]);
    expect([...sums]).toEqual([
      { atMs: 5, event: transferOf("opening", 100n) },
      { atMs: 3_600_000, event: payment },
      { atMs: 77, event: print },
    ]);
  });

  test("amounts keep every digit, beyond 64 bits too", () => {
    const amount = -170_141_183_460_469_231_731_687_303_715_884_105_728n;
    ledger.keep({ kind: "transfer", accountId: account, event: transferOf("k", amount), atMs: 1 });
    ledger.commit();
    expect(money(reopen()).transfers).toBe(amount);
  });

  test("a reservation survives as it was told last: what a wrong clock reserved is no ratchet", async () => {
    expect(await ledger.reserve("a", nonce(2_000n))).toBe(true);
    expect(await ledger.reserve("a", nonce(1_000n))).toBe(true);
    expect(await ledger.reserve("b", nonce(5n))).toBe(true);
    const reopened = reopen();
    expect(reopened.reservation("a")).toBe(1_000n);
    expect(reopened.reservation("b")).toBe(5n);
  });

  test("the newest nonces of a key survive, oldest first, ended or not", () => {
    const signerOf = (signer: string, of: bigint) => ({ ...intent(place, of), signer });
    const ids = [3n, 1n, 2n].map((of) => ledger.intent(signerOf("a", of)));
    ledger.intent(signerOf("b", 9n));
    ledger.end({ intentId: ids[1] ?? 0, end: "executed", txHash: null, remark: null, atMs: 9 });
    ledger.commit();
    const reopened = reopen();
    expect(reopened.newestNonces("a", 2)).toEqual([1n, 2n]);
    expect(reopened.newestNonces("a", 5)).toEqual([3n, 1n, 2n]);
    expect(reopened.newestNonces("c", 5)).toEqual([]);
  });

  test("halts are kept as they were told, in their order", () => {
    const tripped: LatchEvent = {
      kind: "tripped",
      latch: {
        kind: "loss",
        accountId: account,
        marketId: null,
        holds: "halted",
        reason: "too much",
        numbers: { lossUsdc: 18_446_744_073_709_551_615n, limit: 2.5, first: true, word: "x", none: null },
      },
    };
    const other: LatchEvent = { ...tripped, latch: { ...tripped.latch, kind: "operator", marketId: 3, numbers: {} } };
    const lifted: LatchEvent = {
      kind: "lifted",
      accountId: account,
      marketId: null,
      latch: null,
      reason: "understood",
    };
    expect([
      ledger.keep({ kind: "latch", event: tripped, atMs: 1 }),
      ledger.keep({ kind: "latch", event: other, atMs: 2 }),
    ]).toEqual([true, true]);
    const second = reopen();
    expect(second.read.latchEvents()).toEqual([tripped, other]);
    expect(second.keep({ kind: "latch", event: lifted, atMs: 3 })).toBe(true);
    expect(reopen().read.latchEvents()).toEqual([tripped, other, lifted]);
  });

  test("when the account last asked to place or to modify an order is known; null for one that never has", () => {
    expect(ledger.read.lastOrderedMs(account)).toBe(null);
    for (const createdMs of [40, 70, 60]) ledger.intent({ ...intent(place), createdMs });
    for (const command of commands.filter(({ kind }) => kind === "cancel" || kind === "cancelAll"))
      ledger.intent({ ...intent(command), createdMs: 90 });
    ledger.commit();
    const next = reopen();
    expect(next.read.lastOrderedMs(account), "what only cancels places nothing").toBe(70);
    for (const command of commands.filter(({ kind }) => kind === "modify"))
      next.intent({ ...intent(command), createdMs: 80 });
    next.commit();
    const { read } = reopen();
    expect(read.lastOrderedMs(account)).toBe(80);
    expect(read.lastOrderedMs(accountId(3n))).toBe(null);
  });

  const sold = (id: bigint, of: Partial<StoredOrder> = {}): StoredOrder => ({
    accountId: account,
    orderId: orderId(id),
    marketId: 2,
    side: "sell",
    price: null,
    size: null,
    isOver: false,
    ...of,
  });

  test("orders that the exchange named as ours are remembered once, the newest of them", () => {
    for (const id of [5n, 18_446_744_073_709_551_615n, 5n, 7n]) ledger.keep({ kind: "order", order: sold(id) });
    ledger.keep({ kind: "order", order: sold(5n, { accountId: accountId(3n), side: "buy" }) });
    ledger.commit();
    const { read } = reopen();
    expect(read.knownOrders(account, 2).map(({ orderId: id }) => id)).toEqual([18_446_744_073_709_551_615n, 7n]);
    expect(read.knownOrders(account, 9)[0]).toEqual(sold(5n));
  });

  test("an order's later facts replace earlier ones, nulls change nothing, and an order that is over stays over", () => {
    ledger.keep({ kind: "order", order: sold(5n, { price: price(200n), size: size(10n) }) });
    ledger.keep({ kind: "order", order: sold(5n, { size: size(30n) }) });
    ledger.keep({ kind: "order", order: sold(5n, { isOver: true }) });
    ledger.keep({ kind: "order", order: sold(5n, { price: price(201n) }) });
    ledger.commit();
    const { read } = reopen();
    expect(read.knownOrders(account, 9)).toEqual([sold(5n, { price: price(201n), size: size(30n), isOver: true })]);
  });

  test("an order that proves to be another's is known no longer, until it proves to be ours after all", () => {
    ledger.keep({ kind: "order", order: sold(5n) });
    ledger.keep({ kind: "order", order: sold(7n) });
    ledger.keep({ kind: "order", order: sold(5n, { accountId: accountId(3n) }) });
    for (const id of [5n, 7n, 9n]) ledger.keep({ kind: "foreignOrder", accountId: account, orderId: orderId(id) });
    ledger.keep({ kind: "order", order: sold(7n) });
    ledger.commit();
    const { read } = reopen();
    expect(read.knownOrders(account, 9)).toEqual([sold(7n)]);
    expect(read.knownOrders(accountId(3n), 9)).toHaveLength(1);
  });

  test("the newest equity is the one that is read", () => {
    ledger.keep({
      kind: "equity",
      snapshot: {
        accountId: account,
        atMs: 1,
        collateral: usdc(5n),
        unrealizedPnl: usdc(-1n),
        unexplained: usdc(6n),
      },
    });
    ledger.keep({
      kind: "equity",
      snapshot: {
        accountId: account,
        atMs: 2,
        collateral: usdc(6n),
        unrealizedPnl: usdc(0n),
        unexplained: usdc(6n),
      },
    });
    ledger.commit();
    expect(reopen().read.lastEquity(account)).toMatchObject({ atMs: 2, collateral: 6n, unexplained: 6n });
  });

  test("a result replaces the one before it, of each market and of the account alone", () => {
    const result = (marketId: number | null, state: string, atMs: number) => ({
      accountId: account,
      marketId,
      state,
      atMs,
    });
    for (const market of [1, null, 2]) ledger.keep({ kind: "result", result: result(market, `first of ${market}`, 1) });
    ledger.commit();
    for (const market of [null, 1]) ledger.keep({ kind: "result", result: result(market, `second of ${market}`, 2) });
    ledger.keep({ kind: "result", result: { ...result(1, "of another", 3), accountId: accountId(3n) } });
    ledger.commit();
    expect(reopen().read.results(account)).toEqual([
      result(1, "second of 1", 2),
      result(null, "second of null", 2),
      result(2, "first of 2", 1),
    ]);
  });

  test("what a market taught replaces what it had, and an account reads its own", () => {
    const of = (marketId: number | null, state: string, atMs: number) => ({
      accountId: account,
      marketId,
      state,
      atMs,
    });
    for (const marketId of [1, null, 2]) ledger.keep({ kind: "estimates", estimates: of(marketId, "first", 1) });
    ledger.keep({ kind: "estimates", estimates: { ...of(1, "of another", 1), accountId: accountId(3n) } });
    ledger.commit();
    for (const marketId of [1, null]) ledger.keep({ kind: "estimates", estimates: of(marketId, "second", 2) });
    ledger.commit();
    expect(reopen().read.estimates(account)).toEqual([of(1, "second", 2), of(null, "second", 2), of(2, "first", 1)]);
  });

  test("a word of the exchange replaces the one before it of its key, and an account reads its own", () => {
    const of = (key: DialectKey, word: DialectWord, atMs: number) => ({ accountId: account, key, word, atMs });
    ledger.keep({ kind: "dialect", learned: of("modifySize", "total", 1) });
    ledger.keep({ kind: "dialect", learned: of("emptyList", "404", 1) });
    ledger.keep({ kind: "dialect", learned: { ...of("cancel", "list", 1), accountId: accountId(3n) } });
    ledger.commit();
    ledger.keep({ kind: "dialect", learned: of("modifySize", "none", 2) });
    ledger.commit();
    const { read } = reopen();
    expect(read.dialect(account)).toEqual({ modifySize: "none", emptyList: "404" });
    expect(read.dialect(accountId(3n))).toEqual({ cancel: "list" });
    expect(read.dialect(accountId(4n))).toEqual({});
    expect([...read.rows("dialect")]).toHaveLength(3);
  });

  test("keys and words of a newer version say nothing", () => {
    ledger.keep({ kind: "dialect", learned: { accountId: account, key: "cancel", word: "event", atMs: 1 } });
    const newer = { rowSize: "of the day", weather: "total", constructor: "total" };
    for (const [key, word] of Object.entries(newer))
      ledger.keep({
        kind: "dialect",
        learned: { accountId: account, key: key as DialectKey, word: word as DialectWord, atMs: 1 },
      });
    ledger.commit();
    expect(reopen().read.dialect(account)).toEqual({ cancel: "event" });
  });

  test("every table can be exported as text", () => {
    const id = ledger.intent(intent(place));
    ledger.keep({ kind: "resolution", step: { intentId: id, step: "fence", outcome: "rejected", atMs: 3 } });
    ledger.keep({ kind: "fill", event: filled(), receivedMs: 1 });
    ledger.keep({
      kind: "decision",
      decision: {
        accountId: account,
        marketId: 1,
        atMs: 4,
        viewHash: "77",
        commands,
        denials: [{ kind: "place", reason: "oracle" }],
      },
    });
    const halt = { atMs: 5, call: "POST /halt", caller: "10.0.0.9", isAuthorized: true, reason: "a test" };
    ledger.keep({ kind: "audit", entry: { ...halt, body: '{"reason":"a test"}', status: 200 } });
    ledger.commit();
    expect([...ledger.read.rows("audit")].map(Object.values)).toEqual([
      expect.arrayContaining(["5", "POST /halt", "10.0.0.9", "a test", "200"]),
    ]);
    const { audit, decisions, latches } = ledger.read.trail();
    expect([...audit]).toMatchObject([{ ...halt, body: '{"reason":"a test"}', status: 200 }]);
    expect([...decisions]).toMatchObject([
      { accountId: account, marketId: 1, atMs: 4, denials: [{ kind: "place", reason: "oracle" }] },
    ]);
    expect([...latches]).toEqual([]);
    const counts = ledgerTables.map((table) => [table, [...ledger.read.rows(table)].length]);
    expect(Object.fromEntries(counts)).toMatchObject({ intents: 1, settling: 1, fills: 1, decisions: 1, funding: 0 });
    for (const table of ledgerTables) {
      for (const row of ledger.read.rows(table)) {
        for (const value of Object.values(row)) expect(value === null || typeof value === "string").toBe(true);
      }
    }
  });

  test("the audit is a chain of hashes: over restarts, over rows that were trimmed, whatever a row's texts hold", () => {
    const engine =
      name === "memory" ? new MemoryDisk().open() : openSqlite({ file: join(folder, "audit", "ledger.sqlite") });
    const retention = { decisions: 9, intents: 9, snapshots: 9, orders: 9, hours: 9, audit: 5 };
    const start = (): Ledger => new Ledger({ retention }, { engine, clock: systemClock });
    const texts = ["plain", "", null, "\0 null \0", "half \ud800", "\u2028 'x' \"y\" {}"];
    const note = (reason: string | null, atMs: number): void => {
      const entry = {
        atMs,
        call: "POST /halt",
        caller: "10.0.0.9",
        isAuthorized: true,
        reason,
        body: reason,
        status: 200,
      };
      audited.keep({ kind: "audit", entry });
      audited.commit();
    };
    const verdict = () => verifyAudit(audited.read.trail());
    let audited = start();
    texts.forEach(note);
    const before = audited.auditHead;
    audited = start();
    expect([audited.auditHead, audited.read.lastAuditHash()]).toEqual([before, before]);
    texts.forEach(note);
    expect(verdict()).toEqual({ rows: 12, unchained: 0, head: audited.auditHead, fault: null });
    audited.tidy();
    expect(verdict()).toEqual({ rows: 5, unchained: 0, head: audited.auditHead, fault: null });
    note("after", 99);
    expect(verdict()).toMatchObject({ rows: 6, fault: null });
    audited = start();
    expect(audited.read.lastAuditHash()).toBe(audited.auditHead);

    const { auditBase, audit } = audited.read.trail();
    const rows = [...audit];
    const row = rows[2];
    if (row === undefined) throw new Error("six rows were kept");
    const broken = [
      rows.toSpliced(2, 1),
      rows.with(2, { ...row, status: 403 }),
      rows.with(2, { ...row, hash: null }),
      [...rows.slice(0, 3), ...rows.slice(2)],
      rows.toReversed(),
      rows.slice(1),
    ];
    for (const changed of broken) expect(verifyAudit({ auditBase, audit: changed }).fault).toContain("broken");
    // Without its newest rows the chain is whole, and its head is another than the one that was told.
    const shortened = verifyAudit({ auditBase, audit: rows.slice(0, -1) });
    expect([shortened.fault, shortened.head === audited.auditHead]).toEqual([null, false]);
    audited.close();
  });

  describe("a chain that began again", () => {
    const other = accountId(3n);
    const mark = { createdAtMs: 1_790_000_000_000, lifetimeVolume: usdc(500n) };
    const next = { createdAtMs: 1_790_000_900_000, lifetimeVolume: usdc(0n) };
    const keep = (of: bigint): void => {
      const id = accountId(of);
      ledger.keep({ kind: "fill", event: filled({ accountId: id }), receivedMs: 1 });
      ledger.keep({
        kind: "funding",
        accountId: id,
        event: { kind: "funding", marketId: 1, atSec: 3600, amount: usdc(-70n) },
      });
      ledger.keep({
        kind: "print",
        accountId: id,
        event: { kind: "print", marketId: 1, validUntilSec: 86_400, amount: usdc(-30n) },
        atMs: 1,
      });
      ledger.keep({ kind: "transfer", accountId: id, event: transferOf("opening", 100n), atMs: 1 });
      ledger.keep({ kind: "position", accountId: id, event: positionRead({ inventory: 0n }), atMs: 1 });
      ledger.keep({ kind: "order", order: sold(5n, { accountId: id }) });
      ledger.keep({
        kind: "equity",
        snapshot: { accountId: id, atMs: 1, collateral: usdc(1n), unrealizedPnl: usdc(0n), unexplained: usdc(0n) },
      });
      ledger.keep({ kind: "result", result: { accountId: id, marketId: null, state: "{}", atMs: 1 } });
      ledger.keep({ kind: "estimates", estimates: { accountId: id, marketId: 1, state: "{}", atMs: 1 } });
      ledger.keep({ kind: "hour", hour: quotedIn(1, { accountId: id }) });
      ledger.keep({ kind: "dialect", learned: { accountId: id, key: "emptyList", word: "404", atMs: 1 } });
      ledger.keep({ kind: "chain", accountId: id, mark, atMs: 1 });
    };
    const halt: LatchEvent = {
      kind: "tripped",
      latch: { kind: "loss", accountId: account, marketId: null, holds: "halted", reason: "x", numbers: {} },
    };
    beforeEach(async () => {
      keep(account);
      keep(other);
      ledger.keep({ kind: "latch", event: halt, atMs: 1 });
      await ledger.reserve("a", nonce(9n));
    });
    const counts = (told: Ledger, chain: number) =>
      chainedTables.map((table) => [...told.read.chainRows(table, chain)].length);

    test("leaves the account nothing of the old one but halts, reservations and the exchange's words; another account keeps all", () => {
      expect(ledger.read.chain(account)).toEqual({ number: 1, ...mark });
      expect(ledger.keep({ kind: "chainBegan", accountId: account, mark: next, atMs: 2 })).toBe(true);
      const { read } = reopen();
      expect(totalsOf(bookOf(read, account))).toEqual(totalsOf(createAccountBook()));
      expect(bookOf(read, account).markets.size).toBe(0);
      expect([read.knownOrders(account, 9), read.results(account), read.lastEquity(account)]).toEqual([
        [],
        [],
        undefined,
      ]);
      expect(read.chain(account)).toEqual({ number: 2, ...next });
      expect([read.estimates(account).length, read.estimates(other).length]).toEqual([0, 1]);
      expect([read.hours(account).length, read.hours(other).length]).toEqual([0, 1]);
      expect([read.latchEvents(), read.reservation("a")]).toEqual([[halt], 9n]);
      expect(read.dialect(account)).toEqual({ emptyList: "404" });
      expect(read.accounts()).toEqual([other]);
      expect(read.chain(other)).toEqual({ number: 1, ...mark });
      expect([read.knownOrders(other, 9).length, read.results(other).length]).toEqual([1, 1]);
      expect(collateralOf(bookOf(read, other))).toBe(100n - 70n + 1_005n);
    });

    // A SQLite ledger that runs keeps an ended chain in its archive, which only `ledger export` attaches (test/scenario/chain-again.test.ts).
    test.skipIf(name === "sqlite")("what ended is exported by its number, and what came since by the next", () => {
      ledger.keep({ kind: "chainBegan", accountId: account, mark: next, atMs: 2 });
      ledger.keep({ kind: "transfer", accountId: account, event: transferOf("opening", 7n), atMs: 3 });
      ledger.commit();
      const told = reopen();
      expect([counts(told, 1), counts(told, 2), counts(told, 3)]).toEqual([
        [2, 2, 2, 2, 2, 2, 2],
        [0, 0, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
      ]);
      expect([...told.read.rows("transfers")]).toHaveLength(2);
    });

    test("the same keys may come again, and what is remembered is the newest", () => {
      ledger.keep({ kind: "chainBegan", accountId: account, mark: next, atMs: 2 });
      keep(account);
      ledger.keep({ kind: "chain", accountId: account, mark: { ...next, lifetimeVolume: usdc(800n) }, atMs: 5 });
      ledger.commit();
      const told = reopen();
      expect(told.read.chain(account)).toEqual({ number: 2, ...next, lifetimeVolume: usdc(800n) });
      expect([...told.read.fills(account)]).toHaveLength(1);
      expect([...told.read.rows("chains")]).not.toEqual([]);
    });
  });

  test("a closed ledger takes no more, and what it took is there", () => {
    ledger.intent(intent(place));
    ledger.close();
    ledger.close();
    expect(() => ledger.intent(intent(place))).toThrow(expect.objectContaining({ code: "closed" }));
    expect(reopen().openIntents()).toHaveLength(1);
  });
});

describe.each([
  ["memory", () => new MemoryDisk().open()],
  ["sqlite", () => openSqlite({ file: join(folder, "rotated", "ledger.sqlite") })],
])("rotation, %s", (_, open: () => LedgerEngine) => {
  test("old decisions and ended intents go; open intents and money stay", () => {
    const retention = { decisions: 10, intents: 10, snapshots: 10, orders: 10, audit: 10, hours: 10 };
    const ledger = new Ledger({ retention }, { engine: open(), clock: systemClock });
    const openId = ledger.intent(intent(place));
    for (let at = 0; at < 50; at += 1) {
      const id = ledger.intent(intent(place));
      ledger.end({ intentId: id, end: "executed", txHash: null, remark: null, atMs: at });
      ledger.keep({
        kind: "decision",
        decision: { accountId: account, marketId: 1, atMs: at, viewHash: `${at}`, commands: [], denials: [] },
      });
      ledger.keep({
        kind: "equity",
        snapshot: {
          accountId: account,
          atMs: at,
          collateral: usdc(1n),
          unrealizedPnl: usdc(0n),
          unexplained: usdc(6n),
        },
      });
      ledger.keep({ kind: "fill", event: filled({ key: `${at}` }), receivedMs: at });
      ledger.keep({ kind: "hour", hour: quotedIn(at) });
      ledger.keep({
        kind: "order",
        order: {
          accountId: account,
          orderId: orderId(BigInt(at)),
          marketId: 1,
          side: "buy",
          price: null,
          size: null,
          isOver: false,
        },
      });
    }
    ledger.tidy();
    const count = (table: LedgerTable) => [...ledger.read.rows(table)].length;
    const counts = (["decisions", "intents", "equity", "orders", "hours", "fills"] as const).map(count);
    expect(counts).toEqual([10, 11, 10, 10, 10, 50]);
    expect(ledger.openIntents().map(({ id }) => id)).toEqual([openId]);
    expect(Object.values([...ledger.read.rows("decisions")].at(-1) ?? {})).toContain("49");
    ledger.close();
  });
});

test("the SQLite file is for its owner alone", () => {
  const file = join(folder, "mode", "ledger.sqlite");
  const ledger = new Ledger({}, { engine: openSqlite({ file }), clock: systemClock });
  ledger.keep({ kind: "fill", event: filled(), receivedMs: 1 });
  ledger.commit();
  for (const ending of ["", "-wal", "-shm"]) expect(statSync(file + ending).mode & 0o077).toBe(0);
  expect(readFileSync(file).subarray(0, 15).toString()).toBe("SQLite format 3");
  ledger.close();
});
