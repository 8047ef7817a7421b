// The four sentences an operator must be able to believe, judged after the last daemon of a scene has stopped, from the ledger's
// file and the exchange's record: nothing rests, no fill lost or doubled, the money adds up, no nonce used for two bodies.

import { join } from "node:path";
import { collateralOf } from "../../src/bot/accounting/totals.ts";
import { bookOf } from "../../src/bot/ledger/rebuild.ts";
import { readSqlite } from "../../src/bot/ledger/sqlite/sqlite.ts";
import type { LedgerReads, LedgerRow } from "../../src/bot/ledger/store.ts";
import { verifyLedger } from "../../src/bot/ledger/verify.ts";
import type { Fill } from "../../src/domain/fill.ts";
import { stringifyQuoted } from "../../src/kernel/json.ts";
import type { Scene } from "./daemon.ts";
import { ACCOUNT, type ExchangeRecord, exchangeRecord } from "./exchange-record.ts";

export type Judgment = {
  /** In words; empty when all is well. */
  readonly faults: readonly string[];
  readonly fillCount: number;
  /** Fills that no ledger can have: see `unnamedFills`. */
  readonly unnamedCount: number;
  readonly intentCount: number;
};

/** Reads both sides once the daemon has ended. */
export async function judge(scene: Scene): Promise<Judgment> {
  const record = await exchangeRecord(scene);
  const engine = readSqlite(join(scene.folder, "var/quoin.sqlite"));
  try {
    const booked = Array.from(engine.read.fills(ACCOUNT), ({ fill }) => fill);
    const intents = [...engine.read.rows("intents")];
    const unnamed = unnamedFills(record, booked, intents);
    const verdict = verifyLedger(engine);
    const faults = [
      ...verdict.faults,
      ...record.account.openOrders.map(
        ({ orderId, side, price }) => `order ${orderId} still rests: ${side} at ${price}`,
      ),
      ...fillFaults(record, booked, unnamed),
      ...moneyFaults(record, engine.read),
      ...nonceFaults(intents),
      ...orderFaults(record, intents),
      ...latchFaults(engine.read),
    ];
    return {
      faults,
      fillCount: record.fills.length,
      unnamedCount: unnamed.size,
      intentCount: intents.length,
    };
  } finally {
    engine.close();
  }
}

/**
 * Fills that the ledger lacks and may lack: the bot was killed before it learned the id of the order, and nothing names it any longer: its
 * position was adopted (docs/simulation.md, S3). Each such order is one that the journal calls landed, and fills it at most.
 */
function unnamedFills(
  record: ExchangeRecord,
  booked: readonly Fill[],
  intents: readonly LedgerRow[],
): ReadonlySet<Fill> {
  const here = new Set(booked.map(({ key }) => key));
  const places = intents
    .filter(({ ended }) => ended === "landed")
    .map(({ command }) => JSON.parse(command ?? "{}") as { side: string; price: string; size: string });
  const lost = Map.groupBy(
    record.fills.filter(({ key }) => !here.has(key)),
    ({ orderId }) => orderId,
  );
  const unnamed = [...lost.values()].filter((fills) => {
    const filled = fills.reduce((sum, { size }) => sum + size, 0n);
    const at = places.findIndex(
      ({ side, price, size }) =>
        fills.every((fill) => fill.side === side && `${fill.price}` === price) && filled <= BigInt(size),
    );
    if (at !== -1) places.splice(at, 1);
    return at !== -1;
  });
  return new Set(unnamed.flat());
}

function fillFaults(record: ExchangeRecord, booked: readonly Fill[], unnamed: ReadonlySet<Fill>): readonly string[] {
  const here = new Map(booked.map((fill) => [fill.key, fill]));
  const there = new Map(record.fills.map((fill) => [fill.key, fill]));
  const inventory = [...booked, ...unnamed].reduce((sum, { side, size }) => sum + (side === "buy" ? size : -size), 0n);
  return [
    ...(here.size === booked.length ? [] : [`${booked.length - here.size} fills are booked twice`]),
    ...record.fills.filter((fill) => !here.has(fill.key) && !unnamed.has(fill)).map((fill) => `lost: ${shown(fill)}`),
    ...booked.filter(({ key }) => !there.has(key)).map((fill) => `unknown to the exchange: ${shown(fill)}`),
    ...booked
      .filter((fill) => !isAlike(fill, there.get(fill.key) ?? fill))
      .map((fill) => `booked otherwise than it was: ${shown(fill)}`),
    ...(inventory === record.inventory
      ? []
      : [`fills come to a position of ${inventory}, the exchange has ${record.inventory}`]),
  ];
}

/** A fee that nobody told is not wrong: a transfer stands for its money. */
const isAlike = (booked: Fill, told: Fill): boolean =>
  booked.price === told.price &&
  booked.size === told.size &&
  booked.side === told.side &&
  (booked.fee === null || booked.fee === told.fee) &&
  (booked.realizedPnl === null || booked.realizedPnl === told.realizedPnl);

function moneyFaults({ account }: ExchangeRecord, read: LedgerReads): readonly string[] {
  const expected = collateralOf(bookOf(read, ACCOUNT));
  const unexplained = [...read.transfers(ACCOUNT)].filter(({ reason }) => reason === "transfer");
  return [
    ...(expected === account.collateral ? [] : [`collateral is ${account.collateral}, the ledger expects ${expected}`]),
    ...unexplained.map(({ reason, amount, key }) => `${amount} base units booked as ${reason} (${key})`),
  ];
}

/** One body a nonce, and beside it the CancelAllOrders that fences it (S4). CancelOrder's nonce is neither checked nor committed. */
function nonceFaults(intents: readonly LedgerRow[]): readonly string[] {
  const bodies = new Map<string, Set<string>>();
  for (const { signer, nonce, command, bytes_hash: hash } of intents) {
    const { kind, fences } = JSON.parse(command ?? "{}") as { readonly kind: string; readonly fences?: unknown };
    if (kind === "cancel" || (kind === "cancelAll" && fences === nonce)) continue;
    const name = `${signer} ${nonce}`;
    bodies.set(name, (bodies.get(name) ?? new Set()).add(hash ?? ""));
  }
  return [...bodies].filter(([, hashes]) => hashes.size > 1).map(([name, { size }]) => `nonce ${name}: ${size} bodies`);
}

/** Each order at the exchange has a transaction of its own in the journal: none was made twice, none without being written down. */
function orderFaults({ orderCount }: ExchangeRecord, intents: readonly LedgerRow[]): readonly string[] {
  const places = intents.filter(({ command }) => command?.includes('"place"')).length;
  return orderCount <= places ? [] : [`${orderCount} orders at the exchange, ${places} places in the journal`];
}

const latchFaults = (read: LedgerReads): readonly string[] =>
  read.latchEvents().map((event) => `a halt was ${event.kind}: ${stringifyQuoted(event)}`);

const shown = ({ side, size, price, key, liquidity, timestampMs }: Fill): string =>
  `${side} ${size} at ${price} as ${liquidity}, ${timestampMs}, ${key}`;
