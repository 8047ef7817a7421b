// Selects and applies the fee tier (S4.1: the market's asset class, then the highest volume floor reached).

import type { FeeTier } from "./market.ts";
import { divideCeil, divideFloor } from "./rounding.ts";
import { BPS, type Usdc, usdc } from "./units.ts";

/** The tier that applies; undefined if the schedule has none for the asset class. */
export function feeTierFor(tiers: readonly FeeTier[], assetClass: string, familyVolume30d: Usdc): FeeTier | undefined {
  let chosen: FeeTier | undefined;
  for (const tier of tiers) {
    if (!isOf(tier, assetClass) || tier.minVolume30d > familyVolume30d) continue;
    if (chosen === undefined || tier.minVolume30d >= chosen.minVolume30d) chosen = tier;
  }
  return chosen;
}

/** A tier without an asset class applies to all. */
const isOf = (tier: FeeTier, assetClass: string): boolean => tier.assetClass === assetClass || tier.assetClass === "";

/** Fee on `notional` (not negative): a charge rounds up, a rebate (negative) rounds toward zero, both against the trader. */
export function feeOn(notional: Usdc, feeBps: number): Usdc {
  return usdc(divideCeil(notional * BigInt(feeBps), BPS));
}

/** Worst tier of an asset class, for an unknown volume: highest taker fee, then highest maker fee. */
export function worstFeeTier(tiers: readonly FeeTier[], assetClass: string): FeeTier | undefined {
  const rows = tiers.filter((tier) => isOf(tier, assetClass));
  return rows.sort((a, b) => b.takerFeeBps - a.takerFeeBps || b.makerFeeBps - a.makerFeeBps)[0];
}

/** Basis points of a notional, rounded down; for limits and bands. */
export const bpsOf = (notional: Usdc, bps: number): Usdc => usdc(divideFloor(notional * BigInt(bps), BPS));
