// The ledger's rows as maps, for simulation: the same tables as in SQL. Applying a record twice leaves one row, as in SQL.

import { dialectIn } from "../../../domain/dialect.ts";
import type { Ending, ResolutionStep, StoredIntent } from "../../../domain/intent.ts";
import type { LatchEvent } from "../../../domain/latch.ts";
import type { StoredOrder } from "../../../domain/order.ts";
import type { AccountId, Nonce } from "../../../domain/units.ts";
import { type FillEvent, mergeFills } from "../../accounting/market-book.ts";
import type { Opening } from "../../accounting/opening.ts";
import { commandText } from "../command-text.ts";
import type {
  ChainedTable,
  ChainMark,
  Decision,
  EquitySnapshot,
  LedgerReads,
  LedgerRecord,
  LedgerRow,
  LedgerTable,
  Retention,
  StoredAudit,
  StoredEstimates,
  StoredHour,
  StoredMark,
  StoredResult,
  StoredWord,
  Timeline,
} from "../store.ts";

/** Rows of money, whose old ones go to the archive. */
export type Money = {
  readonly fills: Map<string, { readonly event: FillEvent; readonly receivedMs: number }>;
  readonly positions: Map<string, Extract<LedgerRecord, { kind: "position" }> & { readonly isAccepted: boolean }>;
  readonly funding: Map<string, Extract<LedgerRecord, { kind: "funding" }>>;
  readonly prints: Map<string, Extract<LedgerRecord, { kind: "print" }>>;
  readonly transfers: Map<string, Extract<LedgerRecord, { kind: "transfer" }>>;
};

export type Rows = Money & {
  readonly archive: Money;
  readonly openings: Map<string, { readonly accountId: AccountId; readonly opening: Opening }>;
  readonly intents: Map<number, { readonly intent: StoredIntent; readonly ending: Ending | null }>;
  readonly settling: ResolutionStep[];
  readonly marks: Map<string, StoredMark>;
  readonly hours: Map<string, StoredHour>;
  readonly equity: EquitySnapshot[];
  readonly results: Map<string, StoredResult>;
  readonly estimates: Map<string, StoredEstimates>;
  readonly dialect: Map<string, StoredWord>;
  readonly reservations: Map<string, Nonce>;
  readonly latches: { readonly event: LatchEvent; readonly atMs: number }[];
  readonly orders: Map<string, StoredOrder>;
  readonly decisions: Decision[];
  readonly audit: StoredAudit[];
  /** Hash of the newest deleted audit row; "" if there is none. */
  readonly trimmed: { auditHash: string };
  /** By account: the chain to which its rows belong. */
  readonly chains: Map<AccountId, Chain>;
  /** Rows of ended chains, one account each. */
  readonly ended: { readonly number: number; readonly rows: Rows }[];
};

type Chain = { readonly number: number; readonly mark: ChainMark; readonly beganMs: number };

const noMoney = (): Money => ({
  fills: new Map(),
  positions: new Map(),
  funding: new Map(),
  prints: new Map(),
  transfers: new Map(),
});

export const noRows = (): Rows => ({
  ...noMoney(),
  archive: noMoney(),
  openings: new Map(),
  intents: new Map(),
  settling: [],
  marks: new Map(),
  hours: new Map(),
  equity: [],
  results: new Map(),
  estimates: new Map(),
  dialect: new Map(),
  reservations: new Map(),
  latches: [],
  orders: new Map(),
  decisions: [],
  audit: [],
  trimmed: { auditHash: "" },
  chains: new Map(),
  ended: [],
});

