// What an account would lose with every position at its limit, on the losing side: by prints that jump, funding at its cap, or a late
// print; and the loss by all next prints together that is not exceeded in 99 of 100 cases. Computed in advance, from configuration and
// facts.

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
  /** Contracts, above zero; the scenario chooses the side. */
  readonly position: Size;
  readonly price: Price;
  readonly marginTiers: readonly MarginTier[];
  /** Typical distance of a print from its expectation, basis points. */
  readonly printDeviationBps: number;
  /** How far a print moves the price in 1 % of the cases on either side, basis points. */
  readonly tailMoveBps: number;
  /** Too few moves of the index are known: `tailMoveBps` uses the print deviation. */
  readonly isTailAssumed: boolean;
  /** Cap of one settlement, basis points of notional. */
  readonly maxFundingRateBps: number;
};

export type AccountAtLimits = {
  readonly equity: Usdc;
  readonly markets: readonly AtLimit[];
  /** Correlations of print surprises, in the order of the markets; null: unknown, and then all are assumed to move together. */
  readonly correlations: readonly (readonly number[])[] | null;
};

export type ScenarioName = "printGap" | "fundingCap" | "latePrint";

export type Scenario = {
  readonly scenario: ScenarioName;
  /** Simultaneous move of every index in print deviations; null: prices stay. */
  readonly deviations: number | null;
  /** Above zero, USDC. */
  readonly loss: Usdc;
  /** Equity over maintenance margin afterwards: liquidation at 1 and below. Null: no margin is needed. */
  readonly marginRatio: number | null;
  /** Further move of every price in the same direction until liquidation, whole basis points. Null: no move causes it. */
  readonly liquidationDistanceBps: number | null;
};

const GAPS = [-8, -3, -1, 1, 3, 8];
const LATE_GAPS = [-3, 3];
/** A print that is a whole interval late has the news of two intervals. */
const LATE_INTERVALS = 2;
export const VAR_CONFIDENCE = 0.99;
const PPM = 1_000_000n;

/** Positions of each market's `maxPosition`, all scaled down if together they exceed `maxGrossNotional`. Null: no such limit. */
export function withinGross(markets: readonly AtLimit[], maxGrossNotional: Usdc | null): readonly AtLimit[] {
  const gross = markets.reduce((sum, { price, position }) => sum + notionalCeil(price, position), 0n);
  if (maxGrossNotional === null || gross <= maxGrossNotional) return markets;
  return markets.map((market) => ({ ...market, position: size((market.position * maxGrossNotional) / gross) }));
}

/** Every scenario, downward gaps first. Throws RangeError if a market has no margin tiers. */
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
    // Longs pay it, so their liquidation is below.
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

/** Price move, whole basis points, by which a market at its limit loses `amount`; null: no position is allowed. */
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

/** `sign`: -1 if longs lose, 1 if shorts lose. */
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

/** Maintenance margin after prices have moved further by `bps`, signed. */
const maintenanceOf = (markets: readonly AtLimit[], bps: bigint): Usdc =>
  usdc(
    markets.reduce((sum, { marginTiers, price: at, position }) => {
      const moved = price((at * (BPS + bps)) / BPS);
      return sum + maintenanceMargin(marginTiers, notionalCeil(moved, position));
    }, 0n),
  );

/** Bisection: equity minus maintenance margin falls with the distance, because no maintenance rate reaches 100 %. */
function distanceOf(equity: Usdc, markets: readonly AtLimit[], sign: bigint): number | null {
  const isLiquidated = (bps: bigint): boolean => {
    const loss = markets.reduce(
      (sum, { price: at, position }) => sum + share(notionalCeil(at, position), bps, BPS),
      0n,
    );
    return equity - loss <= maintenanceOf(markets, sign * bps);
  };
  // Prices cannot fall below zero; they may rise tenfold.
  let [safe, fatal] = [-1n, sign < 0n ? BPS : 10n * BPS];
  if (markets.every(({ position }) => position === 0n) || !isLiquidated(fatal)) return null;
  while (fatal - safe > 1n) {
    const middle = (safe + fatal) / 2n;
    if (isLiquidated(middle)) fatal = middle;
    else safe = middle;
  }
  return Number(fatal);
}
