// The ledger's view of a SQL database, as types, and the conversion of columns to values.

import { LedgerError } from "../store.ts";

export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Readonly<Record<string, SqlValue>>;

export type SqlStatement = {
  readonly run: (...values: SqlValue[]) => unknown;
  readonly get: (...values: SqlValue[]) => SqlRow | undefined;
  readonly all: (...values: SqlValue[]) => SqlRow[];
  readonly iterate: (...values: SqlValue[]) => Iterable<SqlRow>;
};

export type Sql = {
  readonly exec: (text: string) => void;
  readonly prepare: (text: string) => SqlStatement;
};

/** SQL expression for the number of an account's current chain; `account`: an expression too. */
export const chainNumber = (account: string): string =>
  `coalesce((SELECT max(number) FROM main.chains WHERE chains.account = ${account}), 1)`;

/** A text column. Throws LedgerError `malformed`. */
export function textOf(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw malformed(column);
  return value;
}

/** A column with one of a few words. Throws LedgerError `malformed`. */
export function oneOf<T extends string>(words: readonly T[], row: SqlRow, column: string): T {
  const found = words.find((word) => word === row[column]);
  if (found === undefined) throw malformed(column);
  return found;
}

/** A column with a whole number within 2^53. Throws LedgerError `malformed`. */
export function numberOf(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw malformed(column);
  return value;
}

/** A column with a whole number of any size, as text or as an integer. Throws LedgerError `malformed`. */
export function wholeOf(row: SqlRow, column: string): bigint {
  const value = row[column];
  if (typeof value === "number" || typeof value === "bigint") return BigInt(value);
  if (typeof value !== "string" || !/^-?\d+$/.test(value)) throw malformed(column);
  return BigInt(value);
}

/** Reads the column, or returns null if it is null. */
export const optional = <T>(row: SqlRow, column: string, read: (row: SqlRow, column: string) => T): T | null =>
  row[column] === null ? null : read(row, column);

const malformed = (column: string): LedgerError =>
  new LedgerError("malformed", `the ledger holds a row whose ${column} cannot be read`, { facts: { column } });
