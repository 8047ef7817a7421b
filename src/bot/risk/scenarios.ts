// What an account would lose with every position at its limit, on whichever side loses: prints that leap, funding at its cap, a print
// that comes late; and what the next prints together lose at most in 99 of 100 cases. Before it happens, from configuration and facts.

import { maintenanceMargin } from "../../domain/margin.ts";
import type { MarginTier } from "../../domain/market.ts";
import { divideCeil, notionalCeil, usdcOf } from "../../domain/rounding.ts";
import {
  AMOUNT_SCALE,
  BPS,
  type MarketId,
  type Price,
  price,
  type Size,
  size,
  type Usdc,
  usdc,
} from "../../domain/units.ts";
import { DOUBT_DEVIATIONS } from "./prints.ts";

/** A market with the largest position that its limits allow. */
export type AtLimit = {
  readonly marketId: MarketId;
  /** Contracts, above zero; the side is the scenario's. */
  readonly position: Size;
  readonly price: Price;
  readonly marginTiers: readonly MarginTier[];
  /** How far a print typically is from what was expected, basis points. */
  readonly printDeviationBps: number;
  /** How far a print moves the price in 1 % of the cases on either side, basis points. */
  readonly tailMoveBps: number;
  /** Of one settlement, basis points of notional. */
  readonly maxFundingRateBps: number;
};

export type AccountAtLimits = {
  readonly equity: Usdc;
  readonly markets: readonly AtLimit[];
  /** Of surprises by prints, in the order of the markets; null: unknown, and then all surprise together. */
  readonly correlations: readonly (readonly number[])[] | null;
};

export type ScenarioName = "printGap" | "fundingCap" | "latePrint";

export type Scenario = {
  readonly scenario: ScenarioName;
  /** By how many print deviations every index moves at once; null: prices stay. */
  readonly deviations: number | null;
  /** Above zero, USDC. */
  readonly loss: Usdc;
  /** Equity over maintenance margin afterwards: liquidation at 1 and below. Null: no margin is needed. */
  readonly marginRatio: number | null;
  /** How much further every price has to move the same way until liquidation, whole basis points. Null: no move does it. */
  readonly liquidationDistanceBps: number | null;
};

const GAPS = [-8, -3, -1, 1, 3, 8];
const LATE_GAPS = [-3, 3];
/** A print that is a whole interval late tells two intervals at once. */
const LATE_INTERVALS = 2;
export const VAR_CONFIDENCE = 0.99;
const PPM = 1_000_000n;

/**
 * Positions as large as each market's `maxPosition`, all of them scaled down where together they exceed `maxGrossNotional`. Null: no such
 * limit.
 */
export function withinGross(markets: readonly AtLimit[], maxGrossNotional: Usdc | null): readonly AtLimit[] {
  const gross = markets.reduce((sum, { price, position }) => sum + notionalCeil(price, position), 0n);
  if (maxGrossNotional === null || gross <= maxGrossNotional) return markets;
  return markets.map((market) => ({ ...market, position: size((market.position * maxGrossNotional) / gross) }));
}

/** Every scenario, gaps downward first. Throws RangeError where a market has no margin tiers. */
export function scenariosOf(account: AccountAtLimits): readonly Scenario[] {
  const moved = (scenario: ScenarioName, deviations: number, stretch: number): Scenario => {
    const after = account.markets.map((market) => movedBy(market, deviations * stretch * market.printDeviationBps));
    return { scenario, deviations, ...outcomeOf(account, after, Math.sign(deviations)) };
  };
  const funding = account.markets.map((market) => ({
    ...market,
    loss: share(notionalCeil(market.price, market.position), BigInt(market.maxFundingRateBps), BPS),
  }));
  return [
    ...GAPS.map((deviations) => moved("printGap", deviations, 1)),
    // Longs pay it: their liquidation lies below.
    { scenario: "fundingCap", deviations: null, ...outcomeOf(account, funding, -1) },
    ...LATE_GAPS.map((deviations) => moved("latePrint", deviations, Math.sqrt(LATE_INTERVALS))),
  ];
}