/** A copy whose tables can change independently; the rows themselves never change. */
export const copyRows = (rows: Rows): Rows => ({
  ...copyMoney(rows),
  archive: copyMoney(rows.archive),
  openings: new Map(rows.openings),
  intents: new Map(rows.intents),
  settling: [...rows.settling],
  marks: new Map(rows.marks),
  hours: new Map(rows.hours),
  equity: [...rows.equity],
  results: new Map(rows.results),
  estimates: new Map(rows.estimates),
  dialect: new Map(rows.dialect),
  reservations: new Map(rows.reservations),
  latches: [...rows.latches],
  orders: new Map(rows.orders),
  decisions: [...rows.decisions],
  audit: [...rows.audit],
  trimmed: { ...rows.trimmed },
  chains: new Map(rows.chains),
  ended: [...rows.ended],
});

const copyMoney = (rows: Money): Money => ({
  fills: new Map(rows.fills),
  positions: new Map(rows.positions),
  funding: new Map(rows.funding),
  prints: new Map(rows.prints),
  transfers: new Map(rows.transfers),
});

const fillKey = (account: AccountId, key: string): string => `${account} ${key}`;
const placeKey = (account: AccountId, market: number, at: number): string => `${account} ${market} ${at}`;

export function applyTo(rows: Rows, record: LedgerRecord): void {
  switch (record.kind) {
    case "intent":
      rows.intents.set(record.intent.id, { intent: record.intent, ending: null });
      break;
    case "ending":
      endIntent(rows, record.ending);
      break;
    case "resolution":
      rows.settling.push(record.step);
      break;
    case "fill":
      applyFill(rows, record);
      break;
    case "position":
      addPosition(rows, record);
      break;
    case "accepted":
      acceptPosition(rows, record);
      break;
    case "funding":
      addOnce(rows.funding, placeKey(record.accountId, record.event.marketId, record.event.atSec), record);
      break;
    case "print":
      addOnce(rows.prints, placeKey(record.accountId, record.event.marketId, record.event.validUntilSec), record);
      break;
    case "transfer":
      applyTransfer(rows, record);
      break;
    case "mark":
      rows.marks.set(placeKey(record.mark.accountId, record.mark.marketId, record.mark.day), record.mark);
      break;
    case "hour":
      setHour(rows, record.hour);
      break;
    case "equity":
      rows.equity.push(record.snapshot);
      break;
    case "result":
      rows.results.set(`${record.result.accountId} ${record.result.marketId}`, record.result);
      break;
    case "estimates":
      rows.estimates.set(`${record.estimates.accountId} ${record.estimates.marketId}`, record.estimates);
      break;
    case "dialect":
      rows.dialect.set(`${record.learned.accountId} ${record.learned.key}`, record.learned);
      break;
    case "chain":
      keepChain(rows, record);
      break;
    case "chainBegan":
      beginChain(rows, record);
      break;
    case "reservation":
      rows.reservations.set(record.signer, record.until);
      break;
    case "latch":
      rows.latches.push({ event: record.event, atMs: record.atMs });
      break;
    case "order":
      applyOrder(rows, record.order);
      break;
    case "foreignOrder":
      rows.orders.delete(fillKey(record.accountId, `${record.orderId}`));
      break;
    case "decision":
      rows.decisions.push(record.decision);
      break;
    case "audit":
      rows.audit.push({ hash: null, ...record.entry });
      break;
  }
}

function addPosition(rows: Rows, record: Extract<LedgerRecord, { kind: "position" }>): void {
  const { marketId, number } = record.event;
  addOnce(rows.positions, placeKey(record.accountId, marketId, number), { ...record, isAccepted: false });
}

function setHour(rows: Rows, hour: StoredHour): void {
  rows.hours.set(`${placeKey(hour.accountId, hour.marketId, hour.hour)} ${hour.beganMs}`, hour);
}

function acceptPosition(rows: Rows, { accountId, event }: Extract<LedgerRecord, { kind: "accepted" }>): void {
  const place = `${accountId} ${event.marketId}`;
  const stored = rows.openings.get(place);
  if (stored !== undefined) {
    const accepted = Math.max(stored.opening.accepted, event.number);
    rows.openings.set(place, { ...stored, opening: { ...stored.opening, accepted } });
  }
  const key = placeKey(accountId, event.marketId, event.number);
  const row = rows.positions.get(key);
  if (row !== undefined) rows.positions.set(key, { ...row, isAccepted: true });
}

