// Rows of the ledger as values, and the questions asked of them.

import type { Fill, Liquidity } from "../../../domain/fill.ts";
import type { StoredIntent } from "../../../domain/intent.ts";
import { type LatchEvent, latchHolds, latchKinds, liftables } from "../../../domain/latch.ts";
import type { KnownOrder } from "../../../domain/order.ts";
import { accountId, type MarketId, nonce, orderId, price, type Side, size, usdc } from "../../../domain/units.ts";
import type { FundingEvent, PrintEvent, TransferEvent } from "../../accounting/account-book.ts";
import { type FillEvent, fillMoneys } from "../../accounting/market-book.ts";
import { parseCommand, parseFacts } from "../command-text.ts";
import {
  type EquitySnapshot,
  type LedgerReads,
  type LedgerRow,
  ledgerTables,
  type StoredPosition,
  type StoredResult,
} from "../store.ts";
import { numberOf, oneOf, optional, type Sql, type SqlRow, type SqlValue, textOf, wholeOf } from "./sql.ts";

/** Prepares every question once. Reads throw what the database throws, and LedgerError `malformed`. */
export function prepareReads(sql: Sql): LedgerReads {
  const lastIntent = sql.prepare("SELECT coalesce(max(id), 0) AS id FROM intents");
  const open = sql.prepare("SELECT * FROM intents WHERE ended IS NULL ORDER BY id");
  const unanswered = sql.prepare(
    "SELECT * FROM intents WHERE account = ? AND created_ms >= ? AND (ended IS NULL OR ended = 'harmless') ORDER BY id",
  );
  const reserved = sql.prepare("SELECT until FROM reservations WHERE signer = ?");
  const latches = sql.prepare("SELECT * FROM latches ORDER BY id");
  const orders = sql.prepare("SELECT * FROM orders WHERE account = ? ORDER BY id DESC LIMIT ?");
  const accounts = sql.prepare(
    `SELECT account FROM (SELECT account FROM fills UNION SELECT account FROM positions UNION SELECT account FROM funding
       UNION SELECT account FROM transfers) ORDER BY length(account), account`,
  );
  const equity = sql.prepare("SELECT * FROM equity WHERE account = ? ORDER BY id DESC LIMIT 1");
  const results = sql.prepare("SELECT * FROM results WHERE account = ? ORDER BY id");
  const fills = sql.prepare("SELECT * FROM fills WHERE account = ? ORDER BY rowid");
  const positions = sql.prepare("SELECT * FROM positions WHERE account = ? ORDER BY rowid");
  const fundings = sql.prepare("SELECT * FROM funding WHERE account = ? ORDER BY rowid");
  const prints = sql.prepare("SELECT * FROM prints WHERE account = ? ORDER BY rowid");
  const transfers = sql.prepare("SELECT * FROM transfers WHERE account = ? ORDER BY rowid");
  const tables = new Map(ledgerTables.map((table) => [table, sql.prepare(`SELECT * FROM ${table} ORDER BY rowid`)]));

  return {
    lastIntentId: () => numberOf(lastIntent.get() ?? {}, "id"),
    openIntents: () => open.all().map(intentOf),
    unansweredIntents: (account, sinceMs) => unanswered.all(`${account}`, Math.ceil(sinceMs)).map(intentOf),
    reservation(signer) {
      const row = reserved.get(signer);
      return row === undefined ? null : nonce(wholeOf(row, "until"));
    },
    latchEvents: () => latches.all().map(latchOf),
    knownOrders: (account, count) => orders.all(`${account}`, count).map(orderOf).reverse(),
    accounts: () => accounts.all().map((row) => accountId(wholeOf(row, "account"))),
    lastEquity: (account) => whenFound(equity.get(`${account}`), equityOf),
    results: (account) => results.all(`${account}`).map(resultOf),
    fills: (account) => mapped(fills.iterate(`${account}`), fillEventOf),
    positions: (account) => mapped(positions.iterate(`${account}`), positionOf),
    fundings: (account) => mapped(fundings.iterate(`${account}`), fundingOf),
    prints: (account) => mapped(prints.iterate(`${account}`), printOf),
    transfers: (account) => mapped(transfers.iterate(`${account}`), transferOf),
    rows: (table) => mapped(tables.get(table)?.iterate() ?? [], exportOf),
  };
}

const whenFound = <T>(row: SqlRow | undefined, read: (row: SqlRow) => T): T | undefined =>
  row === undefined ? undefined : read(row);

function* mapped<T>(rows: Iterable<SqlRow>, read: (row: SqlRow) => T): Iterable<T> {
  for (const row of rows) yield read(row);
}

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

const fillEventOf = (row: SqlRow): FillEvent => ({
  kind: "fill",
  fill: fillOf(row),
  referencePrice: optional(row, "reference_price", priceOf),
  readsBefore: numberOf(row, "reads_before"),
  money: fillMoneys[numberOf(row, "covered")] ?? "own",
});

const positionOf = (row: SqlRow): StoredPosition => ({
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

const fundingOf = (row: SqlRow): FundingEvent => ({
  kind: "funding",
  marketId: numberOf(row, "market"),
  atSec: numberOf(row, "at_sec"),
  amount: amountOf(row, "amount"),
});

const printOf = (row: SqlRow): PrintEvent => ({
  kind: "print",
  marketId: numberOf(row, "market"),
  validUntilSec: numberOf(row, "valid_until_sec"),
  amount: amountOf(row, "amount"),
});

const transferOf = (row: SqlRow): TransferEvent => ({
  kind: "transfer",
  key: textOf(row, "key"),
  reason: textOf(row, "reason") as TransferEvent["reason"],
  marketId: optional(row, "market", numberOf),
  amount: amountOf(row, "amount"),
  fillKeys: [],
});

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

const orderOf = (row: SqlRow): KnownOrder => ({
  accountId: accountId(wholeOf(row, "account")),
  orderId: orderId(wholeOf(row, "order_id")),
  marketId: numberOf(row, "market"),
  side: textOf(row, "side") as Side,
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
