// Folding old rows into the opening balance changes nothing of the account book, whenever it is done and whatever comes after it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import {
  type AccountBook,
  type BookEvent,
  createAccountBook,
  foldBook,
} from "../../src/bot/accounting/account-book.ts";
import { TAIL_MAX } from "../../src/bot/accounting/market-book.ts";
import { openingOf, openWith } from "../../src/bot/accounting/opening.ts";
import { exportTable } from "../../src/bot/ledger/export.ts";
import { Ledger } from "../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../src/bot/ledger/memory/memory.ts";
import { bookOf } from "../../src/bot/ledger/rebuild.ts";
import { openSqlite, readSqlite } from "../../src/bot/ledger/sqlite/sqlite.ts";
import type { LedgerReads } from "../../src/bot/ledger/store.ts";
import { verifyLedger } from "../../src/bot/ledger/verify.ts";
import { accountId } from "../../src/domain/units.ts";
import { createPrng, type Prng } from "../../src/kernel/prng.ts";
import { createVirtualClock } from "../../src/kernel/virtual-clock.ts";
import { filled, pnlAt, positionRead, transferOf } from "../unit/bot/accounting/books.ts";

const account = accountId(12n);
/** More than leave the tail of a book, in two markets. */
const EVENTS = 2 * (TAIL_MAX + 250);

/** Fills with their money now or a little later and a little out of order, reads, payments, prints and transfers. */
function historyOf(prng: Prng): readonly BookEvent[] {
  const events: BookEvent[] = [transferOf("opening", 1_000_000n)];
  const reads = [0, 0, 0];
  const late: { readonly at: number; readonly event: BookEvent }[] = [];
  for (let nth = 0; nth < EVENTS; nth += 1) {
    while (late[0] !== undefined && late[0].at <= nth) events.push((late.shift() as (typeof late)[number]).event);
    const marketId = 1 + prng.below(2);
    const amount = BigInt(prng.below(2001) - 1000);
    if (prng.chance(0.02)) {
      reads[marketId] = (reads[marketId] ?? 0) + 1;
      const number = reads[marketId] ?? 0;
      events.push(positionRead({ marketId, number, inventory: amount * 1000n, isAdopted: prng.chance(0.5) }));
      if (prng.chance(0.5)) late.push({ at: nth + 30, event: { kind: "accepted", marketId, number } });
    }
    if (prng.chance(0.02)) events.push({ kind: "funding", marketId, atSec: nth, amount: amount as never });
    if (prng.chance(0.02)) events.push({ kind: "print", marketId, validUntilSec: nth, amount: amount as never });
    if (prng.chance(0.02)) {
      const reason = prng.pick(["rounding", "transfer", "whileAway"] as const);
      events.push({ ...transferOf(`${reason}:${nth}`, amount), reason });
    }
    const whole = filled(
      {
        key: `${nth}`,
        marketId,
        side: prng.pick(["buy", "sell"] as const),
        price: BigInt(20_000_000_000 + prng.below(1_000_000)),
        size: BigInt(1 + prng.below(5_000_000)),
        fee: BigInt(prng.below(9) - 4),
        realizedPnl: prng.chance(0.5) ? amount : null,
        timestampMs: prng.chance(0.05) ? nth - prng.below(20) : nth,
      },
      { referencePrice: 100n, readsBefore: reads[marketId] ?? 0, money: prng.chance(0.05) ? "read" : "own" },
    );
    if (!prng.chance(0.02)) events.push(whole);
    else {
      events.push({ ...whole, fill: { ...whole.fill, fee: null } });
      if (prng.chance(0.7)) late.push({ at: nth + 30, event: whole });
    }
  }
  return [...events, ...late.map(({ event }) => event)];
}

