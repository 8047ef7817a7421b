// Strategies that write into what they are handed, under load in virtual time: limits hold, what trades beside them is not moved, and the fault
// is named with its line.

import { expect, test } from "vitest";
import { type SwapOptions, swapRun } from "../support/swap-run.ts";

const LIVE = "strategy: fixed-spread\n        params: { halfSpreadBps: 3, size: 0.5, stepBps: 3, levels: 2 }";
const MAX_POSITION = 2;
const base: SwapOptions = {
  seed: 1n,
  live: LIVE,
  shadow: null,
  maxPosition: MAX_POSITION,
  promoteAtMs: null,
  untilMs: 30_000,
};

/** Quotes two orders a side at its own prices, once it has done what it does on line 7. */
const writing = (name: string, write: string): string => `import { defineStrategy, lastKnown } from "quoin/strategy";
import { z } from "zod";
export const strategy = defineStrategy({
  name: "${name}", summary: "Writes.", params: z.strictObject({ list: z.array(z.number()).default([1]) }),
  start: () => ({ turns: 0 }),
  quote(view, params, memory) {
    if (++memory.turns > 50) { ${write} }
    const mid = lastKnown(view.oracle)?.price ?? 0n;
    const far = [2n, 4n].entries();
    const quotes = [...far].flatMap(([level, cents]) => ["buy", "sell"].map((side) => ({
      side, level, price: mid - (mid % 1000000n) + (side === "buy" ? -cents : cents) * 1000000n,
      size: 500000n, reduceOnly: false, intent: "rest",
    })));
    return { quotes: mid === 0n ? [] : quotes, fairValueUsd: null, reason: null };
  },
});
`;

/** Each writes where guard, plan, estimators or another account read. */
const writes: readonly (readonly [string, string])[] = [
  ["drops its orders", "view.orders.splice(0);"],
  ["makes one of its orders smaller", "for (const order of view.orders) order.remainingSize = 0n;"],
  ["sorts its orders", "view.orders.sort(() => 1); view.orders.push(1);"],
  ["holds nothing", "if (view.position.state !== 'absent') view.position.value.inventory = 0n;"],
  ["holds another fact", "view.position.value = { inventory: 0n, low: 0n, high: 0n, entryPrice: 0n };"],
  ["prints", "view.oracle.value.price = view.oracle.value.price * 12n / 10n;"],
  ["never expires", "view.oracle.value.validUntilSec = 4e9;"],
  ["makes a book", "view.book.value.bids.length = 0; view.book.value.asks[0].size = 1n;"],
  ["makes a schedule", "view.market.value.marginTiers[0].maxLeverage = 1000;"],
  ["replaces a fact", "view.funds = view.stream;"],
  ["takes a fact away", "delete view.resync; delete view.nowMs;"],
  ["makes a signal", "view.signals.printDeviationBps = 1e6;"],
  ["changes its parameters", "params.list.push(2);"],
];

test.each(writes)("one that %s is faulted at its line, and limits hold", async (_, write) => {
  const own = { writes: writing("writes", write) };
  const { lines, worst, mostOrders, acts } = await swapRun({ ...base, live: "strategy: ./writes.ts", own });
  const faults = lines.filter((line) => line.includes('"event":"strategy.fault"'));
  expect(faults.length).toBeGreaterThan(0);
  for (const fault of faults) {
    expect(fault).toMatch(
      /strategy writes threw: .*writes into what it was handed, which is frozen.* at \S+writes\.ts:7;/,
    );
  }
  expect(acts.length).toBeGreaterThan(0);
  expect(mostOrders).toBeLessThanOrEqual(4);
  expect(Math.max(worst.buy, worst.sell)).toBeLessThanOrEqual(MAX_POSITION);
});

test.each(writes)("one that %s and hides it has done nothing", async (_, write) => {
  const own = { writes: writing("writes", `try { ${write} } catch {}`), same: writing("same", "") };
  const hidden = await swapRun({ ...base, live: "strategy: ./writes.ts", own });
  const plain = await swapRun({ ...base, live: "strategy: ./same.ts", own });
  expect(hidden.acts.length).toBeGreaterThan(20);
  expect(hidden.acts).toEqual(plain.acts);
});

test.each(writes)("a shadow that %s moves nothing of what trades, and is stopped with its line", async (_, write) => {
  const own = { writes: writing("writes", write) };
  const alone = await swapRun(base);
  const beside = await swapRun({ ...base, shadow: "strategy: ./writes.ts", own });
  expect(beside.acts).toEqual(alone.acts);
  expect(
    beside.lines.filter((line) => /shadow\.stopped.*threw: .*which is frozen.*writes\.ts:7/.test(line)),
  ).toHaveLength(1);
});
