// Fees that fills paid, against the fee schedule: a fill with another fee has schedule and volume read again. A higher fee counts until a
// fill pays the scheduled one, or for ten minutes.

import { feeOn, feeTierFor } from "../../domain/fees.ts";
import type { Fill, Liquidity } from "../../domain/fill.ts";
import type { FeeTier } from "../../domain/market.ts";
import { divideCeil, notional } from "../../domain/rounding.ts";
import { BPS, type MarketId } from "../../domain/units.ts";
import { noEffects } from "../market/effects.ts";
import { accountTiming } from "../timing.ts";
import { wantReconcile } from "./account-orders.ts";
import type { AccountState, BotState } from "./account-state.ts";
import type { AccountEffects } from "./effects.ts";

/** The exchange rounds a fee to the base unit. */
const ROUNDED = 1n;

/** Returns the scheduled tier of the account in a market; null: schedule, market or volume is unknown, or it has no such row. */
export function scheduledTier(state: BotState, account: AccountState, marketId: MarketId): FeeTier | null {
  const assetClass = state.markets.get(marketId)?.market?.value.assetClass;
  const volume = account.read?.value.feeTierVolume30d ?? null;
  if (state.feeTiers === null || assetClass === undefined || volume === null) return null;
  return feeTierFor(state.feeTiers.value, assetClass, volume) ?? null;
}

/** Returns the tier, with the fees that fills have paid where these are higher. */
export function paidTier({ paidFees }: AccountState, marketId: MarketId, tier: FeeTier, nowMs: number): FeeTier {
  const paid = (liquidity: Liquidity, scheduledBps: number): number => {
    const last = paidFees.get(keyOf(marketId, liquidity));
    return last === undefined || nowMs - last.atMs > accountTiming.paidFeeMs
      ? scheduledBps
      : Math.max(scheduledBps, last.feeBps);
  };
  const [makerFeeBps, takerFeeBps] = [paid("maker", tier.makerFeeBps), paid("taker", tier.takerFeeBps)];
  return makerFeeBps === tier.makerFeeBps && takerFeeBps === tier.takerFeeBps
    ? tier
    : Object.freeze({ ...tier, makerFeeBps, takerFeeBps });
}

/** Call it with each new fill whose fee is known. */
export function judgeFee(state: BotState, account: AccountState, fill: Fill, nowMs: number): AccountEffects {
  const { marketId, liquidity, fee } = fill;
  const tier = scheduledTier(state, account, marketId);
  const traded = notional(fill.price, fill.size);
  if (fee === null || tier === null || traded <= 0n) return noEffects;
  const scheduledBps = liquidity === "maker" ? tier.makerFeeBps : tier.takerFeeBps;
  const key = keyOf(marketId, liquidity);
  const difference = fee - feeOn(traded, scheduledBps);
  if (difference >= -ROUNDED && difference <= ROUNDED) {
    account.paidFees.delete(key);
    return noEffects;
  }
  // The lowest rate that gives this fee: a charge was rounded up.
  const feeBps = Number(divideCeil((fee - ROUNDED) * BPS, traded));
  const before = account.paidFees.get(key);
  account.paidFees.set(key, { marketId, liquidity, feeBps, atMs: nowMs });
  if (before !== undefined && before.feeBps === feeBps && nowMs - before.atMs <= accountTiming.paidFeeMs)
    return noEffects;
  state.feeTiersUnconfirmedMs = nowMs;
  const { accountId } = account;
  return [
    { kind: "feeDiffers", accountId, marketId, liquidity, paidBps: feeBps, scheduledBps },
    wantReconcile(account, "feeDiffers", nowMs),
  ];
}

/** A read schedule now has the paid fee: from now on it counts alone. */
export function forgetScheduledFees(state: BotState): void {
  for (const account of state.accounts.values()) {
    for (const [key, { marketId, liquidity, feeBps }] of account.paidFees) {
      const tier = scheduledTier(state, account, marketId);
      const scheduledBps = liquidity === "maker" ? tier?.makerFeeBps : tier?.takerFeeBps;
      if (scheduledBps !== undefined && scheduledBps >= feeBps) account.paidFees.delete(key);
    }
  }
}

const keyOf = (marketId: MarketId, liquidity: Liquidity): string => `${marketId} ${liquidity}`;
