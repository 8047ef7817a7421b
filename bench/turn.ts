// Cost of a turn from view to approved commands at ten levels per side: each strategy's quotes, then gates, plan and guard, when nothing
// changed, when every order moves, and when all are placed. The figure is the slowest strategy plus the slowest of these three.

import { mostPermitted, readGates } from "../src/bot/risk/gates/gates.ts";
import { check } from "../src/bot/risk/guard.ts";
import type { Limits } from "../src/bot/risk/limits/limits.ts";
import { loadStrategy } from "../src/bot/strategy/loader.ts";
import { plan, toleranceOf } from "../src/bot/strategy/plan.ts";
import type { Book } from "../src/domain/book.ts";
import type { Quote, Quotes } from "../src/domain/quotes.ts";
import { lastKnown, type View } from "../src/domain/view.ts";
import {
  healthyLimits,
  healthyState,
  healthyView,
  lots,
  now,
  order,
  usd,
  withInventory,
  withOrders,
} from "../test/unit/bot/risk/healthy.ts";
import { type Bench, medianOf } from "./measure.ts";

const LEVELS = 10;
const STEP_USD = 0.2;
const GOAL_US = 30;
const limits: Limits = { ...healthyLimits, market: { ...healthyLimits.market, maxOpenOrders: 100 } };

const levels = Array.from({ length: LEVELS }, (_, level) => level);
const bidAt = (level: number, shiftUsd: number) => 199.8 + shiftUsd - STEP_USD * level;
const askAt = (level: number, shiftUsd: number) => 200.2 + shiftUsd + STEP_USD * level;

/** Ten levels per side around a center that moved by `shiftUsd`. */
function quotesAt(shiftUsd: number): Quotes {
  const quote = (side: "buy" | "sell", level: number, at: number): Quote => ({
    side,
    level,
    price: usd(at),
    size: lots(0.5),
    reduceOnly: false,
    intent: "rest",
  });
  return {
    quotes: [
      ...levels.map((level) => quote("buy", level, bidAt(level, shiftUsd))),
      ...levels.map((level) => quote("sell", level, askAt(level, shiftUsd))),
    ],
    fairValueUsd: 200 + shiftUsd,
    reason: null,
  };
}

const resting = levels.flatMap((level) => [
  order(level + 1, "buy", bidAt(level, 0), 0.5, { level }),
  order(level + 101, "sell", askAt(level, 0), 0.5, { level }),
]);

/** The measured part of a turn; returns the number of approved commands. */
function turnOf(quotes: Quotes, view: View): number {
  const state = { ...healthyState, fairValueUsd: quotes.fairValueUsd };
  const commands = plan(quotes, view.orders, {
    accountId: view.accountId,
    marketId: view.marketId,
    inventory: lastKnown(view.position)?.inventory ?? null,
    modifies: "all",
    permitted: mostPermitted(readGates({ view, limits, state })),
    maxOpenOrders: limits.market.maxOpenOrders,
    // One tick, otherwise moved orders would stay.
    tolerance: toleranceOf({ requoteDepths: 0, queueTicks: 1 }, view),
  }).commands;
  return check(commands, view, limits, state).approved.length;
}

/** Median microseconds of a turn. Throws if it approves another number of commands, because it would then measure something else. */
function measure(quotes: Quotes, view: View, expected: number, runs: number, turns: number): number {
  const approved = turnOf(quotes, view);
  if (approved !== expected) throw new Error(`the turn approves ${approved} commands, not ${expected}`);
  return medianOf(runs, () => {
    const startedMs = performance.now();
    for (let turn = 0; turn < turns; turn += 1) turnOf(quotes, view);
    return ((performance.now() - startedMs) * 1000) / turns;
  });
}

const maker = { size: 0.5, levels: LEVELS, maxInventory: 20 };
/** Strategies with parameters that make them quote ten levels per side, or as many as they can. */
const strategies: Readonly<Record<string, object>> = {
  "fixed-spread": { halfSpreadBps: 10, size: 0.5, levels: LEVELS },
  glft: maker,
  "avellaneda-stoikov": maker,
  ladder: { ...maker, halfSpreadBps: 10 },
  "print-aware": { base: { strategy: "glft", params: maker } },
  flatten: { size: 0.5 },
};

/** Median microseconds of a strategy's quotes, with its orders in the book among as many of others. */
async function quotingUs(name: string, params: object, runs: number, turns: number): Promise<number> {
  const running = (await loadStrategy(name, params)).start();
  const level = (at: number) => ({ price: usd(at), size: lots(2), orderCount: 2 });
  const book: Book = {
    marketId: healthyView.marketId,
    bids: levels.map((each) => level(bidAt(each, 0))),
    asks: levels.map((each) => level(askAt(each, 0))),
  };
  const view = withOrders(withInventory({ ...healthyView, book: now(book) }, 3), resting);
  return medianOf(runs, () => {
    const startedMs = performance.now();
    for (let turn = 0; turn < turns; turn += 1) running.quote({ ...view, nowMs: turn });
    return ((performance.now() - startedMs) * 1000) / turns;
  });
}

export const turn: Bench = {
  name: "turn",
  async run({ quick }) {
    const [runs, turns] = quick ? [1, 2000] : [9, 20_000];
    const full = withOrders(healthyView, resting);
    // Compiles the code of all three cases before the first measurement.
    for (let turn = 0; turn < turns; turn += 1) {
      turnOf(quotesAt(0), full);
      turnOf(quotesAt(0.07), full);
      turnOf(quotesAt(0), healthyView);
    }
    const still = measure(quotesAt(0), full, 0, runs, turns);
    const moved = measure(quotesAt(0.07), full, 2 * LEVELS, runs, turns);
    const placed = measure(quotesAt(0), healthyView, 2 * LEVELS, runs, turns);
    const quoting: Record<string, number> = {};
    for (const [name, params] of Object.entries(strategies)) quoting[name] = await quotingUs(name, params, runs, turns);
    const value = Math.max(still, moved, placed) + Math.max(...Object.values(quoting));
    return {
      name: "turn",
      value,
      unit: "us",
      reference: "the goal",
      referenceValue: GOAL_US,
      ratio: GOAL_US / value,
      beside: { stillUs: still, movedUs: moved, placedUs: placed, ...quoting },
    };
  },
};
