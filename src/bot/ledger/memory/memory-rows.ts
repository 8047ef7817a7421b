// The ledger's rows as plain maps: the same tables as the SQL ones, for simulation. Applying a record twice leaves one, as there.

import type { Fill } from "../../../domain/fill.ts";
import type { Ending, SettlingStep, StoredIntent } from "../../../domain/intent.ts";
import type { LatchEvent } from "../../../domain/latch.ts";
import type { KnownOrder } from "../../../domain/order.ts";
import { type AccountId, accountId, type Nonce } from "../../../domain/units.ts";
import { commandText } from "../command-text.ts";
import {
  type Decision,
  type FundingPayment,
  type LedgerReads,
  type LedgerRecord,
  type LedgerRow,
  type LedgerTable,
  noTotals,
  type Retention,
  type StoredEquity,
  type StoredResult,
  type Totals,
  type Transfer,
} from "../store.ts";

export type Rows = {
  readonly intents: Map<number, { readonly intent: StoredIntent; readonly ending: Ending | null }>;
  readonly settling: SettlingStep[];
  readonly fills: Map<string, { readonly fill: Fill; readonly receivedMs: number; readonly covered: boolean }>;
  readonly funding: Map<string, FundingPayment>;
  readonly transfers: Map<string, Transfer>;
  readonly totals: Map<AccountId, Totals>;
  readonly equity: StoredEquity[];
  readonly results: Map<string, StoredResult>;
  readonly reservations: Map<string, Nonce>;
  readonly latches: { readonly event: LatchEvent; readonly atMs: number }[];
  readonly orders: Map<string, KnownOrder>;
  readonly decisions: Decision[];
};

export const noRows = (): Rows => ({
  intents: new Map(),
  settling: [],
  fills: new Map(),
  funding: new Map(),
  transfers: new Map(),
  totals: new Map(),
  equity: [],
  results: new Map(),
  reservations: new Map(),
  latches: [],
  orders: new Map(),
  decisions: [],
});

/** A copy whose tables may change without changing these; the rows themselves never change. */
export const copyRows = (rows: Rows): Rows => ({
  intents: new Map(rows.intents),
  settling: [...rows.settling],
  fills: new Map(rows.fills),
  funding: new Map(rows.funding),
  transfers: new Map(rows.transfers),
  totals: new Map(rows.totals),
  equity: [...rows.equity],
  results: new Map(rows.results),
  reservations: new Map(rows.reservations),
  latches: [...rows.latches],
  orders: new Map(rows.orders),
  decisions: [...rows.decisions],
});

const fillKey = (account: AccountId, key: string): string => `${account} ${key}`;
const fundingKey = (account: AccountId, market: number, atSec: number): string => `${account} ${market} ${atSec}`;

export function applyTo(rows: Rows, record: LedgerRecord): void {
  switch (record.kind) {
    case "intent":
      rows.intents.set(record.intent.id, { intent: record.intent, ending: null });
      break;
    case "ending": {
      const row = rows.intents.get(record.ending.intentId);
      if (row !== undefined) rows.intents.set(record.ending.intentId, { ...row, ending: record.ending });
      break;
    }
    case "settling":
      rows.settling.push(record.step);
      break;
    case "fill":
      applyFill(rows, record.fill, record.receivedMs);
      break;
    case "funding": {
      const { accountId: account, marketId, atSec } = record.payment;
      addOnce(rows.funding, fundingKey(account, marketId, atSec), record.payment);
      break;
    }
    case "transfer":
      applyTransfer(rows, record.transfer);
      break;
    case "equity":
      rows.equity.push(record.snapshot);
      break;
    case "result":
      rows.results.set(`${record.result.accountId} ${record.result.marketId}`, record.result);
      break;
    case "totals":
      rows.totals.set(record.accountId, record.totals);
      break;
    case "reservation": {
      const before = rows.reservations.get(record.signer) ?? 0n;
      if (record.until > before) rows.reservations.set(record.signer, record.until);
      break;
    }
    case "latch":
      rows.latches.push({ event: record.event, atMs: record.atMs });
      break;
    case "order":
      addOnce(rows.orders, fillKey(record.order.accountId, `${record.order.orderId}`), record.order);
      break;
    case "decision":
      rows.decisions.push(record.decision);
      break;
  }
}

function applyFill(rows: Rows, fill: Fill, receivedMs: number): void {
  const key = fillKey(fill.accountId, fill.key);
  const before = rows.fills.get(key);
  if (before === undefined) rows.fills.set(key, { fill, receivedMs, covered: false });
  else {
    const { fee, realizedPnl, timestampMs } = before.fill;
    const merged: Fill = {
      ...before.fill,
      fee: fill.fee ?? fee,
      realizedPnl: fill.realizedPnl ?? realizedPnl,
      timestampMs: fill.timestampMs ?? timestampMs,
    };
    rows.fills.set(key, { ...before, fill: merged });
  }
}

