// Rows as an Apache Parquet file, which DuckDB, pandas and Polars read: a table of the ledger, with the columns of the text export, or a
// report. Prices, sizes and amounts are DECIMAL(18, s) in every file: readers can subtract and multiply such columns. Ids and counts are 64-bit
// integers, times timestamps in UTC.

import { ByteWriter, parquetWriteRows } from "hyparquet-writer";
import { formatDecimal } from "../../kernel/decimal.ts";
import { scales } from "./export.ts";
import { type LedgerColumn, LedgerError, type LedgerReads, type LedgerRow, type LedgerTable } from "./store.ts";

type SchemaElement = NonNullable<Parameters<typeof parquetWriteRows>[0]["schema"]>[number];
export type Cell = bigint | string | null;
/** Type of a Parquet column: a decimal as whole numbers of its scale, a time as Unix ms, the others unchanged. */
export type CellType = "unsigned" | "whole" | "time" | "text" | { readonly scale: number };
export type ParquetColumn = { readonly name: string; readonly type: CellType };
type Column = {
  readonly type: CellType;
  /** Undefined: the text is not of this type. */
  readonly read: (text: string) => Cell | undefined;
};

/** Rows held in memory at once: a decision of many markets takes a few kilobytes. */
const ROWS_PER_GROUP = 10_000;
const MS_PER_SECOND = 1000n;
/** u64 in the exchange's interface. */
const UNSIGNED = new Set(["account", "order_id"]);

/**
 * `write` gets the bytes in order, one group of rows at a time. An empty table is a file with columns and no rows. Throws what the storage
 * throws, and LedgerError `malformed` if a value has another type than its column, or does not fit it: then the file has no end, and readers
 * reject it.
 */
export function writeParquet(
  read: Pick<LedgerReads, "rows">,
  { table, columns }: { readonly table: LedgerTable; readonly columns: readonly LedgerColumn[] },
  write: (bytes: Uint8Array) => void,
): void {
  const typed = columns.map((column) => [column.name, columnOf(column)] as const);
  const shape = { name: table, columns: typed.map(([name, { type }]) => ({ name, type })) };
  writeParquetRows(typedRows(read.rows(table), typed, table), shape, write);
}

/** Like `writeParquet`, for rows whose cells are named like the columns. */
export function writeParquetRows(
  rows: Iterable<Readonly<Record<string, Cell>>>,
  { name, columns }: { readonly name: string; readonly columns: readonly ParquetColumn[] },
  write: (bytes: Uint8Array) => void,
): void {
  let groups = 0;
  const writer = Object.assign(new ByteWriter(), {
    flush(): void {
      groups += 1;
      write(writer.getBytes().slice());
      writer.index = 0;
    },
    finish(): void {
      if (groups === 0) nameEmptyList(writer.getBytes());
      writer.flush();
    },
  });
  void parquetWriteRows({
    writer,
    rows: fittingRows(rows, name, columns),
    columns: columns.map((column) => ({ name: column.name })),
    schema: [{ name, num_children: columns.length }, ...columns.map((column) => elementOf(column.name, column.type))],
    rowGroupSize: ROWS_PER_GROUP,
    createdBy: "quoin",
  });
}

/** Throws LedgerError at the first whole number that its column cannot hold. */
function* fittingRows(
  rows: Iterable<Readonly<Record<string, Cell>>>,
  table: string,
  columns: readonly ParquetColumn[],
): Generator<Readonly<Record<string, Cell>>, void> {
  const limits = columns.map(({ name, type }) => ({ name, type, ...limitsOf(type) }));
  let number = 0;
  for (const row of rows) {
    number += 1;
    for (const { name, type, least, most } of limits) {
      const cell = row[name];
      if (typeof cell !== "bigint" || (cell >= least && cell <= most)) continue;
      const shown = typeof type === "object" ? formatDecimal(cell, type.scale) : `${cell}`;
      throw new LedgerError(
        "malformed",
        `row ${number} of ${table} has a ${name} of ${shown}, which does not fit ${typeText(type)}; CSV and JSON show it`,
      );
    }
    yield row;
  }
}

