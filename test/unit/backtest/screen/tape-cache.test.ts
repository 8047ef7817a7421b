// Tapes on disk: made once, made anew when gone or damaged, the oldest out first.

import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Tape } from "../../../../src/backtest/screen/tape.ts";
import { TapeCache } from "../../../../src/backtest/screen/tape-cache.ts";
import { scratchFolder } from "../../../support/scratch.ts";
import { tapeOf, tradeOf } from "./scene.ts";

const tape = (ticks: number): Tape =>
  tapeOf((writer) => writer.take(0, { kind: "trade", trade: tradeOf("buy", ticks, 1), receivedMs: 0 }));

function scene() {
  const folder = join(scratchFolder("tapes"), "new");
  let nowMs = 1_790_000_000_000;
  const made: string[] = [];
  const cacheOf = (maxBytes: number) => new TapeCache(folder, { wallMs: () => nowMs }, maxBytes);
  const get = async (cache: TapeCache, name: string) => {
    nowMs += 1000;
    return await cache.get(name, async () => {
      made.push(name);
      return tape(name.length);
    });
  };
  return { folder, made, cacheOf, get };
}

test("a tape is made once, by any cache of the folder, and its file is for this user alone", async () => {
  const { folder, made, cacheOf, get } = scene();
  const first = await get(cacheOf(2 ** 30), "a");
  expect(await get(cacheOf(2 ** 30), "a")).toEqual(first);
  expect(made).toEqual(["a"]);
  const [file] = readdirSync(folder);
  expect(statSync(join(folder, file ?? "")).mode & 0o777).toBe(0o600);
});

test("one that is damaged or cut off is made anew", async () => {
  const { folder, made, cacheOf, get } = scene();
  const cache = cacheOf(2 ** 30);
  await get(cache, "a");
  const file = join(folder, readdirSync(folder)[0] ?? "");
  truncateSync(file, readFileSync(file).byteLength - 9);
  expect(await get(cache, "a")).toEqual(tape(1));
  writeFileSync(file, "nothing of the kind");
  expect(await get(cache, "a")).toEqual(tape(1));
  expect(made).toEqual(["a", "a", "a"]);
});

test("those not used for the longest go first, and one that is larger than all is not kept", async () => {
  const { folder, made, cacheOf, get } = scene();
  await get(cacheOf(2 ** 30), "a");
  const bytes = statSync(join(folder, readdirSync(folder)[0] ?? "")).size;
  const two = cacheOf(Math.floor(2.5 * bytes));
  for (const name of ["b", "a", "c", "a", "b"]) await get(two, name);
  expect(made).toEqual(["a", "b", "c", "b"]);
  expect(readdirSync(folder)).toHaveLength(2);
  await get(cacheOf(1), "d");
  expect(readdirSync(folder)).toHaveLength(2);
});