function applyTransfer(rows: Rows, { covers = [], ...transfer }: Transfer): void {
  const { accountId: account, key } = transfer;
  for (const covered of covers) {
    const row = rows.fills.get(fillKey(account, covered));
    if (row !== undefined) rows.fills.set(fillKey(account, covered), { ...row, covered: true });
  }
  addOnce(rows.transfers, fillKey(account, key), transfer);
}

function addOnce<T>(table: Map<string, T>, key: string, row: T): void {
  if (!table.has(key)) table.set(key, row);
}

export function rotate(rows: Rows, retention: Retention): void {
  rows.decisions.splice(0, Math.max(0, rows.decisions.length - retention.decisions));
  rows.equity.splice(0, Math.max(0, rows.equity.length - retention.snapshots));
  let spare = rows.orders.size - retention.orders;
  for (const key of rows.orders.keys()) {
    if (spare <= 0) break;
    rows.orders.delete(key);
    spare -= 1;
  }
  const newestId = lastId(rows);
  for (const [id, { ending }] of rows.intents) {
    if (id > newestId - retention.intents) break;
    if (ending !== null) rows.intents.delete(id);
  }
}

const lastId = (rows: Rows): number => [...rows.intents.keys()].at(-1) ?? 0;

/** `rows` is asked each time, so that a crash may exchange them. */
export function readsOf(rows: () => Rows): LedgerReads {
  return {
    lastIntentId: () => lastId(rows()),
    openIntents: () => [...rows().intents.values()].filter((row) => row.ending === null).map((row) => row.intent),
    unansweredIntents: (account, sinceMs) =>
      [...rows().intents.values()]
        .filter(({ intent, ending }) => intent.createdMs >= sinceMs && (ending === null || ending.end === "harmless"))
        .map(({ intent }) => intent)
        .filter(ofAccount(account)),
    reservation: (signer) => rows().reservations.get(signer) ?? null,
    fill: (account, key) => rows().fills.get(fillKey(account, key))?.fill,
    isCovered: (account, key) => rows().fills.get(fillKey(account, key))?.covered ?? false,
    hasFunding: (account, market, atSec) => rows().funding.has(fundingKey(account, market, atSec)),
    hasTransfer: (account, key) => rows().transfers.has(fillKey(account, key)),
    totals: (account) => rows().totals.get(account) ?? noTotals,
    latchEvents: () => rows().latches.map((row) => row.event),
    knownOrders: (account, count) => newest([...rows().orders.values()].filter(ofAccount(account)), count),
    fillKeys: (account, count) => newest(fillsOf(rows(), account), count).map(({ key }) => key),
    accounts: () => [...rows().totals.keys()].sort((a, b) => (a < b ? -1 : 1)).map(accountId),
    lastEquity: (account) => rows().equity.findLast((row) => row.accountId === account),
    results: (account) => [...rows().results.values()].filter(ofAccount(account)),
    fills: (account) =>
      [...rows().fills.values()].map(({ fill, covered }) => ({ ...fill, covered })).filter(ofAccount(account)),
    fundings: (account) => [...rows().funding.values()].filter(ofAccount(account)),
    transfers: (account) => [...rows().transfers.values()].filter(ofAccount(account)),
    rows: (table) => tableOf(rows(), table).map(shown),
  };
}

const fillsOf = (rows: Rows, account: AccountId): readonly Fill[] =>
  [...rows.fills.values()].map((row) => row.fill).filter(ofAccount(account));
const newest = <T>(rows: readonly T[], count: number): readonly T[] => (count === 0 ? [] : rows.slice(-count));
const ofAccount = (account: AccountId) => (row: { readonly accountId: AccountId }) => row.accountId === account;

function tableOf(rows: Rows, table: LedgerTable): readonly object[] {
  switch (table) {
    case "intents":
      return [...rows.intents.values()].map(({ intent, ending }) => ({ ...intent, ...ending }));
    case "fills":
      return [...rows.fills.values()].map(({ fill, ...rest }) => ({ ...fill, ...rest }));
    case "funding":
    case "transfers":
    case "orders":
    case "results":
      return [...rows[table].values()];
    default:
      return rows[table];
  }
}

const shown = (row: object): LedgerRow =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (value === null || value === undefined) return [column, null];
      return [column, typeof value === "object" ? commandText(value) : String(value)];
    }),
  );
