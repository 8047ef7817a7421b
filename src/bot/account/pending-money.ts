// Fills whose fees and profits the exchange has not reported: the expected amounts by our own calculation and the fee schedule.

import { feeOn, feeTierFor, worstFeeTier } from "../../domain/fees.ts";
import type { Fill } from "../../domain/fill.ts";
import { notional } from "../../domain/rounding.ts";
import type { Usdc } from "../../domain/units.ts";
import type { PendingMoney } from "../accounting/explain.ts";
import { pendingFills } from "../accounting/market-book.ts";
import type { AccountState, BotState } from "./account-state.ts";

/** Returns, by market, what those fills should have brought. */
export function pendingMoney(state: BotState, account: AccountState): readonly PendingMoney[] {
  const pending: PendingMoney[] = [];
  for (const [marketId, market] of account.book.markets) {
    const { now } = market;
    if (now.pendingCount === 0) continue;
    const fills = [...pendingFills(market)];
    pending.push({
      marketId,
      fillKeys: fills.map(({ key }) => key),
      realized: now.pending,
      fees: fills.reduce((sum, fill) => sum + estimatedFee(state, account, fill), 0n),
      notional: fills.reduce((sum, fill) => sum + notional(fill.price, fill.size), 0n),
    });
  }
  return pending;
}

function estimatedFee(state: BotState, account: AccountState, fill: Fill): Usdc {
  const tiers = state.feeTiers?.value ?? [];
  const assetClass = state.markets.get(fill.marketId)?.market?.value.assetClass ?? "";
  const volume = account.read?.value.feeTierVolume30d ?? null;
  const tier = volume === null ? worstFeeTier(tiers, assetClass) : feeTierFor(tiers, assetClass, volume);
  const bps = fill.liquidity === "maker" ? tier?.makerFeeBps : tier?.takerFeeBps;
  return feeOn(notional(fill.price, fill.size), bps ?? 0);
}
