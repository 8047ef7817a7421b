// Every SQL block of the documents runs in DuckDB on files as Quoin writes them, and counts the same hours in every time zone.

import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fillsTable, writeTable } from "../../src/backtest/series.ts";
import { isInstalled } from "../support/installed.ts";
import { PROJECT } from "../support/quoin.ts";
import { scratchFolder } from "../support/scratch.ts";

const IN_PYTHON = `import duckdb, sys
found = duckdb.sql(sys.argv[1])
for row in [found.columns, *found.fetchall()]: print(*row, sep=",")`;
/** Each prints the rows of a query as CSV. */
const duckdb = [
  ["duckdb", "-csv", "-c"],
  ["python3", "-c", IN_PYTHON],
].find(([program = "", ...args]) => isInstalled([program, ...args, "SELECT 1 AS one"], (csv) => csv.includes("one")));
if (duckdb === undefined) console.warn("skipped: DuckDB is not installed, neither its command line nor for Python");

const queries = globSync(["*.md", "docs/**/*.md"], { cwd: PROJECT }).flatMap((file) =>
  Array.from(readFileSync(join(PROJECT, file), "utf8").matchAll(/^```sql\n(.*?)^```/gms), ([, sql = ""]) => ({
    file,
    sql,
  })),
);

/** Two fills in one hour of UTC, of which India counts two hours, and one in the next. */
function writeSeries(folder: string): void {
  const fill = (at: string, side: "buy" | "sell") => ({
    atMs: Date.parse(at),
    accountId: "18446744073709551000",
    marketId: 1,
    side,
    liquidity: "maker" as const,
    price: "21682000000",
    mid: "21684000000",
    size: "500000",
    fee: "-10800",
  });
  const fills = [
    fill("2026-11-26T10:15:00Z", "buy"),
    fill("2026-11-26T10:45:00Z", "buy"),
    fill("2026-11-26T11:00:00Z", "sell"),
  ];
  mkdirSync(join(folder, "series"));
  const parts: Uint8Array[] = [];
  writeTable(fillsTable([{ line: { seed: 1, set: {} }, fills } as never]), (part) => parts.push(part));
  writeFileSync(join(folder, "series/fills.parquet"), Buffer.concat(parts));
}

// DuckDB is no dependency of the package: where it is not installed the line above says why this is skipped.
describe.skipIf(duckdb === undefined)("the queries of the documents", () => {
  const answers = (sql: string) => {
    const folder = scratchFolder("queries");
    writeSeries(folder);
    const [program = "", ...args] = duckdb ?? [];
    return ["UTC", "Asia/Kolkata"].map((zone) =>
      execFileSync(program, [...args, sql], { cwd: folder, encoding: "utf8", env: { ...process.env, TZ: zone } }),
    );
  };

  it.each(queries)("of $file run, with the same rows in every time zone: $sql", ({ sql }) => {
    const [utc = "", india] = answers(sql);
    expect(utc.trim().split("\n").length, "a header and rows").toBeGreaterThan(1);
    expect(india).toBe(utc);
  });

  it("tell exactly what fills earned against the mid, by hour of UTC", () => {
    const { sql = "" } = queries.find(({ file }) => file === "docs/backtest.md") ?? {};
    const rows = ["2026-11-26 10:00:00,2,0.02000000000000", "2026-11-26 11:00:00,1,-0.01000000000000"];
    expect(answers(sql)[0]?.trim().split("\n").slice(1)).toEqual(rows);
  });
});
