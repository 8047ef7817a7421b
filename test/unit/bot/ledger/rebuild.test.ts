// The account book of a later run is the one that the run before it had, whatever was told how often and whenever it died.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { foldBook } from "../../../../src/bot/accounting/account-book.ts";
import { Ledger } from "../../../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../../../src/bot/ledger/memory/memory.ts";
import { bookOf } from "../../../../src/bot/ledger/rebuild.ts";
import { openSqlite } from "../../../../src/bot/ledger/sqlite/sqlite.ts";
import { verifyLedger } from "../../../../src/bot/ledger/verify.ts";
import { accountId, usdc } from "../../../../src/domain/units.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";
import { filled, positionRead, transferOf } from "../accounting/books.ts";
import { historyOfBook } from "../accounting/histories.ts";
import { figuresOf, inOrder, keep } from "./kept-books.ts";

const account = accountId(12n);

const folder = mkdtempSync(join(tmpdir(), "quoin-rebuild-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
function onSqlite() {
  files += 1;
  const file = join(folder, `${files}`);
  return { open: () => openSqlite({ file }), killProcess: () => {} };
}

test.each([
  ["memory", () => new MemoryDisk()],
  ["sqlite", () => onSqlite()],
])("law, %s: a book folded from the rows is the book that they were kept from, through any deaths", (name, disk) => {
  fc.assert(
    fc.property(historyOfBook, fc.array(fc.nat(60), { maxLength: 3 }), (history, deaths) => {
      const drive = disk();
      let ledger = new Ledger({}, { engine: drive.open(), clock: systemClock });
      let book = bookOf(ledger.read, account);
      for (const [at, event] of inOrder(history).entries()) {
        if (name === "memory" && deaths.includes(at)) {
          ledger.commit();
          drive.killProcess();
          ledger = new Ledger({}, { engine: drive.open(), clock: systemClock });
          const before = figuresOf(book);
          book = bookOf(ledger.read, account);
          expect(figuresOf(book)).toEqual(before);
        }
        foldBook(book, event);
        keep(ledger, event);
      }
      expect(figuresOf(bookOf(ledger.read, account))).toEqual(figuresOf(book));
    }),
    { numRuns: name === "memory" ? 100 : 12 },
  );
});

describe("verify", () => {
  const faultless = { faults: () => [] };
  const whole = filled({ key: "1", side: "buy", price: 1n, size: 1n, fee: 3n, realizedPnl: 10n });
  const opened = (): Ledger => {
    const ledger = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
    ledger.keep({ kind: "transfer", accountId: account, event: transferOf("opening", 500n), atMs: 1 });
    return ledger;
  };

  test("a ledger that balances has no faults", () => {
    const ledger = opened();
    ledger.keep({ kind: "fill", event: whole, receivedMs: 2 });
    const [collateral, unrealizedPnl] = [usdc(507n), usdc(9n)];
    ledger.keep({
      kind: "equity",
      snapshot: { accountId: account, atMs: 3, collateral, unrealizedPnl, unexplained: usdc(0n) },
    });
    expect(verifyLedger({ ...faultless, read: ledger.read, whole: ledger.read })).toEqual({
      faults: [],
      accounts: [
        {
          accountId: account,
          totals: { realizedPnl: 10n, fees: 3n, funding: 0n, transfers: 500n },
          expected: 507n,
          seen: { collateral: 507n, atMs: 3, unexplained: 0n },
        },
      ],
      openIntents: 0,
      audit: { rows: 0, unchained: 0, head: "", fault: null },
    });
  });

  test("what the storage says is named, and what the last read did not explain is told", () => {
    const ledger = opened();
    const [collateral, unrealizedPnl] = [usdc(501n), usdc(0n)];
    ledger.keep({
      kind: "equity",
      snapshot: { accountId: account, atMs: 3, collateral, unrealizedPnl, unexplained: usdc(1n) },
    });
    expect(verifyLedger({ faults: () => ["page 7 is torn"], read: ledger.read, whole: ledger.read })).toMatchObject({
      faults: ["page 7 is torn"],
      accounts: [{ seen: { unexplained: 1n } }],
    });
  });

  test("a position alone makes an account known", () => {
    const ledger = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
    ledger.keep({ kind: "position", accountId: account, event: positionRead({ inventory: 5n }), atMs: 1 });
    expect(ledger.read.accounts()).toEqual([account]);
  });
});