/** hyparquet-writer 0.17.0 writes an empty list of row groups without an item type; readers expect structs. */
function nameEmptyList(bytes: Uint8Array): void {
  const noRowsNoGroups = [0x16, 0x00, 0x19, 0x00];
  bytes[Buffer.from(bytes.buffer).indexOf(Uint8Array.from(noRowsNoGroups)) + 3] = 0x0c;
}

function* typedRows(
  rows: Iterable<LedgerRow>,
  columns: readonly (readonly [string, Column])[],
  table: LedgerTable,
): Iterable<Record<string, Cell>> {
  let number = 0;
  for (const row of rows) {
    number += 1;
    const at = `row ${number} of ${table}`;
    yield Object.fromEntries(columns.map(([name, column]) => [name, cellOf(row[name] ?? null, { name, column, at })]));
  }
}

type Place = { readonly name: string; readonly column: Column; readonly at: string };

function cellOf(text: string | null, { name, column, at }: Place): Cell {
  const cell = text === null ? null : column.read(text);
  if (cell !== undefined) return cell;
  throw new LedgerError("malformed", `${at} has a ${name} that cannot be read; --format csv shows it as stored`);
}

function columnOf({ name, isInteger }: LedgerColumn): Column {
  const scale = scales[name];
  if (scale !== undefined) return { type: { scale }, read: whole };
  if (isInteger && name.endsWith("_ms")) return { type: "time", read: whole };
  if (isInteger && name.endsWith("_sec")) return { type: "time", read: (text) => (whole(text) ?? 0n) * MS_PER_SECOND };
  if (UNSIGNED.has(name)) return { type: "unsigned", read: whole };
  if (isInteger) return { type: "whole", read: whole };
  return { type: "text", read: (text) => text };
}

function elementOf(name: string, type: CellType): SchemaElement {
  if (typeof type === "object")
    return { ...optional(name, "INT64"), converted_type: "DECIMAL", precision: DECIMAL_DIGITS, scale: type.scale };
  if (type === "time") return timestamp(name);
  if (type === "unsigned") return { ...optional(name, "INT64"), converted_type: "UINT_64" };
  if (type === "whole") return optional(name, "INT64");
  return { ...optional(name, "BYTE_ARRAY"), converted_type: "UTF8" };
}

const optional = (name: string, type: "INT64" | "BYTE_ARRAY"): SchemaElement => ({
  name,
  type,
  repetition_type: "OPTIONAL",
});

const timestamp = (name: string): SchemaElement => ({
  ...optional(name, "INT64"),
  converted_type: "TIMESTAMP_MILLIS",
  logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
});

/** Decimal digits that always fit into 8 bytes. A product of two such columns has 36, which is below the 38 of other programs. */
const DECIMAL_DIGITS = 18;

function limitsOf(type: CellType): { readonly least: bigint; readonly most: bigint } {
  if (type === "unsigned") return { least: 0n, most: 2n ** 64n - 1n };
  if (typeof type !== "object") return { least: -(2n ** 63n), most: 2n ** 63n - 1n };
  const most = 10n ** BigInt(DECIMAL_DIGITS) - 1n;
  return { least: -most, most };
}

const typeText = (type: CellType): string =>
  typeof type === "object"
    ? `DECIMAL(${DECIMAL_DIGITS},${type.scale})`
    : `${type === "unsigned" ? "an unsigned" : "a"} 64-bit integer`;

/** Longest whole number that is read: one that is longer is no amount. */
const DIGITS_MAX = 40;
const WHOLE = new RegExp(`^-?\\d{1,${DIGITS_MAX}}$`);
const whole = (text: string): bigint | undefined => (WHOLE.test(text) ? BigInt(text) : undefined);
