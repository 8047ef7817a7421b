// What others do to an open ledger's files: hold them, delete them, replace them, move their folder. It is named, and what is said to be
// written is written.

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { Ledger } from "../../../../../src/bot/ledger/ledger.ts";
import { openSqlite } from "../../../../../src/bot/ledger/sqlite/sqlite.ts";
import { accountId } from "../../../../../src/domain/units.ts";
import { createVirtualClock } from "../../../../../src/kernel/virtual-clock.ts";

const lifted = { kind: "lifted", accountId: accountId(12n), marketId: null, latch: null, reason: "r" } as const;

function open() {
  const folder = join(mkdtempSync(join(tmpdir(), "quoin-way-")), "var");
  mkdirSync(folder);
  const file = join(folder, "quoin.sqlite");
  const clock = createVirtualClock({ startMs: 0 });
  const ledger = new Ledger({}, { engine: openSqlite({ file }), clock });
  onTestFinished(() => {
    ledger.close();
    rmSync(join(folder, ".."), { recursive: true });
  });
  return { ledger, clock, file, folder };
}

test("a program that holds the file is named, takes no room that is kept free, and what waited is written when it lets go", () => {
  const { ledger, clock, file } = open();
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  expect(ledger.keep({ kind: "latch", event: lifted, atMs: 1 })).toBe(false);
  expect(ledger.health()).toMatchObject({ ok: false, fault: "held", reason: `another program holds ${file}` });
  expect(ledger.space().isReserveUsed).toBe(false);
  expect(existsSync(`${file}.reserve`)).toBe(true);
  other.exec("COMMIT");
  other.close();
  clock.advanceSync(250);
  expect(ledger.keep({ kind: "latch", event: lifted, atMs: 2 })).toBe(true);
  expect(ledger.health()).toEqual({ ok: true });
  expect(ledger.read.latchEvents()).toHaveLength(2);
});

test("an opening that meets such a program says so", () => {
  const { file, ledger } = open();
  ledger.close();
  const other = new DatabaseSync(file);
  other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  onTestFinished(() => other.close());
  expect(() => openSqlite({ file })).toThrow(`another program holds ${file}`);
});

test.each(["", "-wal", "-shm", "-ahead"])("quoin.sqlite%s deleted: nothing counts as written any longer", (ending) => {
  const { ledger, file } = open();
  expect(ledger.keep({ kind: "latch", event: lifted, atMs: 1 })).toBe(true);
  rmSync(file + ending);
  expect(ledger.keep({ kind: "latch", event: lifted, atMs: 2 }), "a halt does not wait for the next look").toBe(false);
  expect(ledger.health()).toMatchObject({ fault: "moved", reason: expect.stringContaining(`${file}${ending} was`) });
  expect([ledger.commit(), ledger.writeAhead()]).toEqual([false, false]);
});

test("a copy in its place is not it", () => {
  const { ledger, file } = open();
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
  ledger.look();
  expect(ledger.health()).toMatchObject({ ok: false, fault: "moved" });
});

test("a folder that is moved away, and back: what was written meanwhile is there", () => {
  const { ledger, folder } = open();
  renameSync(folder, `${folder}.away`);
  ledger.look();
  expect(ledger.health()).toMatchObject({ fault: "moved" });
  expect(ledger.keep({ kind: "latch", event: lifted, atMs: 1 })).toBe(false);
  renameSync(`${folder}.away`, folder);
  ledger.look();
  expect(ledger.health()).toEqual({ ok: true });
  expect(ledger.read.latchEvents()).toHaveLength(1);
});
