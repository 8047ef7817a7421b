// Faults that act at once on the chain or on all open streams: a paused market, a halted, late or jumping oracle, a wrong clock.

import { BPS, type MarketId, type Price, price } from "../../../domain/units.ts";
import { unreachable } from "../../../kernel/assert.ts";
import type { Clock, Timer } from "../../../kernel/clock.ts";
import { unwritable } from "../../chain/admission/answer.ts";
import type { Chain } from "../../chain/chain.ts";
import type { DuePrint, PrintSource } from "../../chain/sources.ts";
import type { Receipt } from "../../event.ts";
import type { Connection } from "../stream/stream.ts";
import type { FaultAct } from "./fault-rules.ts";
import type { ForeignSpeech } from "./foreign-words.ts";

/** The delay of prints per market and the error of the clock. Both are read whenever a block is made. */
export type Disturbance = {
  readonly lateMs: Map<MarketId, number>;
  offsetMs: number;
  /** Timers that end acts with a limited duration. */
  readonly endings: Set<Timer>;
};

export const noDisturbance = (): Disturbance => ({ lateMs: new Map(), offsetMs: 0, endings: new Set() });

export type FaultActModules = {
  readonly chain: Chain;
  /** The true time. */
  readonly clock: Clock;
  readonly disturbance: Disturbance;
  readonly connections: () => readonly Connection[];
  readonly speech: ForeignSpeech;
};

const done: Receipt = { status: "success", events: [] };
const unknownMarket = (market: MarketId): Receipt => ({
  status: "failed",
  code: "UnknownMarket",
  error: `there is no market ${market}`,
});

/** Delay before an act's end is tried again when the disk fails. */
const RETRY_MS = 200;

/**
 * Performs the act. A pause or halt with a duration ends after it, or later, once the disk can be written. A failed receipt means that
 * nothing changed.
 */
export function actFault(act: FaultAct, modules: FaultActModules): Receipt {
  const { chain, disturbance } = modules;
  switch (act.kind) {
    case "muteStream":
      for (const connection of modules.connections()) connection.mute();
      return done;
    case "dropStream":
      for (const connection of modules.connections()) connection.drop();
      return done;
    case "clockOffset":
      disturbance.offsetMs = act.offsetMs;
      return done;
    case "foreignWords":
      modules.speech.speak(act.words);
      return done;
    case "oracleLate":
      if (chain.reads.market(act.marketId) === undefined) return unknownMarket(act.marketId);
      disturbance.lateMs.set(act.marketId, act.lateMs);
      return done;
    case "oracleJump":
      return jump(chain, act.marketId, act.bps);
    case "marketPaused":
      return forAWhile(modules, act.forMs, (paused) =>
        chain.control.setMarketStatus(act.marketId, paused ? "Paused" : "Active"),
      );
    case "oracleHalted":
      return forAWhile(modules, act.forMs, (halted) =>
        chain.control.setOracle(act.marketId, { status: halted ? "Halted" : "Active" }),
      );
    default:
      return unreachable(act);
  }
}

function jump(chain: Chain, market: MarketId, bps: number): Receipt {
  const oracle = chain.reads.oracle(market);
  return oracle === undefined ? unknownMarket(market) : chain.control.publishPrint(market, moved(oracle.price, bps));
}

const moved = (from: Price, bps: number): Price => price((from * (BPS + BigInt(bps))) / BPS);

function forAWhile(modules: FaultActModules, forMs: number | null, set: (on: boolean) => Receipt): Receipt {
  const { clock, disturbance } = modules;
  const receipt = set(true);
  if (receipt.status === "failed" || forMs === null) return receipt;
  function endAfter(ms: number): void {
    const ending = clock.after(ms, () => {
      disturbance.endings.delete(ending);
      const ended = set(false);
      if (ended.status === "failed" && ended.code === unwritable.code) endAfter(RETRY_MS);
    });
    disturbance.endings.add(ending);
  }
  endAfter(forMs);
  return receipt;
}

/** The chain's clock with the offset of the fault. Only wall time is off; timers and monotonic time are not. */
export function disturbedClock(clock: Clock, disturbance: Disturbance): Clock {
  return { ...clock, wallMs: () => clock.wallMs() + disturbance.offsetMs };
}

/**
 * Publishes prints with the fault's delay. Waiting prints keep their order; a newer print of the same market replaces the waiting one. A
 * block that could not begin asks for the same prints again, so they are dropped only when the next block asks.
 */
export function disturbedPrints(prints: PrintSource, disturbance: Disturbance): PrintSource {
  const waiting = new Map<MarketId, { readonly print: DuePrint; readonly atMs: number }>();
  let lastMs = 0;
  return {
    printsDue(height, logicalMs) {
      const due = prints.printsDue(height, logicalMs);
      if (logicalMs > lastMs) {
        for (const [market, { atMs }] of waiting) if (atMs <= lastMs) waiting.delete(market);
        lastMs = logicalMs;
      }
      if (waiting.size === 0 && disturbance.lateMs.size === 0) return due;
      for (const print of due) {
        const lateMs = height === 0 ? 0 : (disturbance.lateMs.get(print.marketId) ?? 0);
        waiting.set(print.marketId, { print, atMs: logicalMs + lateMs });
      }
      const ready = [...waiting.values()].filter(({ atMs }) => atMs <= logicalMs).map(({ print }) => print);
      return ready.sort((a, b) => a.marketId - b.marketId);
    },
  };
}
