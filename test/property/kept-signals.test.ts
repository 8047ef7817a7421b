// Estimates that go through a text and another process are those of one that ran through: at once, and whatever comes later.

import fc from "fast-check";
import { expect, test } from "vitest";
import { estimatesOf } from "../../src/bot/strategy/estimates.ts";
import { readSignalsText, signalsText } from "../../src/bot/strategy/kept-signals.ts";
import { noReachWatch } from "../../src/bot/strategy/reach.ts";
import {
  foldFill,
  foldQuotes,
  foldSignals,
  readSignals,
  type SignalState,
  startSignals,
} from "../../src/bot/strategy/signals.ts";
import type { VenueEvent } from "../../src/domain/event.ts";
import type { OracleHistory } from "../../src/domain/market.ts";
import { orderId } from "../../src/domain/units.ts";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { createPrng, type Prng } from "../../src/kernel/prng.ts";
import { lots, market, oracle, order, usd } from "../unit/bot/risk/healthy.ts";

const PRINT_SEC = 1200;
const FUNDING_SEC = 300;
const WALL_MS = 1_790_000_000_000;
const ORIGIN = { chainId: "chain-2", name: "USA-HPI" };

type Step = { readonly ms: number; readonly fold: (state: SignalState, byMs: number) => SignalState };

/** Prints of the day before. */
function history(prng: Prng): OracleHistory {
  const midnightSec = Math.floor(WALL_MS / DAY_MS) * (DAY_MS / 1000);
  const prices = Array.from({ length: 60 }, (_, at) => ({
    timeSec: midnightSec - (60 - at) * PRINT_SEC,
    price: usd(200 + 0.1 * prng.gaussian()),
  }));
  return { marketId: 1, prices };
}

/** What a market shows for a while from `fromSec` on: books and takers, premiums, settlements, prints and fills of ours; times from zero. */
function shown(prng: Prng, fromSec: number, seconds: number): readonly Step[] {
  const steps: Step[] = [];
  let [mid, index] = [200, 200];
  for (let sec = fromSec; sec < fromSec + seconds; sec += 4) {
    const ms = sec * 1000;
    const chainTimeMs = WALL_MS + ms;
    mid += 0.002 * prng.gaussian() + 0.01 * (index - mid);
    const own = { orders: [], vacated: [], orderSize: lots(1), chainTimeMs };
    const tell = (event: VenueEvent) =>
      steps.push({
        ms,
        fold: (state, byMs) => foldSignals(state, { ...event, receivedMs: ms + byMs } as VenueEvent, own),
      });
    const level = (at: number) => ({ price: usd(at), size: lots(1 + prng.float()), orderCount: 1 });
    const received = { receivedMs: ms, askedMs: ms };
    const printedSec = WALL_MS / 1000 + Math.floor(sec / PRINT_SEC) * PRINT_SEC;
    if (sec % PRINT_SEC < 4 || sec === fromSec) {
      index *= 1 + 0.0005 * prng.gaussian();
      const [validUntilSec, lastUpdateTimestampMs] = [printedSec + PRINT_SEC + 60, printedSec * 1000];
      tell({
        kind: "oracleRead",
        ...received,
        oracle: { ...oracle, price: usd(index), validUntilSec, lastUpdateTimestampMs },
      });
    }
    if (sec === 0 && prng.chance(0.5)) tell({ kind: "oracleHistoryRead", ...received, history: history(prng) });
    tell({ kind: "marketRead", ...received, market: { ...market, markPrice: usd(mid), oraclePrice: usd(index) } });
    if (sec % 60 < 4 || sec === fromSec) {
      const lastFundingTimestampSec = WALL_MS / 1000 + Math.floor(sec / FUNDING_SEC) * FUNDING_SEC;
      const funding = {
        marketId: 1,
        fundingRate: 0n,
        lastFundingTimestampSec,
        fundingIntervalSecs: FUNDING_SEC,
        maxFundingRateBps: 100,
      };
      tell({ kind: "fundingRead", ...received, funding } as unknown as VenueEvent);
    }
    if (sec % FUNDING_SEC < 4) {
      const fundingRate = BigInt(Math.round((1e9 / 96) * (mid / index - 1)));
      const lastFundingTimestampSec = WALL_MS / 1000 + Math.floor(sec / FUNDING_SEC) * FUNDING_SEC;
      tell({
        kind: "fundingUpdate",
        ...received,
        marketId: 1,
        fundingRate,
        lastFundingTimestampSec,
      } as unknown as VenueEvent);
    }
    tell({ kind: "book", ...received, book: { marketId: 1, bids: [level(mid - 0.1)], asks: [level(mid + 0.1)] } });
    const [lean, orders] = [
      { inventory: prng.gaussian(), wantedStd: 1 },
      [order(1, "buy", 190, 1), order(2, "sell", 210, 1)],
    ];
    steps.push({ ms, fold: (state, byMs) => foldQuotes(state, { lean }, { ...own, orders }, ms + byMs) });
    if (prng.chance(0.2)) {
      const takerSide = prng.pick(["buy", "sell"] as const);
      const at = mid + (takerSide === "buy" ? 1 : -1) * 0.2 * prng.float();
      const ids = { takerOrderId: orderId(BigInt(sec + 1)), makerOrderId: orderId(0n), txHash: "", timestampMs: null };
      tell({ kind: "trade", ...received, trade: { marketId: 1, price: usd(at), size: lots(1), takerSide, ...ids } });
      const price = usd(at);
      const side = takerSide === "buy" ? "sell" : "buy";
      if (prng.chance(0.5)) steps.push({ ms, fold: (state, byMs) => foldFill(state, { side, price }, ms + byMs) });
    }
  }
  return steps;
}

const seen = (state: SignalState, nowMs: number) => ({
  signals: readSignals(state),
  estimates: estimatesOf(state, nowMs),
});

test("law: what is read back is what a process that ran through has, now and after whatever comes", () => {
  const world = fc.record({
    seed: fc.bigInt({ min: 1n, max: 1n << 60n }),
    seconds: fc.integer({ min: 1, max: 6 * PRINT_SEC }),
    downSec: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 10 * 86_400 })),
    bootedMs: fc.integer({ min: 0, max: 1e9 }),
  });
  fc.assert(
    fc.property(world, ({ seed, seconds, downSec, bootedMs }) => {
      const prng = createPrng(seed);
      let ranThrough = startSignals(1);
      for (const { fold } of shown(prng, 0, seconds)) ranThrough = fold(ranThrough, 0);
      const [diedMs, againMs] = [seconds * 1000, (seconds + downSec) * 1000];
      const text = signalsText(ranThrough, ORIGIN, { monotonicMs: diedMs, wallMs: WALL_MS + diedMs });
      const byMs = bootedMs - againMs;
      const now = { monotonicMs: bootedMs, wallMs: WALL_MS + againMs };
      let restarted = readSignalsText(text, 1, ORIGIN.chainId, now).state;
      // What the next look at the book shows alone, and which of its trades one order swept.
      const bare = { midUsd: null, midSinceMs: null };
      ranThrough = { ...ranThrough, ...bare, intensity: { ...ranThrough.intensity, watch: noReachWatch } };
      expect(seen(restarted, bootedMs)).toEqual(seen(ranThrough, againMs));
      for (const { ms, fold } of shown(prng, seconds + downSec, 2 * PRINT_SEC)) {
        ranThrough = fold(ranThrough, 0);
        restarted = fold(restarted, byMs);
        if (prng.chance(0.05)) expect(seen(restarted, ms + byMs)).toEqual(seen(ranThrough, ms));
      }
    }),
    { numRuns: 30 },
  );
});
