// Days of one market with one print a day, run through the shipped strategies in steps of a minute: noise takers all day, takers who know
// the print half an hour ahead, and one who takes stale quotes when it comes.

import type { Quotes } from "../../src/domain/quotes.ts";
import { usdOf } from "../../src/domain/rounding.ts";
import type { View } from "../../src/domain/view.ts";
import { createPrng, type Prng } from "../../src/kernel/prng.ts";
import { exp } from "../../src/kernel/real.ts";
import { strategy as glft } from "../../strategies/glft.ts";
import { strategy as printAware } from "../../strategies/print-aware.ts";
import { chainTimeMs, healthyView, lots, market, now, oracle, usd } from "../unit/bot/risk/healthy.ts";
import { plainHeld } from "./plain-bot.ts";
import { asksOf, bidsOf } from "./several-hands.ts";

/** The experiment's flow and prices; a lot is a contract of 100 USD, so that a basis point is a cent. */
const BPS_USD = 0.01;
const START_USD = 100;
const MINUTES = 1440;
const MINUTE_MS = 60_000;
const DAY_MS = MINUTES * MINUTE_MS;
/** Basis points: of the price over a day, and of a print. */
const SIGMA_BPS = 30;
const JUMP_BPS = 30;
const NOISE = { perMinute: 0.6, decayPerBps: 0.25 } as const;
const WINDOW_MINUTES = 30;
const INFORMED_PER_MINUTE = 0.2;
const SNIPE = 0.8;

const glftParams = {
  size: 1,
  maxInventory: 50,
  gamma: 0.002 / BPS_USD,
  volatilityBps: SIGMA_BPS / Math.sqrt(86_400),
  intensityA: NOISE.perMinute / 60,
  depthBps: 1 / NOISE.decayPerBps,
  minHalfSpreadBps: 0,
};
const overlay = { base: { strategy: "glft", params: glftParams }, carryWeight: 0, surpriseBps: JUMP_BPS };

export type Variant = { readonly name: string; readonly start: () => (view: View) => Quotes };

const guarded = (name: string, written: object): Variant => {
  const params = printAware.params.parse({ ...overlay, ...written });
  return {
    name,
    start() {
      const memory = printAware.start(params);
      return (view) => printAware.quote(view, params, memory);
    },
  };
};

/** Plain first, then as shipped. The least pull is shorter than a step. */
export const variants: readonly Variant[] = [
  {
    name: "glft",
    start() {
      const params = glft.params.parse(glftParams);
      return (view) => glft.quote(view, params, null);
    },
  },
  guarded("widen", {}),
  guarded("widen, no pull", { pullMinutes: 0.01 }),
  guarded("reduceOnly", { guard: "reduceOnly" }),
];

export type Days = {
  /** Lots x basis points a day: mean, standard deviation and worst day. */
  readonly mean: number;
  readonly deviation: number;
  readonly worst: number;
  /** Loss of the held position by prints, per day; and that position's root mean square, lots. */
  readonly jump: number;
  readonly heldAtPrint: number;
  /** Share of the minutes with quotes on both sides. */
  readonly uptime: number;
};

/** The same days for every variant: flow, prices and prints are drawn from streams of their own. */
export function runDays({ start }: Variant, days: number): Days {
  const quote = start();
  const [prices, flow] = [createPrng(1n), createPrng(2n)];
  const sums = { jump: 0, heldSquares: 0, twoSided: 0 };
  const results: number[] = [];
  let [mid, printUsd, inventory, cash] = [START_USD, START_USD, 0, 0];
  for (let day = 0; day < days; day += 1) {
    const before = cash + inventory * mid;
    const jump = JUMP_BPS * BPS_USD * prices.gaussian();
    for (let minute = 0; minute < MINUTES; minute += 1) {
      const toPrint = MINUTES - minute;
      const depths = depthsOf(quote(viewOf({ mid, printUsd, inventory, day, minute })), mid);
      if (depths.buy !== undefined && depths.sell !== undefined) sums.twoSided += 1;
      const traded = tradesOf(flow, depths, jump, toPrint);
      inventory += traded.lots;
      cash += traded.cashUsd - traded.lots * mid;
      if (toPrint > 1) mid += SIGMA_BPS * BPS_USD * Math.sqrt(1 / MINUTES) * prices.gaussian();
    }
    sums.jump += inventory * jump;
    sums.heldSquares += inventory ** 2;
    mid += jump;
    printUsd = mid;
    results.push((cash + inventory * mid - before) / BPS_USD);
  }
  const mean = results.reduce((sum, each) => sum + each, 0) / days;
  return {
    mean,
    deviation: Math.sqrt(results.reduce((sum, each) => sum + (each - mean) ** 2, 0) / days),
    worst: Math.min(...results),
    jump: sums.jump / BPS_USD / days,
    heldAtPrint: Math.sqrt(sums.heldSquares / days),
    uptime: sums.twoSided / (days * MINUTES),
  };
}

