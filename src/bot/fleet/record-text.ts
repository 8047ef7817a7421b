// Converts ledger records to text for the database and back, exactly: whole numbers of any size keep their type.

import type { OrderId } from "../../domain/units.ts";
import type { LedgerRecord } from "../ledger/store.ts";

/** A record to send: its number within the lease makes a second copy recognizable. */
export type Numbered = { readonly number: number; readonly slot: string | null; readonly text: string };

/** Orders that a successor recognizes as ours: many more than may rest. */
const ORDERS_KEPT = 4096n;

/**
 * The slot of a record of which only the newest matters; null: every one matters; undefined: it stays on this machine. Sent transactions
 * and their ends concern only this node, which signs with its own key.
 */
export function slotOf(record: LedgerRecord): string | null | undefined {
  switch (record.kind) {
    case "intent":
    case "ending":
    case "resolution":
    case "decision":
      return undefined;
    case "result":
      return `result ${record.result.marketId}`;
    case "estimates":
      return `estimates ${record.estimates.marketId}`;
    case "dialect":
      return `dialect ${record.learned.key}`;
    case "mark":
      return `mark ${record.mark.marketId} ${record.mark.day}`;
    case "hour":
      return `hour ${record.hour.marketId} ${record.hour.hour} ${record.hour.beganMs}`;
    case "equity":
      return "equity";
    case "chain":
      return "chain";
    case "reservation":
      return `reservation ${record.signer}`;
    case "order":
      return orderSlot(record.order.orderId);
    case "foreignOrder":
      return orderSlot(record.orderId);
    default:
      return null;
  }
}

const orderSlot = (orderId: OrderId): string => `order ${orderId % ORDERS_KEPT}`;

export const recordText = (record: LedgerRecord): string =>
  JSON.stringify(record, (_key, value: unknown) => (typeof value === "bigint" ? { $whole: `${value}` } : value));

/** Reads the text of `recordText`. Throws SyntaxError for any other text. */
export function parseRecord(text: string): LedgerRecord {
  const whole = (_key: string, value: unknown) => (isWhole(value) ? BigInt(value.$whole) : value);
  const record = JSON.parse(text, whole) as LedgerRecord;
  return record.kind === "order" ? { ...record, order: { ...unsaid, ...record.order } } : record;
}

/** Missing fields of an order written by a node of an earlier version. */
const unsaid = { price: null, size: null, isOver: true } as const;

const isWhole = (value: unknown): value is { readonly $whole: string } =>
  typeof value === "object" && value !== null && "$whole" in value && typeof value.$whole === "string";

export const lineOf = ({ number, slot, text }: Numbered): string => JSON.stringify([number, slot, text]);

export function parseLine(line: string): Numbered {
  const [number, slot, text] = JSON.parse(line) as [number, string | null, string];
  return { number, slot, text };
}
