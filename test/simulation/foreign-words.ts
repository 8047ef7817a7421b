// A bot before an exchange that words one thing otherwise: it quotes while prints move and takers come, and the exchange's own truth judges it.

import type { ForeignWords } from "../../src/devnet/api/faults/foreign-words.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import { haltedWorld } from "./halted-world.ts";

export type Judged = {
  /** Share of the time in which both sides of market 1 had an order of ours at the exchange, after the first seconds. */
  readonly twoSided: number;
  /** Most of ours that rested at once. */
  readonly most: number;
  /** How often the exchange and the bot had another number of orders, for longer than answers and reads take. */
  readonly miscounted: number;
  /** False: its start was refused. */
  readonly isRunning: boolean;
  readonly latches: readonly string[];
  readonly log: readonly string[];
};

const LEVELS = 2;
export const ORDERS = 4 * LEVELS;
const STARTED_MS = 12_000;
const LOOK_MS = 250;
const CHANGES_MS = { fewer: 15_000, more: 25_000 };
/** A success may take so long to show itself: the lag of a read, and the next read. */
const COUNT_LAG_MS = 9000;

export async function judge(words: ForeignWords, { forMs }: { readonly forMs: number }): Promise<Judged> {
  const halted = await haltedWorld({ levels: LEVELS });
  const { world } = halted;
  world.exchange.speech.speak(words);
  const prng = createPrng(1n);
  world.daemon.boot();
  await world.clock.advance(STARTED_MS);
  let [looks, twoSided, most, miscounted] = [0, 0, 0, 0];
  let equalMs = world.clock.elapsedMs();
  let usd = 200;
  for (let ms = 0; ms < forMs; ms += LOOK_MS) {
    if (ms % 2000 === 0) {
      usd += (prng.below(9) - 4) * 0.02;
      halted.print(usd);
    }
    // Fewer levels, and more again: orders are canceled and placed.
    if (ms === CHANGES_MS.fewer) await halted.reload({ levels: 1 });
    if (ms === CHANGES_MS.more) await halted.reload({ levels: LEVELS });
    if (ms % 3000 === 1000) await halted.take(ms % 2 === 0 && prng.chance(0.5) ? "buy" : "sell", 0.2).catch(() => {});
    await world.clock.advance(LOOK_MS);
    const resting = halted.resting(1);
    looks += 1;
    if (new Set(resting.map(({ side }) => side)).size === 2) twoSided += 1;
    most = Math.max(most, halted.resting().length);
    const shown = world.daemon.bot?.status().accounts[0]?.markets[0];
    const counted = (shown?.bids.length ?? 0) + (shown?.asks.length ?? 0);
    const nowMs = world.clock.elapsedMs();
    if (counted === resting.length) equalMs = nowMs;
    if (nowMs - equalMs > COUNT_LAG_MS) {
      miscounted += 1;
      equalMs = nowMs;
    }
  }
  const { isRunning } = world.daemon;
  return { twoSided: twoSided / looks, most, miscounted, isRunning, latches: halted.latches(), log: halted.lines() };
}
