// Brings back what a life before this one knew: the state of pnl.ts as `parseJson` reads it. A snapshot that is
// not whole is refused by name; half a memory would be a wrong profit.

import { price, size, type Usdc, usdc } from "../../domain/units.ts";
import { CodedError } from "../../kernel/errors.ts";
import type { PnlState } from "./market-book.ts";

export class SnapshotError extends CodedError<"snapshot_malformed"> {}

/** Throws SnapshotError. */
export function readPnlState(value: unknown): PnlState {
  const fields = fieldsOf(value, "pnl");
  return {
    inventory: size(wholeOf(fields, "inventory")),
    cost: amountOf(fields, "cost"),
    oraclePrice: price(wholeOf(fields, "oraclePrice")),
    realized: amountOf(fields, "realized"),
    spread: amountOf(fields, "spread"),
    funding: amountOf(fields, "funding"),
    feesPaid: amountOf(fields, "feesPaid"),
    fillCount: Number(wholeOf(fields, "fillCount")),
    // A state from before this was kept knew of nothing that was missing.
    explained: size(wholeOf(fields, fields.explained === undefined ? "inventory" : "explained")),
    unpriced: listOf(fields, "unpriced").map((item) => {
      const unpriced = fieldsOf(item, "unpriced");
      return { key: textOf(unpriced.key, "key"), realized: amountOf(unpriced, "realized") };
    }),
    bookedKeys: listOf(fields, "bookedKeys").map((item) => textOf(item, "bookedKeys")),
  };
}

export type Fields = Readonly<Record<string, unknown>>;

/** Throws SnapshotError, as the two below. */
export function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed(name, "an object");
  return value as Fields;
}

function listOf(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name];
  if (!Array.isArray(value)) throw malformed(name, "a list");
  return value;
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== "string") throw malformed(name, "a text");
  return value;
}

/** JSON tells short integers as number and long ones as bigint. */
export function wholeOf(fields: Fields, name: string): bigint {
  const value = fields[name];
  if (typeof value === "bigint") return value;
  if (!Number.isSafeInteger(value)) throw malformed(name, "a whole number");
  return BigInt(value as number);
}

export const amountOf = (fields: Fields, name: string): Usdc => usdc(wholeOf(fields, name));

const malformed = (name: string, wanted: string): SnapshotError =>
  new SnapshotError("snapshot_malformed", `the snapshot's ${name} is not ${wanted}`, { facts: { name } });
