// The account of a screening as the exchange would describe it.

import { type Holding, unrealizedPnl } from "../../bot/accounting/holding.ts";
import type { Account, Position } from "../../domain/account.ts";
import { meanPrice } from "../../domain/rounding.ts";
import {
  type AccountId,
  type MarketId,
  native,
  type Price,
  type Side,
  signOf,
  size,
  type Usdc,
  usdc,
} from "../../domain/units.ts";

export type ScreenAccount = { readonly accountId: AccountId; readonly collateral: Usdc; readonly volume30d: Usdc };

export const accountRead = (
  { accountId, volume30d }: ScreenAccount,
  now: Pick<Account, "collateral" | "positions" | "openOrders">,
): Account => ({
  accountId,
  owner: "",
  mode: "Cross",
  availableCollateral: null,
  nativeBalance: native(0n),
  unreadable: [],
  createdAtMs: null,
  volume30d: null,
  feeTierVolume30d: volume30d,
  lifetimeVolume: null,
  pendingActivation: false,
  pendingActivationFeeUsdc: null,
  agents: [],
  ...now,
});

/** At the oracle price. */
export function positionOf(marketId: MarketId, holding: Holding, oraclePrice: Price): Position {
  const { inventory, cost } = holding;
  const side: Side = inventory < 0n ? "sell" : "buy";
  return {
    marketId,
    side,
    size: size(signOf(side) * inventory),
    entryPrice: meanPrice(cost, inventory),
    unrealizedPnl: unrealizedPnl(holding, oraclePrice),
    cumulativeFunding: null,
    lastOraclePrice: oraclePrice,
    openedAtMs: 0,
    marginMode: "Cross",
    leverage: 1,
    isolatedMargin: usdc(0n),
    tierGrandfathered: false,
  };
}
