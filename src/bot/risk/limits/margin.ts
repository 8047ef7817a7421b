// Margin of the worst case: initial margin at the tier that the worst case reaches, and maintenance margin after a shock against it. The
// tier of the current position would be wrong, because fills may carry it into the next tier.

import { bpsOf } from "../../../domain/fees.ts";
import { initialMargin, leverageCap, maintenanceMargin, worstPrice } from "../../../domain/margin.ts";
import type { Market } from "../../../domain/market.ts";
import { divideCeil, divideFloor, notionalCeil } from "../../../domain/rounding.ts";
import { type Price, type Size, type Usdc, usdc } from "../../../domain/units.ts";
import type { Funds } from "../../../domain/view.ts";
import type { MarketLimits } from "./limits.ts";

export type MarginNeed = {
  /** Initial margin of the worst case here and of everything elsewhere, USDC. */
  readonly initial: Usdc;
  /** Equity minus the haircut that must stay free of initial margin. */
  readonly initialAllowed: Usdc;
  /** Maintenance margin here and elsewhere, times the required ratio. */
  readonly maintenance: Usdc;
  /** Equity after the shock. */
  readonly equityAfterShock: Usdc;
};

/** The part that is the same for every worst case of a batch. */
export type MarginBase = {
  readonly market: Market;
  /** Price at which margin and notional are largest. */
  readonly at: Price;
  readonly equity: Usdc;
  readonly initialElsewhere: Usdc;
  readonly initialAllowed: Usdc;
  readonly maintenanceElsewhere: Usdc;
  readonly shockBps: number;
  readonly maintenanceRatio: number;
};

export function marginBase(
  facts: { readonly market: Market; readonly oraclePrice: Price; readonly funds: Funds; readonly inventory: Size },
  limits: Pick<MarketLimits, "marginHaircutRatio" | "marginShockBps" | "minMaintenanceRatio">,
): MarginBase {
  const { market, oraclePrice, funds, inventory } = facts;
  const held = notionalCeil(oraclePrice, inventory);
  const here = maintenanceMargin(market.marginTiers, usdc(held < 0n ? -held : held));
  const elsewhere = funds.maintenanceMargin - here;
  return {
    market,
    at: worstPrice(oraclePrice, market.markPrice),
    equity: funds.equity,
    initialElsewhere: funds.initialMarginElsewhere,
    initialAllowed: usdc(divideFloor(funds.equity * scale(1 - limits.marginHaircutRatio), SCALE)),
    maintenanceElsewhere: usdc(elsewhere > 0n ? elsewhere : 0n),
    shockBps: limits.marginShockBps,
    maintenanceRatio: limits.minMaintenanceRatio,
  };
}

/**
 * Margin for a worst case of `contracts` (one side, not negative). Orders use the market's maximum leverage (S4.6), so the leverage is the
 * cap at the worst notional. Throws RangeError if the market has no tiers.
 */
export function marginNeed(contracts: Size, base: MarginBase): MarginNeed {
  const { market, at, equity } = base;
  const worst = notionalCeil(at, contracts);
  const maintenance = maintenanceMargin(market.marginTiers, worst) + base.maintenanceElsewhere;
  return {
    initial: usdc(initialMargin(worst, leverageCap(market, worst)) + base.initialElsewhere),
    initialAllowed: base.initialAllowed,
    maintenance: usdc(divideCeil(maintenance * scale(base.maintenanceRatio), SCALE)),
    equityAfterShock: usdc(equity - bpsOf(worst, base.shockBps)),
  };
}

/** Ratios have 4 decimals. */
const SCALE = 10_000n;
const scale = (ratio: number): bigint => BigInt(Math.round(ratio * 10_000));
