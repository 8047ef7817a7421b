// The few things the ledger needs of a SQL database, as types, and how its columns become our values.

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

/** The number of the chain that an account's rows are of, as an expression; `account`: another one. */
export const chainNumber = (account: string): string =>
  `coalesce((SELECT max(number) FROM main.chains WHERE chains.account = ${account}), 1)`;

/** A column that holds text. Throws LedgerError `malformed`. */
export function textOf(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw malformed(column);
  return value;
}

/** A column that holds one of a few words. Throws LedgerError `malformed`. */
export function oneOf<T extends string>(words: readonly T[], row: SqlRow, column: string): T {
  const found = words.find((word) => word === row[column]);
  if (found === undefined) throw malformed(column);
  return found;
}

/** A column that holds a whole number within 2^53. Throws LedgerError `malformed`. */
export function numberOf(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw malformed(column);
  return value;
}

/** A whole number of any size, kept as text or as an integer. Throws LedgerError `malformed`. */
export function wholeOf(row: SqlRow, column: string): bigint {
  const value = row[column];
  if (typeof value === "number" || typeof value === "bigint") return BigInt(value);
  if (typeof value !== "string" || !/^-?\d+$/.test(value)) throw malformed(column);
  return BigInt(value);
}

/** The same, or null where the column is null. */
export const optional = <T>(row: SqlRow, column: string, read: (row: SqlRow, column: string) => T): T | null =>
  row[column] === null ? null : read(row, column);

const malformed = (column: string): LedgerError =>
  new LedgerError("malformed", `the ledger holds a row whose ${column} cannot be read`, { facts: { column } });
