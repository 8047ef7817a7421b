// Gates on the exchange's side: stream, market, oracle, book and clock. Every comparison is written so that NaN closes the gate.

import { isCrossed, mid } from "../../../domain/book.ts";
import { BPS } from "../../../domain/units.ts";
import { type ChainClock, type Fact, fresh, lastKnown } from "../../../domain/view.ts";
import type { Facts } from "../../../kernel/errors.ts";
import { isVolatilityWithin, volatilityBoundBps } from "../observed.ts";
import { distance, followPrint } from "../prints.ts";
import { type Gate, type GateId, notFresh } from "./gate.ts";

export const venueGates = {
  stream: {
    controls: "A13",
    rule: "The WebSocket is alive: a frame or a pong within 15 s, on this connection.",
    missing: "closed",
    limits: [],
    closed: ({ view }) => notFresh("stream", view.stream),
  },

  marketStatus: {
    controls: "A2",
    rule: "The market's status is `Active`; any other text closes.",
    missing: "closed",
    limits: [],
    closed: ({ view }) => {
      const market = fresh(view.market);
      if (market === undefined) return notFresh("market", view.market);
      return market.status === "Active" ? null : { status: market.status };
    },
  },

  oracleStatus: {
    controls: "A1",
    rule: "The oracle's status is `Active`.",
    missing: "closed",
    limits: [],
    closed: ({ view }) => {
      const oracle = fresh(view.oracle);
      if (oracle === undefined) return notFresh("oracle", view.oracle);
      return oracle.status === "Active" ? null : { status: oracle.status };
    },
  },

  oracleExpiry: {
    controls: "A1",
    rule: "Chain time, plus a block and a guard, is before the print's validUntil.",
    missing: "closed, also where the exchange does not tell validUntil",
    limits: ["oracleGuardMs"],
    closed: ({ view, limits }) => {
      const oracle = fresh(view.oracle);
      const chain = fresh(view.chain);
      if (oracle === undefined) return notFresh("oracle", view.oracle);
      if (chain === undefined) return notFresh("chain", view.chain);
      if (oracle.validUntilSec === 0) return { validUntil: "unknown" };
      const { oracleGuardMs } = limits.market;
      const leftMs = oracle.validUntilSec * 1000 - chain.timeMs - chain.blockMs;
      return leftMs > oracleGuardMs ? null : { leftMs, oracleGuardMs };
    },
  },

  printMove: {
    controls: "B6",
    rule: "No print awaits confirmation. A print that moves from the last trusted one by more than the limit, or by more than 8 print deviations, must be confirmed: by a second publication, or by an operator (`resume --latch printMove`). No older publication is shown than the newest one.",
    missing: "no print: the oracle gates close; one print: no move yet, open",
    limits: ["maxPrintMoveBps"],
    closed: ({ view, limits, state }) => {
      const { trusted, doubtful, against, newestMs } = followPrint(state.observed.prints, view, limits.market);
      if (doubtful !== null) return { from: trusted?.price ?? null, to: doubtful.price };
      // While the print is stale, the oracle's own gates report it.
      return against === null || view.oracle.state !== "fresh" ? null : { newestMs };
    },
  },

  book: {
    controls: "A12",
    rule: "The book is not crossed, and its mid is near the oracle price. A side may be empty: someone has to quote first.",
    missing: "closed",
    limits: ["maxBookDistanceBps"],
    closed: ({ view, limits }) => {
      const book = fresh(view.book);
      if (book === undefined) return notFresh("book", view.book);
      if (isCrossed(book)) return { bestBid: book.bids[0]?.price ?? null, bestAsk: book.asks[0]?.price ?? null };
      const middle = mid(book);
      const oracle = lastKnown(view.oracle);
      if (middle === undefined) return null;
      if (oracle === undefined) return { oracle: "absent" };
      const { maxBookDistanceBps } = limits.market;
      const near = distance(middle, oracle.price) * BPS <= oracle.price * BigInt(maxBookDistanceBps);
      return near ? null : { mid: middle, oraclePrice: oracle.price, maxBookDistanceBps };
    },
  },

  volatility: {
    controls: "B6",
    rule: "Estimated volatility is within the limit, or six times what is usual; more pauses for a while.",
    missing:
      "open: a market too quiet for an estimate is not volatile. In the first hour, before the usual volatility is known, the limit is 100 bps",
    limits: ["maxVolatilityBps", "volatilityCoolDownMs"],
    closed: ({ view, limits, state }) => {
      const { signals } = view;
      if (!isVolatilityWithin(signals, limits.market))
        return { volatilityBps: signals.volatilityBps, mostBps: volatilityBoundBps(signals, limits.market) };
      return stillPaused(state.observed.pausedUntil.volatilityMs, view.nowMs);
    },
  },

  clock: {
    controls: "A14",
    rule: "Chain time and local time agree within the limit plus one block (at most 2 s): block times lag by up to a block.",
    missing: "closed: validUntil cannot be compared",
    limits: ["maxClockOffsetMs"],
    closed: ({ view, limits }) => clockOff(view.chain, limits.market.maxClockOffsetMs),
  },
} as const satisfies Partial<Record<GateId, Omit<Gate, "id">>>;

/** Null: the machine's clock agrees with the chain's. */
export function clockOff(fact: Fact<ChainClock>, maxClockOffsetMs: number): Facts | null {
  const chain = fresh(fact);
  if (chain === undefined) return notFresh("chain", fact);
  const { offsetMs, blockMs } = chain;
  return Math.abs(offsetMs) <= maxClockOffsetMs + blockMs ? null : { offsetMs, maxClockOffsetMs, blockMs };
}

/** Null once the pause has ended. */
const stillPaused = (untilMs: number, nowMs: number) => (untilMs <= nowMs ? null : { pausedMs: untilMs - nowMs });
