// Reads of the ledger: SQL queries, and rows converted to values.

import { dialectIn } from "../../../domain/dialect.ts";
import type { Fill, Liquidity } from "../../../domain/fill.ts";
import type { StoredIntent } from "../../../domain/intent.ts";
import { type LatchEvent, latchHolds, latchKinds, liftables } from "../../../domain/latch.ts";
import type { StoredOrder } from "../../../domain/order.ts";
import { accountId, type MarketId, nonce, orderId, price, type Side, size, usdc } from "../../../domain/units.ts";
import { sha256Hex } from "../../../kernel/hash.ts";
import {
  type FundingEvent,
  type PrintEvent,
  type TransferEvent,
  transferReasons,
} from "../../accounting/account-book.ts";
import { type FillEvent, fillMoneys } from "../../accounting/market-book.ts";
import type { Opening } from "../../accounting/opening.ts";
import { parseCommand, parseDenials, parseFacts } from "../command-text.ts";
import {
  type ChainedTable,
  type EquitySnapshot,
  LedgerError,
  type LedgerReads,
  type LedgerRow,
  type LedgerTable,
  ledgerTables,
  type StoredAudit,
  type StoredChain,
  type StoredHour,
  type StoredMark,
  type StoredPosition,
  type StoredResult,
  type Timed,
  type Trail,
} from "../store.ts";
import { type ArchivedTable, archived, tables as archivedTables, endedOf } from "./archive.ts";
import {
  chainNumber,
  numberOf,
  oneOf,
  optional,
  type Sql,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
  textOf,
  wholeOf,
} from "./sql.ts";

/**
 * Prepares every query once. `withArchive`: an archive is attached, and reads of money return everything since the beginning; else openings
 * replace what was archived. Reads throw what the database throws, and LedgerError `malformed`.
 */