function keep(ledger: Ledger, event: BookEvent, atMs: number): void {
  if (event.kind === "fill") ledger.keep({ kind: "fill", event, receivedMs: atMs });
  else if (event.kind === "position") ledger.keep({ kind: "position", accountId: account, event, atMs });
  else if (event.kind === "accepted") ledger.keep({ kind: "accepted", accountId: account, event });
  else if (event.kind === "funding") ledger.keep({ kind: "funding", accountId: account, event });
  else if (event.kind === "print") ledger.keep({ kind: "print", accountId: account, event, atMs });
  else ledger.keep({ kind: "transfer", accountId: account, event, atMs });
}

const figuresOf = (book: AccountBook) => ({
  collateral: book.collateral,
  transfers: book.transfers,
  unassigned: book.unassigned,
  isOpened: book.isOpened,
  transferCount: book.transferCount,
  markets: new Map(
    [...book.markets].map(([marketId, { now }]) => [marketId, { now, pnl: pnlAt(book, 777n, marketId) }]),
  ),
});

const folder = mkdtempSync(join(tmpdir(), "quoin-opening-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

function onMemory() {
  const disk = new MemoryDisk();
  return { engine: disk.open(), whole: () => disk.whole(), verify: () => [] as readonly string[] };
}

function onSqlite() {
  files += 1;
  const file = join(folder, `${files}`);
  const reading = <T>(use: (reading: ReturnType<typeof readSqlite>) => T): T => {
    const opened = readSqlite(file);
    try {
      return use(opened);
    } finally {
      opened.close();
    }
  };
  return {
    engine: openSqlite({ file }),
    whole: (): LedgerReads => {
      const { whole } = readSqlite(file);
      if (whole === null) throw new Error("the archive is missing");
      return whole;
    },
    verify: () => reading((opened) => verifyLedger(opened).faults),
  };
}

test.each([
  ["memory", onMemory, 4],
  ["sqlite", onSqlite, 2],
])("law, %s: the book of opening balance and rows is the book of all rows", async (_, disk, numRuns) => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: 0n, max: 1n << 60n }), async (seed) => {
      const prng = createPrng(seed);
      const history = historyOf(prng);
      const clock = createVirtualClock({ startMs: 0 });
      const { engine, whole, verify } = disk();
      const ledger = new Ledger({ archiveAfterMs: 100 }, { engine, clock });
      const live = createAccountBook();
      for (const [at, event] of history.entries()) {
        foldBook(live, event);
        keep(ledger, event, at);
        clock.advanceSync(1);
        if (prng.chance(0.004)) {
          await ledger.archive();
          expect(figuresOf(bookOf(ledger.read, account))).toEqual(figuresOf(live));
        }
      }
      for (let round = 0; round < 5; round += 1) await ledger.archive();
      expect(figuresOf(bookOf(ledger.read, account))).toEqual(figuresOf(live));
      expect(figuresOf(bookOf(whole(), account))).toEqual(figuresOf(live));
      const kept = [...ledger.read.fills(account)].length;
      expect(kept, "rows have left").toBeLessThan(EVENTS - 100);
      expect([...whole().fills(account)].length, "and are all there").toBe(EVENTS);
      expect([...exportTable(whole(), { table: "fills", columns: [] }, "csv")].length).toBe(EVENTS + 1);
      expect(verify()).toEqual([]);
      ledger.close();
    }),
    { numRuns },
  );
});

test("law: an opening is read as it was written, and one that lacks a number is refused", () => {
  const book = createAccountBook();
  for (const event of historyOf(createPrng(5n))) foldBook(book, event);
  for (const marketId of [null, 1, 2]) {
    const opening = openingOf(book, marketId);
    const again = createAccountBook();
    openWith(again, opening);
    expect(openingOf(again, marketId)).toEqual(opening);
    const broken = { ...opening, state: opening.state.replace(/"(transfers|realized)":-?\d+/, '"$1":null') };
    expect(() => openWith(createAccountBook(), broken)).toThrow(/opening balance/);
  }
});