/** What the next print of every market together loses at most in 99 of 100 cases, USDC: the signs of positions at their worst. */
export function valueAtRisk({ markets, correlations }: AccountAtLimits): Usdc {
  const losses = markets.map((market) => usdcOf(movedBy(market, -market.tailMoveBps).loss));
  const variance = losses.reduce(
    (sum, a, i) => sum + losses.reduce((row, b, j) => row + a * b * Math.abs(correlations?.[i]?.[j] ?? 1), 0),
    0,
  );
  return usdc(BigInt(Math.ceil(Math.sqrt(variance) * 10 ** AMOUNT_SCALE)));
}

/** USDC that a market at its limit loses by the largest trusted print: a larger `maxLoss` never acts on one print. */
export const largestBelievedLoss = (market: AtLimit): Usdc =>
  movedBy(market, -DOUBT_DEVIATIONS * market.printDeviationBps).loss;

/** By how much the price has to move, whole basis points, until a market at its limit has lost `amount`; null: no position may be held. */
export function moveThatLoses(
  { price: at, position }: Pick<AtLimit, "price" | "position">,
  amount: Usdc,
): number | null {
  const held = notionalCeil(at, position);
  return held === 0n ? null : Number(divideCeil(amount * BPS, held));
}

type Moved = AtLimit & { readonly loss: Usdc };

const share = (amount: Usdc, parts: bigint, of: bigint): Usdc => usdc(divideCeil(amount * parts, of));

/** `bps`: of the price, signed. */
function movedBy(market: AtLimit, bps: number): Moved {
  const ppm = BigInt(Math.ceil(Math.abs(bps) * 100));
  const moved = bps < 0 ? PPM - ppm : PPM + ppm;
  const after = price((market.price * (moved > 0n ? moved : 0n)) / PPM);
  return { ...market, price: after, loss: share(notionalCeil(market.price, market.position), ppm, PPM) };
}

/** `sign`: -1 where longs lose, 1 where shorts do. */
function outcomeOf({ equity }: AccountAtLimits, after: readonly Moved[], sign: number) {
  const loss = usdc(after.reduce((sum, market) => sum + market.loss, 0n));
  const left = usdc(equity - loss);
  const maintenance = maintenanceOf(after, 0n);
  return {
    loss,
    marginRatio: maintenance === 0n ? null : Number(left) / Number(maintenance),
    liquidationDistanceBps: distanceOf(left, after, BigInt(sign)),
  };
}

/** Maintenance margin once prices have moved on by `bps`, signed. */
const maintenanceOf = (markets: readonly AtLimit[], bps: bigint): Usdc =>
  usdc(
    markets.reduce((sum, { marginTiers, price: at, position }) => {
      const moved = price((at * (BPS + bps)) / BPS);
      return sum + maintenanceMargin(marginTiers, notionalCeil(moved, position));
    }, 0n),
  );

/** Bisection: equity less maintenance margin falls with the distance, since no maintenance rate reaches 100 %. */
function distanceOf(equity: Usdc, markets: readonly AtLimit[], sign: bigint): number | null {
  const isLiquidated = (bps: bigint): boolean => {
    const loss = markets.reduce(
      (sum, { price: at, position }) => sum + share(notionalCeil(at, position), bps, BPS),
      0n,
    );
    return equity - loss <= maintenanceOf(markets, sign * bps);
  };
  // Prices fall to nothing and no further; they may rise tenfold.
  let [safe, fatal] = [-1n, sign < 0n ? BPS : 10n * BPS];
  if (markets.every(({ position }) => position === 0n) || !isLiquidated(fatal)) return null;
  while (fatal - safe > 1n) {
    const middle = (safe + fatal) / 2n;
    if (isLiquidated(middle)) fatal = middle;
    else safe = middle;
  }
  return Number(fatal);
}
