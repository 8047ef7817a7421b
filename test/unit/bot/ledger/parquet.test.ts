// The Parquet export read back by another library than the one that wrote it: Apache's own reader in Rust (parquet-wasm), as Arrow.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Table, tableFromIPC } from "apache-arrow";
import { readParquet } from "parquet-wasm";
import { expect, test } from "vitest";
import { writeParquet } from "../../../../src/bot/ledger/parquet.ts";
import { openSqlite, readSqlite } from "../../../../src/bot/ledger/sqlite/sqlite.ts";
import { type LedgerColumn, type LedgerRow, ledgerTables } from "../../../../src/bot/ledger/store.ts";
import { ledgerExport } from "../../../../src/cli/ledger.ts";
import { processHost } from "../../../../src/host/process.ts";

const text = (name: string): LedgerColumn => ({ name, isInteger: false });
const integer = (name: string): LedgerColumn => ({ name, isInteger: true });
const columns = [text("account"), text("side"), text("price"), text("fee"), integer("market"), integer("at_ms")];
const row = { account: "12", side: "buy", price: "1", fee: "0", market: "1", at_ms: "0" };

function written(rows: Iterable<LedgerRow>): {
  readonly table: Table;
  readonly bytes: Buffer;
  readonly writes: number;
} {
  const parts: Uint8Array[] = [];
  writeParquet({ rows: () => rows }, { table: "fills", columns }, (part) => parts.push(part));
  const bytes = Buffer.concat(parts);
  return { table: tableFromIPC(readParquet(bytes).intoIPCStream()), bytes, writes: parts.length };
}

/** Of a decimal in 128 bits, which Arrow gives as four words, the lowest first. */
const wholeOf = (words: Uint32Array): bigint =>
  BigInt.asIntN(
    128,
    [...words].reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n),
  );

test("every digit comes back: u64 ids, decimals of 18 digits, negative amounts, times, text and nothing", () => {
  const largest = 10n ** 18n - 1n;
  const { table } = written([
    {
      account: "18446744073709551615",
      side: 'said "no" Ω',
      price: `${largest}`,
      fee: `${-largest}`,
      market: "1",
      at_ms: "1785456000123",
    },
    { account: "12", side: "buy", price: "41312000000", fee: "-1", market: "9007199254740993", at_ms: "-1" },
    { account: "12", side: "", price: "0", fee: null, market: null, at_ms: null },
  ]);
  expect(table.schema.fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
    "account Uint64",
    "side Utf8",
    "price Decimal[18e+8]",
    "fee Decimal[18e+6]",
    "market Int64",
    "at_ms Timestamp<MILLISECOND, UTC>",
  ]);
  const cells = (name: string): unknown[] => [...(table.getChild(name) ?? [])];
  expect(cells("account")).toEqual([18446744073709551615n, 12n, 12n]);
  expect(cells("side")).toEqual(['said "no" Ω', "buy", ""]);
  expect(cells("price").map((words) => wholeOf(words as Uint32Array))).toEqual([largest, 41312000000n, 0n]);
  expect(cells("fee").map((words) => words && wholeOf(words as Uint32Array))).toEqual([-largest, -1n, null]);
  expect(cells("market")).toEqual([1n, 9007199254740993n, null]);
  expect(cells("at_ms")).toEqual([1_785_456_000_123, -1, null]);
});

test("seconds become timestamps, and no rule for a column hangs on its table", () => {
  const parts: Uint8Array[] = [];
  writeParquet(
    { rows: () => [{ valid_until_sec: "1785456000" }] },
    { table: "prints", columns: [integer("valid_until_sec")] },
    (part) => parts.push(part),
  );
  const table = tableFromIPC(readParquet(Buffer.concat(parts)).intoIPCStream());
  expect([...(table.getChild("valid_until_sec") ?? [])]).toEqual([1_785_456_000_000]);
});

test("an empty table is a file with columns and no rows", () => {
  const { table } = written([]);
  expect([table.numRows, table.numCols]).toEqual([0, columns.length]);
});

