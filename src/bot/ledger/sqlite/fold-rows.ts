// Selects the old rows of the ledger to archive now, and the opening balances that replace them. A limited number per call, because the
// loop waits.

import { type AccountId, accountId, type MarketId } from "../../../domain/units.ts";
import { sha256Hex } from "../../../kernel/hash.ts";
import type { FundingEvent, PrintEvent, TransferEvent } from "../../accounting/account-book.ts";
import { TAIL_MAX } from "../../accounting/market-book.ts";
import type { Opening } from "../../accounting/opening.ts";
import { foldOldSums, foldOldTrading } from "../fold-old.ts";
import type { ArchivedTable } from "./archive.ts";
import { numberOf, type Sql, type SqlRow, textOf, wholeOf } from "./sql.ts";
import { fillEventOf, fundingOf, openingOf, positionOf, printOf, transferOf } from "./sql-reads.ts";

/** Most fills of a market per call: some tens of milliseconds of work. */
const FILLS_MAX = 500;
/** Fewer are not worth a call. */
const FILLS_MIN = 100;
const SUMS_MAX = 500;

export type Folding = {
  /** Rows to archive, unchanged. */
  readonly rows: ReadonlyMap<ArchivedTable, readonly SqlRow[]>;
  /** Deletes them and writes the openings; call in a transaction. */
  readonly replace: () => void;
};

/** Prepares the statements once; the result plans one call, null if nothing is older than `beforeMs` (wall). */
export function prepareFolding(sql: Sql): (beforeMs: number) => Folding | null {
  const places = sql.prepare(
    "SELECT account, market FROM positions UNION SELECT account, market FROM openings WHERE market IS NOT NULL",
  );
  const nth = sql.prepare(
    "SELECT received_ms FROM fills WHERE account = ? AND market = ? ORDER BY rowid LIMIT 1 OFFSET ?",
  );
  const fills = sql.prepare(
    "SELECT rowid AS place, * FROM fills WHERE account = ? AND market = ? ORDER BY rowid LIMIT ?",
  );
  const positions = sql.prepare(
    "SELECT rowid AS place, * FROM positions WHERE account = ? AND market = ? AND number <= ? ORDER BY number",
  );
  const old = (table: ArchivedTable, timeMs: string) =>
    sql.prepare(`SELECT rowid AS place, * FROM ${table} WHERE ${timeMs} < ? ORDER BY rowid LIMIT ${SUMS_MAX}`);
  const sums = [
    { table: "funding", rows: old("funding", "at_sec * 1000"), read: fundingOf },
    { table: "prints", rows: old("prints", "valid_until_sec * 1000"), read: printOf },
    { table: "transfers", rows: old("transfers", "at_ms"), read: transferOf },
  ] as const;
  const write = prepareOpenings(sql);
  let turn = 0;

  return (beforeMs) => {
    const plan = new Plan(sql);
    const list = places.all();
    for (const at of list.keys()) {
      const place = list[(turn + at) % list.length] ?? {};
      const [account, market] = [textOf(place, "account"), numberOf(place, "market")];
      const oldEnough = nth.get(account, market, TAIL_MAX + FILLS_MIN);
      if (oldEnough === undefined || numberOf(oldEnough, "received_ms") >= beforeMs) continue;
      const found = fills.all(account, market, TAIL_MAX + FILLS_MAX);
      const young = found.findIndex((row) => numberOf(row, "received_ms") >= beforeMs);
      const slice = young === -1 ? found : found.slice(0, young);
      const events = slice.map(fillEventOf);
      const readsMax = events.reduce((most, { readsBefore }) => Math.max(most, readsBefore), 0);
      const reads = positions.all(account, market, readsMax);
      const before = plan.opening(accountId(BigInt(account)), market);
      const folded = foldOldTrading(market, before, events, reads.map(positionOf));
      plan.take(
        "fills",
        slice.filter((row) => folded.fills.has(textOf(row, "key"))),
      );
      plan.take(
        "positions",
        reads.filter((row) => folded.positions.has(numberOf(row, "number"))),
      );
      plan.keep(accountId(BigInt(account)), folded.opening);
      turn += at + 1;
      break;
    }
    for (const { table, rows, read } of sums) {
      const found = rows.all(beforeMs);
      plan.take(table, found);
      for (const [account, list] of Map.groupBy(found, (row) => textOf(row, "account")))
        plan.sum(accountId(wholeOf({ account }, "account")), list.map<Summed>(read));
    }
    return plan.done(write);
  };
}

type Summed = FundingEvent | PrintEvent | TransferEvent;

class Plan {
  readonly #sql: Sql;
  readonly #rows = new Map<ArchivedTable, readonly SqlRow[]>();
  readonly #openings = new Map<string, { readonly account: AccountId; readonly opening: Opening }>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The opening as planned so far, else as stored; undefined if there is none. */
  opening(account: AccountId, marketId: MarketId | null): Opening | undefined {
    const planned = this.#openings.get(`${account} ${marketId}`);
    if (planned !== undefined) return planned.opening;
    const row = this.#sql
      .prepare("SELECT * FROM openings WHERE account = ? AND coalesce(market, -1) = ?")
      .get(`${account}`, marketId ?? -1);
    return row === undefined ? undefined : openingOf(row);
  }

  take(table: ArchivedTable, rows: readonly SqlRow[]): void {
    if (rows.length > 0) this.#rows.set(table, rows);
  }

  keep(account: AccountId, opening: Opening): void {
    this.#openings.set(`${account} ${opening.marketId}`, { account, opening });
  }

  sum(account: AccountId, events: readonly Summed[]): void {
    const places = new Set<MarketId | null>([null, ...events.map(({ marketId }) => marketId)]);
    const before = [...places].flatMap((marketId) => this.opening(account, marketId) ?? []);
    for (const opening of foldOldSums(before, events)) this.keep(account, opening);
  }

  done(write: (account: AccountId, opening: Opening) => void): Folding | null {
    if (this.#rows.size === 0) return null;
    return {
      rows: this.#rows,
      replace: () => {
        for (const [table, rows] of this.#rows) {
          const remove = this.#sql.prepare(`DELETE FROM ${table} WHERE rowid = ?`);
          for (const row of rows) remove.run(numberOf(row, "place"));
        }
        for (const { account, opening } of this.#openings.values()) write(account, opening);
      },
    };
  }
}

function prepareOpenings(sql: Sql): (account: AccountId, opening: Opening) => void {
  const write = sql.prepare(
    `INSERT INTO openings (account, market, state, sha256) VALUES (?,?,?,?)
     ON CONFLICT (account, coalesce(market, -1)) DO UPDATE SET state = excluded.state, sha256 = excluded.sha256`,
  );
  return (account, { marketId, state }) => void write.run(`${account}`, marketId, state, sha256Hex(state));
}