export function prepareReads(sql: Sql, { withArchive }: { readonly withArchive: boolean }): LedgerReads {
  const lastIntent = sql.prepare("SELECT coalesce(max(id), 0) AS id FROM intents");
  const lastOrderedMs = sql.prepare(
    "SELECT max(created_ms) AS ms FROM intents WHERE account = ? AND json_extract(command, '$.kind') IN ('place', 'modify')",
  );
  const open = sql.prepare("SELECT * FROM intents WHERE ended IS NULL ORDER BY id");
  const unanswered = sql.prepare(
    "SELECT * FROM intents WHERE account = ? AND created_ms >= ? AND (ended IS NULL OR ended = 'harmless') ORDER BY id",
  );
  const reserved = sql.prepare("SELECT until FROM reservations WHERE signer = ?");
  const nonces = sql.prepare("SELECT nonce FROM intents WHERE signer = ? ORDER BY id DESC LIMIT ?");
  const latches = sql.prepare("SELECT * FROM latches ORDER BY id");
  const orders = sql.prepare("SELECT * FROM orders WHERE account = ? ORDER BY id DESC LIMIT ?");
  const accounts = sql.prepare(
    `SELECT account FROM (SELECT account FROM fills UNION SELECT account FROM positions UNION SELECT account FROM funding
       UNION SELECT account FROM transfers UNION SELECT account FROM openings) ORDER BY length(account), account`,
  );
  const equity = sql.prepare("SELECT * FROM equity WHERE account = ? ORDER BY id DESC LIMIT 1");
  const results = sql.prepare("SELECT * FROM results WHERE account = ? ORDER BY id");
  const estimates = sql.prepare("SELECT * FROM estimates WHERE account = ? ORDER BY id");
  const dialect = sql.prepare("SELECT key, word FROM dialect WHERE account = ?");
  const openings = sql.prepare("SELECT * FROM openings WHERE account = ? ORDER BY id");
  const money = (table: ArchivedTable) => prepareMoney(sql, table, withArchive);
  const [fills, positions, fundings] = [money("fills"), money("positions"), money("funding")];
  const [prints, transfers] = [money("prints"), money("transfers")];
  const chain = sql.prepare("SELECT * FROM chains WHERE account = ? ORDER BY number DESC LIMIT 1");
  const marks = sql.prepare("SELECT * FROM marks WHERE account = ? ORDER BY market, day");
  const hours = sql.prepare("SELECT * FROM hours WHERE account = ? ORDER BY hour, began_ms, market");
  const rowsOf = new Map(ledgerTables.map((table) => [table, prepareTable(sql, table, withArchive)]));

  return {
    lastIntentId: () => numberOf(lastIntent.get() ?? {}, "id"),
    lastOrderedMs: (account) => optional(lastOrderedMs.get(`${account}`) ?? { ms: null }, "ms", numberOf),
    openIntents: () => open.all().map(intentOf),
    unansweredIntents: (account, sinceMs) => unanswered.all(`${account}`, Math.ceil(sinceMs)).map(intentOf),
    reservation: (signer) => whenFound(reserved.get(signer), (row) => nonce(wholeOf(row, "until"))) ?? null,
    newestNonces: (signer, count) =>
      nonces
        .all(signer, count)
        .map((row) => nonce(wholeOf(row, "nonce")))
        .reverse(),
    latchEvents: () => latches.all().map(latchOf),
    knownOrders: (account, count) => orders.all(`${account}`, count).map(orderOf).reverse(),
    chain: (account) => whenFound(chain.get(`${account}`), chainOf) ?? null,
    accounts: () => accounts.all().map((row) => accountId(wholeOf(row, "account"))),
    lastEquity: (account) => whenFound(equity.get(`${account}`), equityOf),
    results: (account) => results.all(`${account}`).map(resultOf),
    estimates: (account) => estimates.all(`${account}`).map(resultOf),
    dialect: (account) =>
      dialectIn(dialect.all(`${account}`).map((row) => ({ key: textOf(row, "key"), word: textOf(row, "word") }))),
    openings: (account) => (withArchive ? [] : mapped(openings.iterate(`${account}`), openingOf)),
    fills: (account) => mapped(fills(`${account}`), fillEventOf),
    positions: (account) => mapped(positions(`${account}`), positionOf),
    fundings: (account) => mapped(fundings(`${account}`), fundingOf),
    prints: (account) => mapped(prints(`${account}`), printOf),
    transfers: (account) => mapped(transfers(`${account}`), transferOf),
    timeline: (account) => ({
      fills: mapped(fills(`${account}`), timedBy(fillEventOf, fillMsOf)),
      positions: mapped(positions(`${account}`), timedBy(positionOf, atMsOf)),
      sums: chained<Timed<FundingEvent | PrintEvent | TransferEvent>>([
        mapped(transfers(`${account}`), timedBy(transferOf, atMsOf)),
        mapped(
          fundings(`${account}`),
          timedBy(fundingOf, (row) => numberOf(row, "at_sec") * 1000),
        ),
        mapped(prints(`${account}`), timedBy(printOf, printMsOf)),
      ]),
    }),
    marks: (account) => marks.all(`${account}`).map(markOf),
    hours: (account) => hours.all(`${account}`).map(hourOf),
    trail: prepareTrail(sql),
    lastAuditHash: prepareLastAudit(sql),
    rows: (table) => mapped(rowsOf.get(table)?.() ?? [], exportOf),
    chainRows: (table, number) => mapped(rowsOfChain(sql, table, withArchive)(number), exportOf),
  };
}

function prepareLastAudit(sql: Sql): () => string | null {
  const last = sql.prepare(
    "SELECT coalesce((SELECT hash FROM audit WHERE hash IS NOT NULL ORDER BY id DESC LIMIT 1), nullif(audit_hash, '')) AS hash FROM trimmed",
  );
  return () => optional(last.get() ?? {}, "hash", textOf);
}

