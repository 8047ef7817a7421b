// A process whose heap keeps growing: what counts as growth, and whose strategies are named.

import { expect, test } from "vitest";
import type { BotConfig } from "../../../../src/bot/config/config.ts";
import { createLog } from "../../../../src/bot/telemetry/log.ts";
import { HeapGrowth, ownStrategies, watchHeap } from "../../../../src/daemon/process/heap-watch.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";
import { until } from "../../../support/until.ts";
import { account, quotedAccount } from "../../bot/service/desks.ts";

const MB = 1024 * 1024;
const newsOf = (kept: readonly (readonly [atSec: number, megabytes: number])[]) => {
  const growth = new HeapGrowth(0);
  return kept.flatMap(([atSec, megabytes]) => {
    const news = growth.collected(megabytes * MB, atSec * 1000);
    return news === null ? [] : [[atSec, news.bytes / MB, news.forMs / 1000]];
  });
};

test("1 MB a second is said within a minute and a half of the start, and again with each 48 MB", () => {
  const leak = Array.from({ length: 20 }, (_, nth): [number, number] => [30 + nth * 10, 60 + nth * 10]);
  expect(newsOf(leak)).toEqual([
    [90, 60, 60],
    [150, 60, 60],
    [210, 60, 60],
  ]);
});

test.each<[string, readonly (readonly [number, number])[]]>([
  [
    "what fills up in the first half minute",
    [
      [1, 10],
      [10, 40],
      [29, 200],
      [40, 201],
      [60, 202],
    ],
  ],
  [
    "what is gone with the next collection",
    [
      [40, 60],
      [50, 200],
      [60, 61],
      [70, 190],
      [80, 60],
    ],
  ],
  ["a heap that breathes", Array.from({ length: 50 }, (_, nth): [number, number] => [40 + nth, 60 + (nth % 5) * 9])],
])("edge: %s is no growth", (_, kept) => {
  expect(newsOf(kept)).toEqual([]);
});

const configOf = (folder: string) => {
  const plain = quotedAccount(account, [1]);
  const [market] = plain.markets;
  if (market === undefined) throw new RangeError("a market is quoted");
  const strategy = { ...market.strategy, name: "mine", origin: { ...market.strategy.origin, folder } };
  return { accounts: [{ ...plain, markets: [{ ...market, shadow: { strategy } as never }] }] } as Pick<
    BotConfig,
    "accounts"
  >;
};

test("strategies of one's own are named with their places, shipped ones are not", () => {
  expect(ownStrategies(configOf("file:///mine/"))).toEqual(["mine (its shadow)"]);
  expect(ownStrategies({ accounts: [quotedAccount(account, [1])] })).toEqual([]);
});

test("a process that keeps what it makes says whose strategies run in it", async () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => lines.push(line), terminal: false, wallMs: () => 0 });
  let nowMs = 0;
  const close = watchHeap(() => configOf("file:///mine/"), {
    clock: { ...systemClock, monotonicMs: () => nowMs },
    log,
  });
  const kept: Uint8Array[] = [];
  try {
    await until("the line", async () => {
      nowMs += 10_000;
      for (let nth = 0; nth < 8; nth += 1) kept.push(new Uint8Array(2 * MB).fill(1));
      return lines.length > 0;
    });
  } finally {
    close();
  }
  expect(lines[0]).toMatch(
    /"event":"process.memory".*the process keeps \d+ MB more than \d+ s ago;.*mine \(its shadow\)/,
  );
});