test("rows leave in groups: what is held does not grow with the ledger", () => {
  let asked = 0;
  const askedAtWrite: number[] = [];
  function* rows(): Iterable<LedgerRow> {
    for (; asked < 25_000; asked += 1) yield { ...row, at_ms: `${asked}` };
  }
  const parts: Uint8Array[] = [];
  writeParquet({ rows }, { table: "fills", columns }, (part) => {
    askedAtWrite.push(asked);
    parts.push(part);
  });
  expect(askedAtWrite.slice(0, 2)).toEqual([9999, 19_999]);
  const table = tableFromIPC(readParquet(Buffer.concat(parts)).intoIPCStream());
  expect(table.numRows).toBe(25_000);
  expect(Number(table.getChild("at_ms")?.get(24_999))).toBe(24_999);
});

test.each([
  ["price", "?"],
  ["price", "1.5"],
  ["account", ""],
])("a %s of %j is named with its row, and the file has no end that a reader would take", (name, value) => {
  const parts: Uint8Array[] = [];
  const write = () =>
    writeParquet({ rows: () => [row, { ...row, [name]: value }] }, { table: "fills", columns }, (part) =>
      parts.push(part),
    );
  expect(write).toThrow(`row 2 of fills has a ${name} that cannot be read`);
  expect(() => readParquet(Buffer.concat(parts))).toThrow();
});

test.each([
  ["price", `1${"0".repeat(18)}`, "10000000000", "DECIMAL(18,8)"],
  ["fee", `-1${"0".repeat(18)}`, "-1000000000000", "DECIMAL(18,6)"],
  ["account", "18446744073709551616", "18446744073709551616", "an unsigned 64-bit integer"],
  ["account", "-1", "-1", "an unsigned 64-bit integer"],
  ["market", "9223372036854775808", "9223372036854775808", "a 64-bit integer"],
])("a %s of %s does not fit and is refused by its row", (name, value, shown, type) => {
  expect(() => written([row, { ...row, [name]: value }])).toThrow(
    `row 2 of fills has a ${name} of ${shown}, which does not fit ${type}`,
  );
});

test("every table of a ledger has its columns: no money as text, no time as a number", () => {
  const folder = mkdtempSync(join(tmpdir(), "quoin-parquet-"));
  const file = join(folder, "ledger.sqlite");
  openSqlite({ file }).close();
  const reading = readSqlite(file);
  const types = ledgerTables.flatMap((table) => {
    const parts: Uint8Array[] = [];
    writeParquet(reading.read, { table, columns: reading.columns(table) }, (part) => parts.push(part));
    const { fields } = tableFromIPC(readParquet(Buffer.concat(parts)).intoIPCStream()).schema;
    return fields.map(({ name, type }) => [name, `${type}`] as const);
  });
  reading.close();
  rmSync(folder, { recursive: true });
  const named = (pattern: RegExp) => [...new Set(types.filter(([name]) => pattern.test(name)).map(([, type]) => type))];
  expect(named(/_(ms|sec)$/)).toEqual(["Timestamp<MILLISECOND, UTC>"]);
  expect(named(/price/)).toEqual(["Decimal[18e+8]"]);
  expect(named(/^(size|inventory|fee|realized_pnl|amount|collateral|unrealized_pnl|unexplained)$/)).toEqual([
    "Decimal[18e+6]",
  ]);
  expect(named(/^(account|order_id)$/)).toEqual(["Uint64"]);
  expect(named(/^(id|intent_id|market|nonce|number|status)$/)).toEqual(["Int64"]);
});

test("a terminal gets none of it", async () => {
  const said: string[] = [];
  const host = {
    ...processHost,
    terminal: { stdout: true, stderr: true },
    stderr: (text: string | Uint8Array) => void said.push(`${text}`),
  };
  const config = join(import.meta.dirname, "../../../../config/demo.yaml");
  expect(await ledgerExport({ config, table: "fills", format: "parquet" }, host)).toBe(2);
  expect(said.join("")).toBe("quoin: Parquet is not text; send it to a file: … --format parquet > fills.parquet\n");
});
