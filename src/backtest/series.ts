// The fills of a backtest and the equity of its runs as tables, for DuckDB, pandas and Polars.

import { type Cell, type ParquetColumn, writeParquetRows } from "../bot/ledger/parquet.ts";
import { AMOUNT_SCALE, PRICE_SCALE, SIZE_SCALE } from "../domain/units.ts";
import type { Outcome, RunLine } from "./outcome.ts";

type Table = {
  readonly name: string;
  readonly columns: readonly ParquetColumn[];
  readonly rows: Iterable<Readonly<Record<string, Cell>>>;
};

const run = [
  { name: "seed", type: "text" },
  /** As JSON: the run's `--set` and `--config` values. */
  { name: "set", type: "text" },
] as const satisfies Table["columns"];
const usdc = { scale: AMOUNT_SCALE };

/** Every counted fill, by run, in the order of the exchange. */
export const fillsTable = (outcomes: readonly Outcome[]): Table => ({
  name: "fills",
  columns: [
    ...run,
    { name: "at", type: "time" },
    { name: "account", type: "unsigned" },
    { name: "market", type: "whole" },
    { name: "side", type: "text" },
    { name: "liquidity", type: "text" },
    { name: "price", type: { scale: PRICE_SCALE } },
    { name: "mid", type: { scale: PRICE_SCALE } },
    { name: "size", type: { scale: SIZE_SCALE } },
    { name: "fee", type: usdc },
  ],
  rows: fillRows(outcomes),
});

function* fillRows(outcomes: readonly Outcome[]): Iterable<Readonly<Record<string, Cell>>> {
  for (const { line, fills } of outcomes) {
    for (const { atMs, accountId, marketId, side, liquidity, price, mid, size, fee } of fills ?? [])
      yield {
        ...named(line),
        at: BigInt(atMs),
        account: BigInt(accountId),
        market: BigInt(marketId),
        side,
        liquidity,
        price: BigInt(price),
        mid: BigInt(mid),
        size: BigInt(size),
        fee: BigInt(fee),
      };
  }
}

/** The points of each run's curves: USDC since the start, of the whole account, at the mid. */
export const equityTable = (outcomes: readonly Outcome[]): Table => ({
  name: "equity",
  columns: [
    ...run,
    { name: "hours", type: { scale: HOURS_SCALE } },
    { name: "equity", type: usdc },
    { name: "pnl", type: usdc },
    { name: "drawdown", type: usdc },
  ],
  rows: equityRows(outcomes),
});

const HOURS_SCALE = 4;

function* equityRows(outcomes: readonly Outcome[]): Iterable<Readonly<Record<string, Cell>>> {
  for (const { line, curves } of outcomes) {
    const start = Number(line.equityStart);
    for (const [at, hours] of curves.hours.entries()) {
      const [pnl, drawdown] = [curves.pnl[at] ?? 0, curves.drawdown[at] ?? 0];
      yield {
        ...named(line),
        hours: wholeOf(hours, HOURS_SCALE),
        equity: wholeOf(start + pnl, AMOUNT_SCALE),
        pnl: wholeOf(pnl, AMOUNT_SCALE),
        drawdown: wholeOf(drawdown, AMOUNT_SCALE),
      };
    }
  }
}

const named = ({ seed, set }: RunLine) => ({ seed: `${seed}`, set: JSON.stringify(set) });
const wholeOf = (value: number, scale: number): bigint => BigInt(Math.round(value * 10 ** scale));

/** Throws what `write` throws. */
export const writeTable = ({ rows, ...table }: Table, write: (bytes: Uint8Array) => void): void =>
  writeParquetRows(rows, table, write);
