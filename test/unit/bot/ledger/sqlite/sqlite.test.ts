// The SQLite file itself: damage is named and left alone, an older file is copied before it is changed, a full disk passes, loss of
// the process or of power loses nothing that it must not.

import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { emptyState, pnlOf } from "../../../../../src/bot/accounting/market-book.ts";
import { collateralOf } from "../../../../../src/bot/accounting/totals.ts";
import { verifyAudit } from "../../../../../src/bot/ledger/audit-chain.ts";
import { Ledger } from "../../../../../src/bot/ledger/ledger.ts";
import { bookOf } from "../../../../../src/bot/ledger/rebuild.ts";
import { APPLICATION_ID, migrations } from "../../../../../src/bot/ledger/sqlite/schema.ts";
import { openSqlite, readSqlite, setAside } from "../../../../../src/bot/ledger/sqlite/sqlite.ts";
import { readAhead } from "../../../../../src/bot/ledger/sqlite/write-ahead.ts";
import { LedgerError } from "../../../../../src/bot/ledger/store.ts";
import { accountId, nonce, orderId, price, usdc } from "../../../../../src/domain/units.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import { sha256Hex } from "../../../../../src/kernel/hash.ts";
import { createPrng } from "../../../../../src/kernel/prng.ts";
import { createVirtualClock } from "../../../../../src/kernel/virtual-clock.ts";
import { transferOf } from "../../accounting/books.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quoin-sqlite-"));
  file = join(folder, "ledger.sqlite");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const account = accountId(1n);
const open = (pagesMax?: number): Ledger =>
  new Ledger(
    {},
    { engine: openSqlite(pagesMax === undefined ? { file } : { file, bytesMax: pagesMax * 4096 }), clock: systemClock },
  );

function fault(run: () => unknown): LedgerError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof LedgerError) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}

function filled(rows: number): void {
  const ledger = open();
  for (let n = 0; n < rows; n += 1) {
    ledger.keep({
      kind: "decision",
      decision: {
        accountId: account,
        marketId: 1,
        atMs: n,
        viewHash: "ab".repeat(32),
        commands: [{ kind: "cancel", accountId: account, marketId: 1, orderId: orderId(BigInt(n)) }],
        denials: [],
      },
    });
  }
  ledger.close();
}

describe("a file that cannot be trusted is named and left as it is", () => {
  test("damaged in the middle", () => {
    filled(2000);
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 40_960, 49_152);
    writeFileSync(file, bytes);
    const refusal = fault(open);
    expect(refusal.code).toBe("damaged");
    expect(refusal.message).toContain(file);
    expect(readFileSync(file)).toEqual(bytes);
  });

  test("cut off", () => {
    filled(2000);
    truncateSync(file, 20_480);
    expect(fault(open).code).toBe("damaged");
  });

  test("no database at all", () => {
    writeFileSync(file, "hello ".repeat(1000));
    expect(fault(open).code).toBe("damaged");
  });

  test("another program's database", () => {
    const other = new DatabaseSync(file);
    other.exec("CREATE TABLE theirs (a)");
    other.close();
    expect(fault(open).code).toBe("foreign");
  });

  test("written by a later version", () => {
    open().close();
    const later = new DatabaseSync(file);
    later.exec(`PRAGMA user_version = ${migrations.length + 1}`);
    later.close();
    expect(fault(open)).toMatchObject({ code: "newer", facts: { version: migrations.length + 1 } });
  });

  test("a directory in its place", () => {
    expect(fault(() => openSqlite({ file: folder })).code).toBe("unopenable");
  });

  test("set aside, it keeps every byte, and a new ledger takes its name", () => {
    writeFileSync(file, "hello ".repeat(1000));
    const aside = setAside(file, 77);
    expect(readFileSync(aside, "utf8")).toContain("hello");
    expect(aside).toContain("damaged-77");
    open().close();
    expect(existsSync(file)).toBe(true);
  });
});

