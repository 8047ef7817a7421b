// A preview of what would go on: it quotes with what it remembers, and what runs remembers nothing of it.

import { expect, test } from "vitest";
import { z } from "zod";
import { previewOf } from "../../../../../src/bot/service/operator/preview.ts";
import { loadStrategy } from "../../../../../src/bot/strategy/loader.ts";
import { defineStrategy } from "../../../../../src/bot/strategy/strategy.ts";
import { noQuotes } from "../../../../../src/domain/quotes.ts";
import { healthyState, healthyView } from "../../risk/healthy.ts";
import { account, quotedAccount } from "../desks.ts";

type Memory = { turns: number; readonly seen: unknown[] };
const turns: number[] = [];
const counts = defineStrategy({
  name: "counts",
  summary: "Counts.",
  params: z.strictObject({}),
  start: (): Memory => ({ turns: 0, seen: [] }),
  quote(_, __, memory) {
    memory.turns += 1;
    memory.seen.push(memory.turns);
    turns.push(memory.turns);
    return noQuotes("it counts");
  },
});

test("forbidden: a preview moves the memory of what runs", async () => {
  const source = { folder: new URL("file:///"), extension: ".ts", readText: null };
  const strategy = await loadStrategy(
    "counts",
    {},
    { ...source, importModule: () => Promise.resolve({ strategy: counts }) },
  );
  const running = strategy.start();
  running.quote(healthyView);
  const market = { last: { view: healthyView, state: healthyState }, strategy: { running }, halfSpreadBps: 5 };
  const desks = new Map([[account, { markets: new Map([[1, market]]) }]]) as never;
  const plain = quotedAccount(account, [1]);
  const config = { accounts: [{ ...plain, markets: plain.markets.map((of) => ({ ...of, strategy })) }] } as never;
  for (let nth = 0; nth < 2; nth += 1)
    expect(previewOf(config, config, { desks, supervise: undefined })).toMatchObject([{ change: "none" }]);
  expect(turns).toEqual([1, 2, 2]);
  expect(running.memory).toEqual({ turns: 1, seen: [1] });
});
