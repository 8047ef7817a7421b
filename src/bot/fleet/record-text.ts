// Records of a ledger as text for the database and back, exactly: whole numbers of any size keep their kind.

import type { OrderId } from "../../domain/units.ts";
import type { LedgerRecord } from "../ledger/store.ts";

/** A record on its way: its number within the lease is what makes a second copy the same. */
export type Numbered = { readonly number: number; readonly slot: string | null; readonly text: string };

/** Orders that a successor knows as ours: far more than may rest. */
const ORDERS_KEPT = 4096n;

/**
 * Where only the newest counts: its slot; null: every one counts; undefined: it stays on this machine. What is sent and how it ended is
 * this node's alone, signed with its own key.
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

/** Of a text that `recordText` wrote. Throws SyntaxError for any other. */
export function parseRecord(text: string): LedgerRecord {
  const whole = (_key: string, value: unknown) => (isWhole(value) ? BigInt(value.$whole) : value);
  const record = JSON.parse(text, whole) as LedgerRecord;
  return record.kind === "order" ? { ...record, order: { ...unsaid, ...record.order } } : record;
}

/** Of an order that a node of an earlier version wrote. */
const unsaid = { price: null, size: null, isOver: true } as const;

const isWhole = (value: unknown): value is { readonly $whole: string } =>
  typeof value === "object" && value !== null && "$whole" in value && typeof value.$whole === "string";

export const lineOf = ({ number, slot, text }: Numbered): string => JSON.stringify([number, slot, text]);

export function parseLine(line: string): Numbered {
  const [number, slot, text] = JSON.parse(line) as [number, string | null, string];
  return { number, slot, text };
}