function endIntent(rows: Rows, ending: Ending): void {
  const row = rows.intents.get(ending.intentId);
  if (row !== undefined) rows.intents.set(ending.intentId, { ...row, ending });
}

function keepChain(rows: Rows, { accountId, mark, atMs }: Extract<LedgerRecord, { kind: "chain" }>): void {
  const { number = 1, beganMs = atMs } = rows.chains.get(accountId) ?? {};
  rows.chains.set(accountId, { number, mark, beganMs });
}

function beginChain(rows: Rows, { accountId, mark, atMs }: Extract<LedgerRecord, { kind: "chainBegan" }>): void {
  const ended = noRows();
  const isOfIt = ofAccount(accountId);
  for (const from of [rows.archive, rows]) {
    move(from.fills, ended.fills, ({ event }) => event.fill.accountId === accountId);
    for (const table of ["positions", "funding", "prints", "transfers"] as const)
      move<{ readonly accountId: AccountId }>(from[table], ended[table], isOfIt);
  }
  move(rows.orders, ended.orders, isOfIt);
  move(rows.openings, new Map(), isOfIt);
  move(rows.marks, new Map(), isOfIt);
  move(rows.hours, new Map(), isOfIt);
  move(rows.results, new Map(), isOfIt);
  move(rows.estimates, new Map(), isOfIt);
  ended.equity.push(...rows.equity.filter(isOfIt));
  rows.equity.splice(0, rows.equity.length, ...rows.equity.filter((row) => !isOfIt(row)));
  const { number = 1 } = rows.chains.get(accountId) ?? {};
  rows.ended.push({ number, rows: ended });
  rows.chains.set(accountId, { number: number + 1, mark, beganMs: atMs });
}

function move<T>(from: Map<string, T>, to: Map<string, T>, isMoved: (row: T) => boolean): void {
  for (const [key, row] of from) {
    if (!isMoved(row)) continue;
    to.set(key, row);
    from.delete(key);
  }
}

function applyFill(rows: Rows, { event, receivedMs }: Extract<LedgerRecord, { kind: "fill" }>): void {
  const key = fillKey(event.fill.accountId, event.fill.key);
  const before = rows.fills.get(key);
  if (before === undefined) rows.fills.set(key, { event, receivedMs });
  else rows.fills.set(key, { ...before, event: mergeFills(before.event, event) });
}

function applyTransfer(rows: Rows, record: Extract<LedgerRecord, { kind: "transfer" }>): void {
  const { accountId: account, event } = record;
  for (const posted of event.fillKeys) {
    const key = fillKey(account, posted);
    const row = rows.fills.get(key);
    if (row?.event.money === "own") rows.fills.set(key, { ...row, event: { ...row.event, money: "posted" } });
  }
  addOnce(rows.transfers, fillKey(account, event.key), { ...record, event: { ...event, fillKeys: [] } });
}

function applyOrder(rows: Rows, order: StoredOrder): void {
  const key = fillKey(order.accountId, `${order.orderId}`);
  const before = rows.orders.get(key) ?? order;
  const [price, size] = [order.price ?? before.price, order.size ?? before.size];
  rows.orders.set(key, { ...before, price, size, isOver: before.isOver || order.isOver });
}

function addOnce<T>(table: Map<string, T>, key: string, row: T): void {
  if (!table.has(key)) table.set(key, row);
}

