// `quoin export` on the shipped session: tables read back by Apache's Parquet reader, and event rows by hftbacktest's own.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import { readParquet } from "parquet-wasm";
import { expect, test } from "vitest";
import { EVENT_BYTES, eventDescr, eventKinds } from "../../../src/backtest/recorded/hftbacktest.ts";
import { NpzError, npzRows } from "../../../src/backtest/recorded/npz.ts";
import { recordingOf } from "../../../src/backtest/recorded/recording.ts";
import { readSession, replaySession } from "../../../src/backtest/recorded/session.ts";
import { isInstalled } from "../../support/installed.ts";
import { PROJECT, quoinDone } from "../../support/quoin.ts";
import { scratchFolder } from "../../support/scratch.ts";

const SESSION = join(PROJECT, "docs/sample-session.qrec");
const recording = recordingOf(SESSION);
const session = readSession(recording);

const read = (file: string) => tableFromIPC(readParquet(readFileSync(file)).intoIPCStream());

test("five tables: every trade, fill and turn of the recording, money as DECIMAL(18, s), ids unsigned", async () => {
  const folder = scratchFolder("export");
  const { code, stderr } = await quoinDone(["export", SESSION, "--format", "parquet", "--out", folder]);
  expect([code, stderr]).toEqual([0, ""]);
  const tables = Object.fromEntries(
    ["books", "trades", "orders", "decisions", "markouts"].map((name) => [name, read(join(folder, `${name}.parquet`))]),
  );
  const happened = [...replaySession(recording, session)];
  const count = (kind: string) => happened.filter((each) => each.kind === kind).length;
  expect(tables.trades?.numRows).toBe(count("trade"));
  expect(tables.markouts?.numRows).toBe(count("fill"));
  expect(tables.orders?.numRows).toBe(count("placed") + count("modified") + count("gone"));
  const replayed = await quoinDone(["replay", SESSION, "--json"]);
  expect(tables.decisions?.numRows).toBe(JSON.parse(replayed.stdout).turns);
  const types = Object.values(tables).flatMap((table) =>
    table.schema.fields.map(({ name, type }) => `${name} ${type}`),
  );
  const money = types.filter((text) => /^(price|size|fee|realized_pnl|mid|mid_\d+s|bid|ask|fair_value) /.test(text));
  expect(new Set(money.map((text) => text.split(" ")[1]))).toEqual(new Set(["Decimal[18e+8]", "Decimal[18e+6]"]));
  expect(types.filter((text) => /^(account|\w*order_id) /.test(text)).every((text) => text.endsWith(" Uint64"))).toBe(
    true,
  );
  // The last fills have no price after their horizons: nothing is guessed.
  expect(tables.markouts?.getChild("mid_300s")?.get(0)).not.toBeNull();
  expect(tables.markouts?.getChild("mid_1s")?.get((tables.markouts?.numRows ?? 0) - 1)).toBeNull();
});

test("--market leaves the other markets out", async () => {
  const folder = scratchFolder("export");
  await quoinDone(["export", SESSION, "--format", "parquet", "--out", folder, "--market", "2"]);
  for (const name of ["books", "trades", "orders", "decisions", "markouts"])
    expect(new Set(read(join(folder, `${name}.parquet`)).getChild("market"))).toEqual(new Set([2n]));
});

const events = async (market: string): Promise<string> => {
  const file = join(scratchFolder("export"), "market.npz");
  const { code } = await quoinDone(["export", SESSION, "--format", "hftbacktest", "--out", file, "--market", market]);
  expect(code).toBe(0);
  return file;
};
const rowsIn = (file: string): Buffer =>
  Buffer.concat([...npzRows([readFileSync(file)], { descr: eventDescr, rowBytes: EVENT_BYTES })]);