describe("an older file", () => {
  const second = "ALTER TABLE transfers ADD COLUMN remark TEXT;";

  test("is copied, then changed, and keeps what it held", () => {
    filled(10);
    const before = readFileSync(file);
    const engine = openSqlite({ file, migrations: [...migrations, second] });
    expect([...engine.read.rows("decisions")]).toHaveLength(10);
    engine.close();
    const copy = new DatabaseSync(join(folder, `ledger.sqlite.v${migrations.length}.bak`), { readOnly: true });
    expect(copy.prepare("PRAGMA user_version").get()).toEqual({ user_version: migrations.length });
    expect(copy.prepare("SELECT count(*) AS n FROM decisions").get()).toEqual({ n: 10 });
    copy.close();
    expect(before.length).toBeGreaterThan(0);
  });

  test("keeps audit rows that have no hash, and the chain begins after them", () => {
    const older = migrations.slice(0, 12);
    const database = new DatabaseSync(file);
    for (const step of older) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID};
      INSERT INTO audit (at_ms, call, caller, authorized, status) VALUES (1, 'POST /halt', 'x', 1, 200), (2, 'POST /halt', 'x', 1, 200);
      PRAGMA user_version = 12`);
    database.close();
    const ledger = open();
    const entry = { call: "POST /halt", caller: "y", isAuthorized: true, reason: null, body: null, status: 200 };
    for (const atMs of [3, 4]) ledger.keep({ kind: "audit", entry: { atMs, ...entry } });
    ledger.commit();
    expect(verifyAudit(ledger.read.trail())).toEqual({ rows: 4, unchained: 2, head: ledger.auditHead, fault: null });
    ledger.close();
  });

  test("whose change fails stays as it was", () => {
    filled(10);
    const broken = [...migrations, `${second} CREATE TABLE fills (a);`];
    expect(fault(() => openSqlite({ file, migrations: broken })).code).toBe("unopenable");
    const ledger = open();
    expect([...ledger.read.rows("decisions")]).toHaveLength(10);
    expect(Object.keys([...ledger.read.rows("transfers")][0] ?? {})).not.toContain("remark");
    ledger.close();
  });

  test("copied before is copied beside it", () => {
    filled(1);
    writeFileSync(`${file}.v${migrations.length}.bak`, "kept");
    openSqlite({ file, migrations: [...migrations, second] }).close();
    expect(readFileSync(`${file}.v${migrations.length}.bak`, "utf8")).toBe("kept");
    expect(readdirSync(folder)).toContain(`ledger.sqlite.v${migrations.length}.bak.2`);
  });

  test("of this version is not copied", () => {
    filled(1);
    open().close();
    expect(readdirSync(folder).filter((name) => name.includes(".bak"))).toEqual([]);
  });
});

describe("a disk that is full", () => {
  test("shows in the health and loses nothing when there is room again", async () => {
    const small = open(80);
    let written = 0;
    while (small.health().ok && written < 20_000) {
      small.keep({ kind: "transfer", accountId: account, event: transferOf(`${written}`, 1n), atMs: written });
      small.commit();
      written += 1;
    }
    expect(small.health()).toMatchObject({ ok: false, waiting: 1 });
    small.keep({ kind: "transfer", accountId: account, event: transferOf("waits", 1n), atMs: 0 });
    expect(await small.reserve("a", nonce(1n))).toBe(false);
    small.close();
    const again = open();
    expect([...again.read.transfers(account)]).toHaveLength(written - 1);
    again.close();
  });
});

test("a ledger that is full makes room by rotating, and then writes what waited", () => {
  const clock = createVirtualClock({ startMs: 0 });
  const retention = { decisions: 100, intents: 100, snapshots: 100, orders: 100, audit: 10, hours: 10 };
  const ledger = new Ledger({ retention }, { engine: openSqlite({ file, bytesMax: 120 * 4096 }), clock });
  const decide = (atMs: number): boolean =>
    ledger.keep({
      kind: "decision",
      decision: { accountId: account, marketId: 1, atMs, viewHash: "ab".repeat(32), commands: [], denials: [] },
    });
  for (let n = 0; ledger.health().ok; n += 1) {
    decide(n);
    ledger.commit();
  }
  decide(-1);
  expect(ledger.health(), "while room is short no decision is written").toMatchObject({ ok: false, waiting: 1 });
  ledger.tidy();
  clock.advanceSync(250);
  expect(ledger.commit()).toBe(true);
  expect(ledger.health()).toEqual({ ok: true });
  ledger.tidy();
  decide(-2);
  const times = [...ledger.read.rows("decisions")].map(({ at_ms }) => at_ms);
  expect(times.at(-1)).toBe("-2");
  expect(new Set(times).size).toBe(times.length);
  ledger.close();
});

test("what was committed is in the files at that moment, what was not is not", () => {
  const ledger = open();
  ledger.keep({ kind: "transfer", accountId: account, event: transferOf("a", 1n), atMs: 1 });
  ledger.commit();
  ledger.keep({ kind: "transfer", accountId: account, event: transferOf("b", 1n), atMs: 1 });
  const after = mkdtempSync(join(tmpdir(), "quoin-after-"));
  cpSync(folder, after, { recursive: true });
  const reopened = openSqlite({ file: join(after, "ledger.sqlite") });
  expect([...reopened.read.transfers(account)].map(({ key }) => key)).toEqual(["a"]);
  reopened.close();
  rmSync(after, { recursive: true });
  ledger.close();
});

test("the log is moved into the file by upkeep, so that it does not grow", () => {
  const ledger = open();
  for (let n = 0; n < 5000; n += 1) {
    ledger.keep({
      kind: "equity",
      snapshot: { accountId: account, atMs: n, collateral: usdc(1n), unrealizedPnl: usdc(1n), unexplained: null },
    });
    if (n % 10 === 0) ledger.commit();
    if (n % 500 === 0) ledger.tidy();
  }
  expect(readFileSync(`${file}-wal`).length).toBeLessThan(2_000_000);
  ledger.close();
});

test("another process reads while this one writes", () => {
  const ledger = open();
  ledger.keep({ kind: "transfer", accountId: account, event: transferOf("a", 1n), atMs: 1 });
  ledger.commit();
  const reader = readSqlite(file);
  expect([...reader.read.transfers(account)]).toHaveLength(1);
  ledger.keep({ kind: "transfer", accountId: account, event: transferOf("b", 1n), atMs: 1 });
  expect(ledger.commit()).toBe(true);
  expect([...reader.read.transfers(account)], "all reads are of one moment").toHaveLength(1);
  expect(reader.faults()).toEqual([]);
  reader.close();
  ledger.close();
  expect(fault(() => readSqlite(join(folder, "none"))).code).toBe("unopenable");
});

test("law: loss of power keeps all that was synced, whatever part of the rest reached the disk", async () => {
  const prng = createPrng(7n);
  const ledger = open();
  for (let round = 1; round <= 10; round += 1) {
    expect(await ledger.reserve("a", nonce(BigInt(round)))).toBe(true);
    const syncedBytes = statSync(`${file}-wal`).size;
    for (let n = 0; n < 5; n += 1) {
      const key = `${round} ${n}`;
      ledger.keep({ kind: "transfer", accountId: account, event: transferOf(key, 1n), atMs: 1 });
      ledger.commit();
    }
    const after = join(folder, `after-${round}`);
    mkdirSync(after);
    cpSync(file, join(after, "l"));
    const log = readFileSync(`${file}-wal`);
    writeFileSync(join(after, "l-wal"), log.subarray(0, syncedBytes + prng.below(log.length - syncedBytes + 1)));
    const reopened = openSqlite({ file: join(after, "l") });
    expect(reopened.read.reservation("a")).toBe(BigInt(round));
    expect([...reopened.read.transfers(account)].length).toBeGreaterThanOrEqual((round - 1) * 5);
    reopened.close();
  }
  ledger.close();
});

describe("what was written ahead", () => {
  const intent = {
    accountId: account,
    signer: "a",
    nonce: nonce(1n),
    command: { kind: "cancelAll", accountId: account, marketId: null, fences: null },
    bytesHash: "",
    timestampSec: 1,
    createdMs: 1,
  } as const;

  /** The ledger as a start finds it after a death between the write and the commit, with another line ahead. */
  function found(change: (line: string) => string): number {
    const ledger = open();
    ledger.intent(intent);
    ledger.commit();
    ledger.intent(intent);
    ledger.intent(intent);
    ledger.writeAhead();
    const after = mkdtempSync(join(tmpdir(), "quoin-after-"));
    cpSync(folder, after, { recursive: true });
    ledger.close();
    const ahead = join(after, "ledger.sqlite-ahead");
    writeFileSync(ahead, change(readFileSync(ahead, "latin1")), "latin1");
    const reopened = openSqlite({ file: join(after, "ledger.sqlite") });
    const count = reopened.read.openIntents().length;
    reopened.close();
    rmSync(after, { recursive: true });
    return count;
  }

  test.each([
    ["alone", (line: string) => line],
    ["with the rest of a longer line behind it", (line: string) => `${line}left of it`],
  ])("is there after a death: %s", (_, change) => {
    expect(found(change)).toBe(3);
  });

  test.each([
    ["nothing", () => ""],
    ["a part of it", (line: string) => line.slice(0, -20)],
    ["a byte of it changed", (line: string) => line.replace('"signer":"a"', '"signer":"b"')],
    ["a line of another ledger", (line: string) => lineOf(line.slice(65).trim().replaceAll('"id":', '"id":7'))],
  ])("is passed over where it is not whole, or another ledger's: %s", (_, change) => {
    expect(found(change)).toBe(1);
  });

  const lineOf = (text: string): string => `${sha256Hex(text)} ${text}\n`;

  test("edge: several writes of one task count up to the first that is not whole, and those of older tasks behind them do not", () => {
    const ledger = open();
    const ahead = join(folder, "ledger.sqlite-ahead");
    const write = (count: number) => {
      for (let at = 0; at < count; at += 1) {
        ledger.intent(intent);
        expect(ledger.writeAhead()).toBe(true);
      }
    };
    write(3);
    ledger.commit();
    write(2);
    const text = readFileSync(ahead, "latin1");
    expect(readAhead(ahead, 3).map(({ id }) => id)).toEqual([4, 5]);
    expect(text.trimEnd().split("\n"), "the last line is the older task's").toHaveLength(3);
    const second = text.indexOf("\n") + 1;
    writeFileSync(ahead, text.slice(0, second) + text.slice(second).replace('"signer":"a"', '"signer":"b"'), "latin1");
    expect(readAhead(ahead, 3).map(({ id }) => id)).toEqual([4]);
    expect(readAhead(ahead, 9)).toEqual([]);
    ledger.close();
  });
});

test("SIGKILL at any moment: every intent that was called committed or written ahead is there", async () => {
  const source = (name: string) => JSON.stringify(resolve(import.meta.dirname, "../../../../../src", name));
  const code = `
    import { systemClock } from ${source("kernel/clock.ts")};
    import { Ledger } from ${source("bot/ledger/ledger.ts")};
    import { openSqlite } from ${source("bot/ledger/sqlite/sqlite.ts")};
    import { writeSync } from "node:fs";
    const ledger = new Ledger({}, { engine: openSqlite({ file: ${JSON.stringify(file)} }), clock: systemClock });
    for (;;) {
      const id = ledger.intent({ accountId: 1n, signer: "a", nonce: 1n, command: { kind: "cancelAll", accountId: 1n, marketId: null, fences: null }, bytesHash: "", timestampSec: 1, createdMs: 1 });
      if (id % 2 === 0 ? ledger.commit() : ledger.writeAhead()) writeSync(1, id + "\\n");
    }`;
  for (let life = 0; life < 3; life += 1) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let told = "";
    child.stdout.on("data", (chunk) => {
      told += chunk;
      if (told.length > 2000) child.kill("SIGKILL");
    });
    await new Promise((done) => child.once("close", done));
    const last = Number(told.slice(0, told.lastIndexOf("\n")).split("\n").at(-1));
    expect(last).toBeGreaterThan(0);
    const reopened = openSqlite({ file });
    expect(reopened.faults()).toEqual([]);
    expect(reopened.read.lastIntentId()).toBeGreaterThanOrEqual(last);
    expect(reopened.read.openIntents()).toHaveLength(reopened.read.lastIntentId());
    reopened.close();
  }
});

test("a ledger of before transfers were the account's alone: same collateral, no profit of them, and the day counts from zero", () => {
  const state = '{"settled":{},"acceptedRead":0,"postedAmount":0,"funding":0,"jump":0,"adjustments":70}';
  const settled = JSON.stringify({ ...emptyState, estimatedBefore: 5n }, (_, value: unknown) =>
    typeof value === "bigint" ? Number(value) : value,
  );
  const opening = state.replace("{}", settled);
  const before = new DatabaseSync(file);
  for (const step of migrations.slice(0, 7)) before.exec(step);
  before.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 7;
    INSERT INTO openings (account, market, state, sha256) VALUES ('12', 1, '${opening}', '${sha256Hex(opening)}');
    INSERT INTO transfers (account, key, reason, market, amount, at_ms) VALUES
      ('12', 'adoptedPosition:2', 'adoptedPosition', 1, '498610000', 1), ('12', 'inflow:3', 'inflow', NULL, '5', 1),
      ('12', 'unexplained:4', 'unexplained', NULL, '-3', 1);
    INSERT INTO results (account, market, state, at_ms) VALUES
      ('12', 1, '{"markPrice":123456789012345678901234,"day":{"day":1,"before":-9,"result":{"pnl":1,"best":2}}}', 1)`);
  before.close();
  const engine = openSqlite({ file });
  const book = bookOf(engine.read, accountId(12n));
  expect([collateralOf(book), book.transfers, book.unassigned]).toEqual([498_610_072n, 498_610_072n, 0n]);
  expect(pnlOf(book.markets.get(1)!, price(5n)).total).toBe(0n);
  expect(engine.read.results(accountId(12n))[0]?.state).toBe('{"markPrice":123456789012345678901234,"day":null}');
  engine.close();
});

test("a ledger of one run keeps no space free, and what it commits is read beside it", async () => {
  const engine = openSqlite({ file, isOfRun: true });
  const ledger = new Ledger({}, { engine, clock: systemClock });
  expect(await ledger.reserve("a", nonce(1n))).toBe(true);
  expect(ledger.space().isReserveUsed).toBe(false);
  expect(engine.useReserve()).toBe(false);
  expect(readdirSync(folder).filter((name) => name.endsWith(".reserve"))).toEqual([]);
  const beside = readSqlite(file);
  expect(beside.faults()).toEqual([]);
  beside.close();
  ledger.close();
});