export function rotate(rows: Rows, retention: Retention): void {
  rows.decisions.splice(0, Math.max(0, rows.decisions.length - retention.decisions));
  const trimmed = rows.audit.splice(0, Math.max(0, rows.audit.length - retention.audit));
  rows.trimmed.auditHash = trimmed.at(-1)?.hash ?? rows.trimmed.auditHash;
  rows.equity.splice(0, Math.max(0, rows.equity.length - retention.snapshots));
  deleteOldest(rows.orders, retention.orders);
  deleteOldest(rows.hours, retention.hours);
  const newestId = lastId(rows);
  for (const [id, { ending }] of rows.intents) {
    if (id > newestId - retention.intents) break;
    if (ending !== null) rows.intents.delete(id);
  }
}

/** Keeps the newest `count`. */
function deleteOldest(rows: Map<string, unknown>, count: number): void {
  let spare = rows.size - count;
  for (const key of rows.keys()) {
    if (spare <= 0) break;
    rows.delete(key);
    spare -= 1;
  }
}

const lastId = (rows: Rows): number => [...rows.intents.keys()].at(-1) ?? 0;

/** All rows of money since the beginning: archived ones first, then the others, without an opening balance. */
export const wholeOf = (rows: Rows): Rows => ({
  ...rows,
  openings: new Map(),
  fills: new Map([...rows.archive.fills, ...rows.fills]),
  positions: new Map([...rows.archive.positions, ...rows.positions]),
  funding: new Map([...rows.archive.funding, ...rows.funding]),
  prints: new Map([...rows.archive.prints, ...rows.prints]),
  transfers: new Map([...rows.archive.transfers, ...rows.transfers]),
});

/** Calls `rows` each time, because a crash may replace them. */
export function readsOf(rows: () => Rows): LedgerReads {
  return {
    lastIntentId: () => lastId(rows()),
    lastOrderedMs(account) {
      const times = [...rows().intents.values()].flatMap(({ intent }) =>
        intent.accountId === account && (intent.command.kind === "place" || intent.command.kind === "modify")
          ? intent.createdMs
          : [],
      );
      return times.length === 0 ? null : Math.max(...times);
    },
    openIntents: () => [...rows().intents.values()].filter((row) => row.ending === null).map((row) => row.intent),
    unansweredIntents: (account, sinceMs) =>
      [...rows().intents.values()]
        .filter(({ intent, ending }) => intent.createdMs >= sinceMs && (ending === null || ending.end === "harmless"))
        .map(({ intent }) => intent)
        .filter(ofAccount(account)),
    reservation: (signer) => rows().reservations.get(signer) ?? null,
    newestNonces: (signer, count) =>
      newest(
        [...rows().intents.values()].map(({ intent }) => intent).filter((intent) => intent.signer === signer),
        count,
      ).map(({ nonce }) => nonce),
    latchEvents: () => rows().latches.map((row) => row.event),
    knownOrders: (account, count) => newest([...rows().orders.values()].filter(ofAccount(account)), count),
    chain(account) {
      const chain = rows().chains.get(account);
      return chain === undefined ? null : { number: chain.number, ...chain.mark };
    },
    accounts: () => accountsIn(rows()),
    lastEquity: (account) => rows().equity.findLast((row) => row.accountId === account),
    results: (account) => [...rows().results.values()].filter(ofAccount(account)),
    estimates: (account) => [...rows().estimates.values()].filter(ofAccount(account)),
    dialect: (account) => dialectIn([...rows().dialect.values()].filter(ofAccount(account))),
    openings: (account) => [...rows().openings.values()].filter(ofAccount(account)).map(({ opening }) => opening),
    fills: (account) =>
      [...rows().fills.values()].map(({ event }) => event).filter(({ fill }) => fill.accountId === account),
    positions: (account) =>
      [...rows().positions.values()]
        .filter(ofAccount(account))
        .map(({ event, isAccepted }) => ({ position: event, isAccepted })),
    fundings: (account) => [...rows().funding.values()].filter(ofAccount(account)).map(({ event }) => event),
    prints: (account) => [...rows().prints.values()].filter(ofAccount(account)).map(({ event }) => event),
    transfers: (account) => [...rows().transfers.values()].filter(ofAccount(account)).map(({ event }) => event),
    timeline: (account) => timelineOf(rows(), account),
    marks: (account) =>
      [...rows().marks.values()].filter(ofAccount(account)).sort((a, b) => a.marketId - b.marketId || a.day - b.day),
    hours: (account) =>
      [...rows().hours.values()]
        .filter(ofAccount(account))
        .sort((a, b) => a.hour - b.hour || a.beganMs - b.beganMs || a.marketId - b.marketId),
    trail: () => ({
      latches: [...rows().latches],
      audit: [...rows().audit],
      auditBase: rows().trimmed.auditHash,
      decisions: [...rows().decisions],
    }),
    lastAuditHash: () => rows().audit.findLast(({ hash }) => hash !== null)?.hash ?? (rows().trimmed.auditHash || null),
    rows: (table) => tableOf(rows(), table).map(shown),
    chainRows: (table, number) => chainRows(rows(), table, number).map(shown),
  };
}

