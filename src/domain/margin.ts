// Margin arithmetic shared by bot and devnet (S2.2 marginTiers, S8). The tier depends on the notional.

import type { MarginTier, Market } from "./market.ts";
import { divideCeil } from "./rounding.ts";
import { BPS, type Price, type Usdc, usdc } from "./units.ts";

/**
 * The tier of `notional`: the last row whose floor is at or below it; rows are ordered by floor. Throws RangeError if there are no tiers.
 */
function tierAt(tiers: readonly MarginTier[], notional: Usdc): MarginTier {
  let tier = tiers[0];
  if (tier === undefined) throw new RangeError("a market has at least one margin tier");
  // Most notionals are in the first row, and the frozen list of a read is slow to search from its end.
  for (let next = 1; next < tiers.length; next += 1) {
    const row = tiers[next] as MarginTier;
    if (row.notionalFloor > notional) break;
    tier = row;
  }
  return tier;
}

/** The larger of oracle price and mark price, where margin and notional are largest for both sides. */
export const worstPrice = (oraclePrice: Price, markPrice: Price | null): Price =>
  markPrice === null || oraclePrice > markPrice ? oraclePrice : markPrice;

/** Leverage the market allows at `notional`, capped by floor(10000 / IMR_bps) (S8). */
export function leverageCap(market: Pick<Market, "marginTiers" | "initialMarginRatioBps">, notional: Usdc): number {
  const byRatio = Math.floor(10_000 / market.initialMarginRatioBps);
  return Math.min(byRatio, tierAt(market.marginTiers, notional).maxLeverage);
}

/** Initial margin of `notional` at `leverage` (whole number above zero), rounded up. */
export function initialMargin(notional: Usdc, leverage: number): Usdc {
  return usdc(divideCeil(notional, BigInt(leverage)));
}

/** Maintenance margin: notional x rate - deduction, rounded up, never below zero. Continuous at tier edges. */
export function maintenanceMargin(tiers: readonly MarginTier[], notional: Usdc): Usdc {
  const tier = tierAt(tiers, notional);
  const gross = divideCeil(notional * BigInt(tier.maintenanceMarginRatioBps), BPS);
  const net = gross - tier.maintenanceDeduction;
  return usdc(net > 0n ? net : 0n);
}

/**
 * Adds the deductions to a schedule: deduction(n) = deduction(n-1) + floor(n) x (rate(n) - rate(n-1)), so that maintenance margin is
 * continuous at each floor. Rows must be ordered by floor, the first at zero.
 */
export function withDeductions(rows: readonly Omit<MarginTier, "maintenanceDeduction">[]): readonly MarginTier[] {
  const tiers: MarginTier[] = [];
  for (const row of rows) {
    const previous = tiers.at(-1);
    const step = previous ? row.maintenanceMarginRatioBps - previous.maintenanceMarginRatioBps : 0;
    const rise = (row.notionalFloor * BigInt(step)) / BPS;
    tiers.push({ ...row, maintenanceDeduction: usdc((previous?.maintenanceDeduction ?? 0n) + rise) });
  }
  return tiers;
}