test("event rows: a time of their own each, and together the book without the bot's orders", async () => {
  const rows = rowsIn(await events("1"));
  const shown = new Map<string, number>();
  let [lastNs, trades] = [0n, 0];
  for (let at = 0; at < rows.length; at += EVENT_BYTES) {
    const flags = rows.readUInt32LE(at);
    expect(rows.readBigInt64LE(at + 8)).toBe(rows.readBigInt64LE(at + 16));
    expect(rows.readBigInt64LE(at + 8) > lastNs).toBe(true);
    lastNs = rows.readBigInt64LE(at + 8);
    if ((flags & 255) === eventKinds.trade) trades += 1;
    else
      shown.set(
        `${(flags & (2 ** 29)) !== 0 ? "buy" : "sell"} ${rows.readDoubleLE(at + 24)}`,
        rows.readDoubleLE(at + 32),
      );
  }
  const happened = [...replaySession(recording, session)];
  expect(trades).toBe(happened.filter((each) => each.kind === "trade" && each.trade.marketId === 1).length);
  const last = happened.findLast(
    (each) => each.kind === "published" && each.published.kind === "book" && each.published.book.marketId === 1,
  );
  if (last?.kind !== "published" || last.published.kind !== "book") throw new Error("the session has no book");
  const { bids, asks } = last.published.book;
  const levels = [...bids.map((level) => ["buy", level] as const), ...asks.map((level) => ["sell", level] as const)];
  expect(new Map([...shown].filter(([, size]) => size > 0))).toEqual(
    new Map(levels.map(([side, { price, size }]) => [`${side} ${Number(price) / 1e8}`, Number(size) / 1e6])),
  );
});

const CHECK = `import sys, numpy
from hftbacktest import BacktestAsset, HashMapMarketDepthBacktest
from hftbacktest.data.validation import validate_event_order
from hftbacktest.types import event_dtype
rows = numpy.load(sys.argv[1])["data"]
assert rows.dtype == event_dtype
validate_event_order(rows)
asset = (BacktestAsset().data([sys.argv[1]]).linear_asset(1.0).constant_order_latency(0, 0).risk_adverse_queue_model()
    .no_partial_fill_exchange().trading_value_fee_model(0, 0).tick_size(0.1).lot_size(0.000001))
backtest = HashMapMarketDepthBacktest([asset])
while backtest.elapse(60_000_000_000) == 0: pass
depth = backtest.depth(0)
print(len(rows), depth.best_bid, depth.best_ask)`;
const hasHftbacktest = isInstalled(["python3", "-c", "import hftbacktest"]);
if (!hasHftbacktest) console.warn("skipped: hftbacktest is not installed for python3");

// hftbacktest is no dependency of the package: where it is not installed the line above says why this is skipped.
test.skipIf(!hasHftbacktest)("hftbacktest replays the rows to the same last book", { timeout: 120_000 }, async () => {
  const file = await events("1");
  const said = execFileSync("python3", ["-c", CHECK, file], { encoding: "utf8" });
  expect(said.trim()).toBe(`${rowsIn(file).length / EVENT_BYTES} 219.3 219.5`);
});

test.each([
  [["--format", "hftbacktest"], "name one market with --market; it has 1 (USA-HPI), 2 (METRO-HPI)"],
  [["--format", "parquet", "--market", "7"], "it has no market 7; it has 1 (USA-HPI), 2 (METRO-HPI)"],
])("%j: exit 2, one sentence, and nothing is written", async (words, why) => {
  const out = join(scratchFolder("export"), "out");
  const { code, stderr } = await quoinDone(["export", SESSION, ...words, "--out", out]);
  expect([code, stderr]).toEqual([2, `quoin: ${SESSION}: ${why}\n`]);
  expect(existsSync(out)).toBe(false);
});

test("an output that cannot be written: exit 1 in a sentence", async () => {
  const out = join(SESSION, "out.npz");
  const { code, stderr } = await quoinDone([
    "export",
    SESSION,
    "--format",
    "hftbacktest",
    "--market",
    "1",
    "--out",
    out,
  ]);
  expect([code, stderr]).toEqual([1, `quoin: ${out} cannot be written: a part of its path is no folder\n`]);
});

test.each([
  ["no .npz file", () => readFileSync(SESSION), "no array `data`"],
  ["a file that is cut off", (whole: Buffer) => whole.subarray(0, whole.length / 2), "rows are missing"],
])("%s is refused", async (_, bytesOf, why) => {
  const bytes = bytesOf(readFileSync(await events("2")));
  const all = () => [...npzRows([bytes], { descr: eventDescr, rowBytes: EVENT_BYTES })];
  expect(all).toThrow(NpzError);
  expect(all).toThrow(why);
});
