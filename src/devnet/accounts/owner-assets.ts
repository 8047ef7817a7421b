// All assets of an owner, per account (S2.7). Staking belongs to the owner, so it is not summed over accounts.

import { type Native, native, usdc } from "../../domain/units.ts";
import type { AccountAssets, OwnerAssets, TokenBalance } from "../../wire/rest/owners.ts";
import type { Engine } from "../engine/engine.ts";
import type { Bridge } from "./bridge.ts";
import type { AccountRow, Registry } from "./registry.ts";
import type { Staking } from "./staking.ts";
import { NATIVE, TOKENS, USDC } from "./tokens.ts";

export type OwnerAssetsModules = {
  readonly registry: Registry;
  readonly engine: Pick<Engine, "account">;
  readonly bridge: Bridge;
  readonly staking: Staking;
};

/** `owner`: 64 lowercase hex characters. An owner without accounts gets an empty list. */
export function ownerAssets(owner: string, { registry, engine, bridge, staking }: OwnerAssetsModules): OwnerAssets {
  const waiting = [
    { tokenId: USDC, amount: bridge.unclaimed(owner) as bigint },
    { tokenId: NATIVE, amount: bridge.unallocated(owner) as bigint },
  ];
  return {
    accounts: registry.ownedBy(owner).map((row) => accountAssets(row, engine)),
    unallocated: waiting.filter(({ amount }) => amount > 0n),
    unallocatedNative: bridge.unallocated(owner),
    stakedNative: sumOf(staking.delegations(owner)),
    unbondingNative: sumOf(staking.unbonding(owner)),
  };
}

function accountAssets(row: AccountRow, engine: Pick<Engine, "account">): AccountAssets {
  const trading = engine.account(row.accountId);
  const collateral = trading?.collateral ?? usdc(0n);
  const availableCollateral = trading?.availableCollateral ?? usdc(0n);
  return {
    accountId: row.accountId,
    masterAccountId: row.masterAccountId,
    isVault: row.kind === "vault",
    collateral,
    availableCollateral,
    nativeBalance: row.native,
    positionCount: trading?.positions.length ?? 0,
    openOrderCount: trading?.openOrders.length ?? 0,
    balances: [balanceOf(USDC, collateral, availableCollateral), balanceOf(NATIVE, row.native, row.native)],
  };
}

/** Only USDC counts as collateral (S1). */
function balanceOf(tokenId: number, total: bigint, available: bigint): TokenBalance {
  const token = TOKENS.find((each) => each.id === tokenId);
  const { symbol = "", decimals = 0 } = token ?? {};
  return { tokenId, symbol, decimals, total, available, collateralEligible: tokenId === USDC };
}

export const sumOf = (parts: readonly { readonly amount: Native }[]): Native =>
  native(parts.reduce((sum, { amount }) => sum + amount, 0n));
