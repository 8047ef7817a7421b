// A bot before an exchange that words one thing otherwise: it quotes while prints move and takers come, is refused and rejected, and closes its
// position at the end. The exchange's own truth judges it.

import { vi } from "vitest";
import { defaultFlatten } from "../../src/bot/decider/acting/flatten.ts";
import type { Flattened } from "../../src/bot/decider/output.ts";
import type { ForeignWords } from "../../src/devnet/api/faults/foreign-words.ts";
import type { DevnetConfig } from "../../src/devnet/config/config.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import type { SimulatedExchange } from "../../src/sim/exchange.ts";
import { begin, end } from "../../src/sim/faults/strike.ts";
import { type HaltedWorld, haltedWorld } from "./halted-world.ts";

export type Judged = {
  /** Share of the time in which both sides of market 1 had an order of ours at the exchange, after the first seconds. */
  readonly twoSided: number;
  /** Most of ours that rested at once. */
  readonly most: number;
  /** How often the exchange and the bot had another number of orders, for longer than answers and reads take. */
  readonly miscounted: number;
  /** Answers and frames that differed from the devnet's own. */
  readonly reworded: number;
  /** Transactions of ours by what the exchange said: executed and refused, and never executed. */
  readonly refused: number;
  readonly rejected: number;
  /** False: its start was refused. */
  readonly isRunning: boolean;
  /** How its position was closed at the end; null where it was not running. */
  readonly flattened: Flattened["kind"] | null;
  /** Ours that rest after that. */
  readonly left: number;
  readonly latches: readonly string[];
  readonly log: readonly string[];
};

const LEVELS = 2;
export const ORDERS = 4 * LEVELS;
const STARTED_MS = 12_000;
const LOOK_MS = 250;
const CHANGES_MS = { fewer: 15_000, more: 25_000, crossed: 35_000, rejected: 42_000 };
const REJECTED_FOR_MS = 500;
/** A success may take so long to show itself: the lag of a read, and the next read. */
const COUNT_LAG_MS = 9000;
/** The bot has moved its bids out of the way and sent its offers, which take 5 ms to arrive. */
const CROSSED_AFTER_MS = 19;
const FLATTEN_MS = 30_000;

export async function judge(
  words: ForeignWords,
  { forMs, devnet = {} }: { readonly forMs: number; readonly devnet?: Partial<DevnetConfig> },
): Promise<Judged> {
  const halted = await haltedWorld({ levels: LEVELS, devnet });
  const { world } = halted;
  const { speech } = world.exchange;
  speech.speak(words);
  const heard = listen(speech);
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
    if (ms === CHANGES_MS.crossed) usd = await cross(halted, usd);
    if (ms === CHANGES_MS.rejected) reject(halted);
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
  const latches = halted.latches();
  const flattened = isRunning ? await flatten(halted, usd) : null;
  const left = halted.resting().length;
  return {
    twoSided: twoSided / looks,
    most,
    miscounted,
    ...heard(),
    isRunning,
    flattened,
    left,
    latches,
    log: halted.lines(),
  };
}

/** What the exchange says, and in other words than its own. */
function listen(speech: SimulatedExchange["speech"]) {
  const replies = vi.spyOn(speech, "reply");
  const frames = vi.spyOn(speech, "frames");
  return (): Pick<Judged, "reworded" | "refused" | "rejected"> => {
    const own = replies.mock.calls.filter(([path]) => path === "/v1/tx").map(([, reply]) => reply);
    const other = replies.mock.calls.filter(([, { status, text }], at) => {
      const said = replies.mock.results[at]?.value;
      return said.status !== status || said.text !== text;
    });
    const otherFrames = frames.mock.calls.filter(([{ text }], at) => {
      const said = frames.mock.results[at]?.value;
      return said.length !== 1 || said[0].text !== text || said[0].isBinary;
    });
    return {
      reworded: other.length + otherFrames.length,
      refused: own.filter(({ text }) => text.startsWith('{"status":"failed"')).length,
      rejected: own.filter(({ status }) => status === 400).length,
    };
  };
}

/** The index falls, and another bids where the bot's offer is already on its way to: it is refused, since it would trade. */
async function cross({ world, print, rest, take }: HaltedWorld, usd: number): Promise<number> {
  print(usd - 0.5);
  await world.clock.advance(CROSSED_AFTER_MS);
  await rest("buy", 0.01, usd - 0.22);
  await world.clock.advance(20);
  await take("sell", 0.01);
  return usd - 0.5;
}

/** Every new order of half a second is turned away before it executes. */
function reject({ world }: HaltedWorld): void {
  const fault = {
    id: 0,
    kind: "badAnswers",
    how: "ordersRejected",
    atMs: 0,
    forMs: REJECTED_FOR_MS,
    amount: 1,
  } as const;
  begin(fault, world);
  world.clock.after(REJECTED_FOR_MS, () => end(fault, world));
}

/** Halts it and lets it close its position with those who bid and offer then. */
async function flatten(halted: HaltedWorld, usd: number): Promise<Flattened["kind"] | null> {
  const { world } = halted;
  world.halt("the end");
  await world.clock.advance(LOOK_MS);
  await halted.rest("buy", 5, usd - 0.2);
  await halted.rest("sell", 5, usd + 0.2);
  let kind: Flattened["kind"] | null = null;
  void world.daemon.bot?.flatten(defaultFlatten)?.then(([one]) => {
    kind = one?.kind ?? null;
  });
  for (let ms = 0; ms < FLATTEN_MS && kind === null; ms += LOOK_MS) await world.clock.advance(LOOK_MS);
  return kind;
}