function prepareTrail(sql: Sql): () => Trail {
  const latches = sql.prepare("SELECT * FROM latches ORDER BY id");
  const audit = sql.prepare("SELECT * FROM audit WHERE id > (SELECT audit_id FROM trimmed) ORDER BY id");
  const trimmed = sql.prepare("SELECT audit_hash FROM trimmed");
  const decisions = sql.prepare("SELECT account, market, at_ms, denials FROM decisions ORDER BY id");
  return () => ({
    latches: mapped(latches.iterate(), timedBy(latchOf, atMsOf)),
    audit: mapped(audit.iterate(), auditOf),
    auditBase: textOf(trimmed.get() ?? {}, "audit_hash"),
    decisions: mapped(decisions.iterate(), (row) => ({
      accountId: accountId(wholeOf(row, "account")),
      marketId: numberOf(row, "market"),
      atMs: atMsOf(row),
      denials: parseDenials(textOf(row, "denials")),
    })),
  });
}

/** Rows of ended chains, then those of accounts whose current chain has the number. */
function rowsOfChain(sql: Sql, table: ChainedTable, withArchive: boolean): (number: number) => Iterable<SqlRow> {
  const ended = endedOf(table);
  const hasEnded =
    withArchive && sql.prepare("SELECT 1 FROM archive.sqlite_master WHERE name = ?").get(ended) !== undefined;
  const names = sql
    .prepare(`SELECT name FROM pragma_table_info('${table}')`)
    .all()
    .map((row) => textOf(row, "name"));
  const isOf = (rows: string): string => `${chainNumber(`${rows}.account`)} = ?`;
  const archivedTable = archivedTables.find((name) => name === table);
  const isSplit = withArchive && archivedTable !== undefined;
  return inTurn([
    ...(hasEnded
      ? [sql.prepare(`SELECT ${names.join(",")} FROM archive.${ended} WHERE chain = ? ORDER BY rowid`)]
      : []),
    ...(isSplit ? [sql.prepare(`${fromArchive(archivedTable)} AND ${isOf("old")} ORDER BY old.rowid`)] : []),
    sql.prepare(`SELECT * FROM main.${table} WHERE ${isOf(table)} ORDER BY rowid`),
  ]);
}

type Rows = (...values: SqlValue[]) => Iterable<SqlRow>;

/** Rows of money of one account, oldest first: the archive's, except those that the ledger still has, then the ledger's. */
const prepareMoney = (sql: Sql, table: ArchivedTable, withArchive: boolean): Rows =>
  inTurn([
    ...(withArchive ? [sql.prepare(`${fromArchive(table)} AND old.account = ? ORDER BY old.rowid`)] : []),
    sql.prepare(`SELECT * FROM main.${table} WHERE account = ? ORDER BY rowid`),
  ]);

function prepareTable(sql: Sql, table: LedgerTable, withArchive: boolean): Rows {
  const archivedTable = archivedTables.find((name) => name === table);
  const isSplit = withArchive && archivedTable !== undefined;
  return inTurn([
    ...(isSplit ? [sql.prepare(`${fromArchive(archivedTable)} ORDER BY old.rowid`)] : []),
    sql.prepare(`SELECT * FROM main.${table} ORDER BY rowid`),
  ]);
}

/** A row is in both files after a crash between the copy and the fold; the ledger's may be newer. */
function fromArchive(table: ArchivedTable): string {
  const same = archived[table].map((column) => `now.${column} = old.${column}`).join(" AND ");
  return `SELECT * FROM archive.${table} AS old WHERE NOT EXISTS (SELECT 1 FROM main.${table} AS now WHERE ${same})`;
}

const inTurn = (statements: readonly SqlStatement[]): Rows =>
  function* (...values) {
    for (const statement of statements) yield* statement.iterate(...values);
  };

const whenFound = <T>(row: SqlRow | undefined, read: (row: SqlRow) => T): T | undefined =>
  row === undefined ? undefined : read(row);

function* mapped<T>(rows: Iterable<SqlRow>, read: (row: SqlRow) => T): Iterable<T> {
  for (const row of rows) yield read(row);
}