function chainRows(rows: Rows, table: ChainedTable, number: number): readonly object[] {
  const ended = rows.ended.filter((chain) => chain.number === number);
  const isOfIt = (row: object): boolean => {
    const { accountId } = row as { readonly accountId: AccountId };
    return (rows.chains.get(accountId)?.number ?? 1) === number;
  };
  return [...ended.flatMap((chain) => tableOf(chain.rows, table)), ...tableOf(rows, table).filter(isOfIt)];
}

function timelineOf({ fills, positions, transfers, funding, prints }: Rows, account: AccountId): Timeline {
  const isOurs = ofAccount(account);
  return {
    fills: [...fills.values()]
      .filter(({ event }) => event.fill.accountId === account)
      .map(({ event, receivedMs }) => ({ atMs: event.fill.timestampMs ?? receivedMs, event })),
    positions: [...positions.values()]
      .filter(isOurs)
      .map(({ atMs, event, isAccepted }) => ({ atMs, event: { position: event, isAccepted } })),
    sums: [
      ...[...transfers.values()].filter(isOurs),
      ...[...funding.values()].filter(isOurs).map(({ event }) => ({ atMs: event.atSec * 1000, event })),
      ...[...prints.values()].filter(isOurs),
    ].map(({ atMs, event }) => ({ atMs, event })),
  };
}

function accountsIn({ fills, positions, funding, transfers, openings }: Rows): readonly AccountId[] {
  const accounts = new Set<AccountId>();
  for (const { event } of fills.values()) accounts.add(event.fill.accountId);
  for (const table of [positions, funding, transfers, openings])
    for (const row of table.values()) accounts.add(row.accountId);
  return [...accounts].sort((a, b) => (a < b ? -1 : 1));
}

const newest = <T>(rows: readonly T[], count: number): readonly T[] => (count === 0 ? [] : rows.slice(-count));
const ofAccount = (account: AccountId) => (row: { readonly accountId: AccountId }) => row.accountId === account;

function tableOf(rows: Rows, table: LedgerTable): readonly object[] {
  switch (table) {
    case "intents":
      return [...rows.intents.values()].map(({ intent, ending }) => ({ ...intent, ...ending }));
    case "fills":
      return [...rows.fills.values()].map(({ event: { fill, ...event }, receivedMs }) => ({
        ...fill,
        ...event,
        receivedMs,
      }));
    case "positions":
    case "funding":
    case "prints":
    case "transfers":
      return [...rows[table].values()].map(({ event, ...record }) => ({ ...record, ...event }));
    case "openings":
      return [...rows.openings.values()].map(({ accountId, opening }) => ({ accountId, ...opening }));
    case "orders":
    case "marks":
    case "hours":
    case "results":
    case "estimates":
    case "dialect":
      return [...rows[table].values()];
    case "chains":
      return [...rows.chains].map(([accountId, { number, mark, beganMs }]) => ({
        accountId,
        number,
        ...mark,
        beganMs,
      }));
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