/** Distance of the first level of each side from the mid, USD; undefined: it is not quoted. */
type Depths = { readonly buy: number | undefined; readonly sell: number | undefined };

function depthsOf({ quotes }: Quotes, mid: number): Depths {
  const at = (side: "buy" | "sell") => {
    const quoted = quotes.find((one) => one.side === side);
    return quoted && Math.abs(usdOf(quoted.price) - mid);
  };
  return { buy: at("buy"), sell: at("sell") };
}

/** One minute's takers that trade with us: lots that we gain, and the earnings of their depth. Every draw is made, whatever is quoted. */
function tradesOf(flow: Prng, { buy, sell }: Depths, jump: number, toPrint: number) {
  const [sells, buys, informed, sniper] = [flow.float(), flow.float(), flow.float(), flow.float()];
  const arrives = (depth: number, draw: number) =>
    draw < 1 - exp(-NOISE.perMinute * exp((-NOISE.decayPerBps * depth) / BPS_USD));
  const knows =
    (toPrint <= WINDOW_MINUTES && informed < INFORMED_PER_MINUTE ? 1 : 0) + (toPrint === 1 && sniper < SNIPE ? 1 : 0);
  const bought = buy === undefined ? 0 : (arrives(buy, sells) ? 1 : 0) + (-jump > buy ? knows : 0);
  const sold = sell === undefined ? 0 : (arrives(sell, buys) ? 1 : 0) + (jump > sell ? knows : 0);
  return { lots: bought - sold, cashUsd: bought * (buy ?? 0) + sold * (sell ?? 0) };
}

type Moment = {
  readonly mid: number;
  readonly printUsd: number;
  readonly inventory: number;
  readonly day: number;
  readonly minute: number;
};

const ISSUED_SEC = chainTimeMs / 1000;
const depth = lots(100);

/** The market's own book is wide enough to hold no quote back. */
function viewOf({ mid, printUsd, inventory, day, minute }: Moment): View {
  const elapsedMs = day * DAY_MS + minute * MINUTE_MS;
  const nextMs = chainTimeMs + (day + 1) * DAY_MS;
  const level = (at: number) => ({ price: usd(at), size: depth, orderCount: 1 });
  return {
    ...healthyView,
    nowMs: elapsedMs,
    market: now({ ...market, tickSize: 1n as never }),
    oracle: now({ ...oracle, price: usd(printUsd), validUntilSec: ISSUED_SEC + (day + 1) * 86_400 + 60 }),
    book: {
      state: "fresh",
      value: { marketId: 1, bids: bidsOf(level(mid - 2)), asks: asksOf(level(mid + 2)) },
      ageMs: 0,
    },
    chain: now({ height: 100 + elapsedMs / 500, timeMs: chainTimeMs + elapsedMs, offsetMs: 0, blockMs: 500 }),
    position: now(plainHeld(lots(inventory), usd(mid))),
    signals: {
      ...healthyView.signals,
      nowcastUsd: mid,
      marketNowcastUsd: mid,
      nextPrint: { atMs: nextMs, earliestMs: nextMs, lastMs: nextMs - DAY_MS, everyMs: DAY_MS },
    },
    feeTier: { state: "absent" },
  };
}