function* chained<T>(lists: readonly Iterable<T>[]): Iterable<T> {
  for (const list of lists) yield* list;
}

const timedBy =
  <Event>(read: (row: SqlRow) => Event, msOf: (row: SqlRow) => number) =>
  (row: SqlRow): Timed<Event> => ({ atMs: msOf(row), event: read(row) });

const atMsOf = (row: SqlRow): number => numberOf(row, "at_ms");
const fillMsOf = (row: SqlRow): number => optional(row, "timestamp_ms", numberOf) ?? numberOf(row, "received_ms");
/** Earlier versions wrote only the print's validity, and their archives have no such column. */
const printMsOf = (row: SqlRow): number =>
  typeof row.at_ms === "number" ? row.at_ms : numberOf(row, "valid_until_sec") * 1000;

const intentOf = (row: SqlRow): StoredIntent => ({
  id: numberOf(row, "id"),
  accountId: accountId(wholeOf(row, "account")),
  signer: textOf(row, "signer"),
  nonce: nonce(wholeOf(row, "nonce")),
  command: parseCommand(textOf(row, "command")),
  bytesHash: textOf(row, "bytes_hash"),
  timestampSec: numberOf(row, "timestamp_sec"),
  createdMs: numberOf(row, "created_ms"),
});

const fillOf = (row: SqlRow): Fill => ({
  accountId: accountId(wholeOf(row, "account")),
  marketId: numberOf(row, "market"),
  orderId: orderId(wholeOf(row, "order_id")),
  side: textOf(row, "side") as Side,
  liquidity: textOf(row, "liquidity") as Liquidity,
  price: priceOf(row, "price"),
  size: size(wholeOf(row, "size")),
  fee: amountOrNull(row, "fee"),
  realizedPnl: amountOrNull(row, "realized_pnl"),
  txHash: textOf(row, "tx_hash"),
  timestampMs: optional(row, "timestamp_ms", numberOf),
  key: textOf(row, "key"),
});

export const fillEventOf = (row: SqlRow): FillEvent => ({
  kind: "fill",
  fill: fillOf(row),
  referencePrice: optional(row, "reference_price", priceOf),
  readsBefore: numberOf(row, "reads_before"),
  money: fillMoneys[numberOf(row, "covered")] ?? "own",
});

export const positionOf = (row: SqlRow): StoredPosition => ({
  position: {
    kind: "position",
    marketId: numberOf(row, "market"),
    number: numberOf(row, "number"),
    inventory: size(wholeOf(row, "inventory")),
    entryPrice: priceOf(row, "entry_price"),
    oraclePrice: priceOf(row, "oracle_price"),
    isAdopted: numberOf(row, "adopted") === 1,
  },
  isAccepted: numberOf(row, "accepted") === 1,
});

export const fundingOf = (row: SqlRow): FundingEvent => ({
  kind: "funding",
  marketId: numberOf(row, "market"),
  atSec: numberOf(row, "at_sec"),
  amount: amountOf(row, "amount"),
});

export const printOf = (row: SqlRow): PrintEvent => ({
  kind: "print",
  marketId: numberOf(row, "market"),
  validUntilSec: numberOf(row, "valid_until_sec"),
  amount: amountOf(row, "amount"),
});

/** Earlier versions used other names for a transfer, and booked some in a market. */
export const transferOf = (row: SqlRow): TransferEvent => ({
  kind: "transfer",
  key: textOf(row, "key"),
  reason: transferReasons.find((reason) => reason === row.reason) ?? "transfer",
  marketId: row.reason === "fills" ? optional(row, "market", numberOf) : null,
  amount: amountOf(row, "amount"),
  fillKeys: [],
});

/** Throws LedgerError `malformed` if it is not as it was written, because every digit is money. */
export function openingOf(row: SqlRow): Opening {
  const state = textOf(row, "state");
  if (sha256Hex(state) !== textOf(row, "sha256"))
    throw new LedgerError("malformed", "the ledger holds an opening balance that is not what was written");
  return { marketId: optional<MarketId>(row, "market", numberOf), state, accepted: numberOf(row, "accepted") };
}

function latchOf(row: SqlRow): LatchEvent {
  const where = {
    accountId: accountId(wholeOf(row, "account")),
    marketId: optional<MarketId>(row, "market", numberOf),
    reason: textOf(row, "reason"),
  };
  if (textOf(row, "event") === "lifted")
    return { kind: "lifted", ...where, latch: optional(row, "kind", (of) => oneOf(liftables, of, "kind")) };
  const numbers = parseFacts(textOf(row, "numbers"));
  const kind = oneOf(latchKinds, row, "kind");
  return { kind: "tripped", latch: { ...where, kind, holds: oneOf(latchHolds, row, "holds"), numbers } };
}

const auditOf = (row: SqlRow): StoredAudit => ({
  atMs: atMsOf(row),
  call: textOf(row, "call"),
  caller: textOf(row, "caller"),
  isAuthorized: numberOf(row, "authorized") === 1,
  reason: optional(row, "reason", textOf),
  body: optional(row, "body", textOf),
  status: numberOf(row, "status"),
  hash: optional(row, "hash", textOf),
});

const orderOf = (row: SqlRow): StoredOrder => ({
  accountId: accountId(wholeOf(row, "account")),
  orderId: orderId(wholeOf(row, "order_id")),
  marketId: numberOf(row, "market"),
  side: textOf(row, "side") as Side,
  price: optional(row, "price", priceOf),
  size: optional(row, "size", (of, column) => size(wholeOf(of, column))),
  isOver: numberOf(row, "over") === 1,
});

const markOf = (row: SqlRow): StoredMark => ({
  accountId: accountId(wholeOf(row, "account")),
  marketId: numberOf(row, "market"),
  day: numberOf(row, "day"),
  name: textOf(row, "name"),
  print: priceOf(row, "print"),
  mid: priceOf(row, "mid"),
  atMs: numberOf(row, "at_ms"),
});

function hourOf(row: SqlRow): StoredHour {
  const [print, mid] = [optional(row, "print", priceOf), optional(row, "mid", priceOf)];
  return {
    accountId: accountId(wholeOf(row, "account")),
    marketId: numberOf(row, "market"),
    hour: numberOf(row, "hour"),
    beganMs: numberOf(row, "began_ms"),
    prices: print === null || mid === null ? null : { print, mid },
    state: textOf(row, "state"),
    atMs: numberOf(row, "at_ms"),
  };
}

const chainOf = (row: SqlRow): StoredChain => ({
  number: numberOf(row, "number"),
  createdAtMs: numberOf(row, "account_created_ms"),
  lifetimeVolume: amountOf(row, "lifetime_volume"),
});

const equityOf = (row: SqlRow): EquitySnapshot => ({
  accountId: accountId(wholeOf(row, "account")),
  atMs: numberOf(row, "at_ms"),
  collateral: amountOf(row, "collateral"),
  unrealizedPnl: amountOf(row, "unrealized_pnl"),
  unexplained: amountOrNull(row, "unexplained"),
});

const resultOf = (row: SqlRow): StoredResult => ({
  accountId: accountId(wholeOf(row, "account")),
  marketId: optional<MarketId>(row, "market", numberOf),
  state: textOf(row, "state"),
  atMs: numberOf(row, "at_ms"),
});

const priceOf = (row: SqlRow, column: string) => price(wholeOf(row, column));
const amountOf = (row: SqlRow, column: string) => usdc(wholeOf(row, column));
const amountOrNull = (row: SqlRow, column: string) => optional(row, column, amountOf);

const exportOf = (row: SqlRow): LedgerRow =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column, shown(value)]));

const shown = (value: SqlValue): string | null => (value === null ? null : String(value));
