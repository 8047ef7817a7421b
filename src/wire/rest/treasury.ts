// Treasury configuration (S2.11): the interface names four groups of settings in scaled integer strings, and one field. The other
// names are the devnet's.

import type { Usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { found, integer, type Names } from "../tolerant.ts";

export type TreasuryConfig = {
  readonly accountActivationFee: Usdc;
  /** Family volume that unlocks the first subaccounts, and how many it unlocks (S8). */
  readonly subaccountFirstVolume: Usdc;
  readonly subaccountFirstCount: number;
  /** Each further volume of this size unlocks one more, up to the maximum. */
  readonly subaccountStepVolume: Usdc;
  readonly subaccountMax: number;
  /** Vaults an owner may lead. */
  readonly vaultMax: number;
  /** Open orders an account may have. */
  readonly openOrderCap: number;
};

const OPEN_ORDER_CAP: Names = ["open_order_cap", "openOrderCap", "max_open_orders", "maxOpenOrders"];

export function encodeTreasuryConfig(config: TreasuryConfig): Json {
  return {
    account_activation_fee_usdc: String(config.accountActivationFee),
    subaccount_first_volume_usdc: String(config.subaccountFirstVolume),
    subaccount_first_count: String(config.subaccountFirstCount),
    subaccount_step_volume_usdc: String(config.subaccountStepVolume),
    subaccount_max: String(config.subaccountMax),
    vault_max: String(config.vaultMax),
    open_order_cap: String(config.openOrderCap),
  };
}

/** The open-order cap under any name we know, at the top or in a group; null where there is none. Throws WireError when it is no number. */
export function decodeOpenOrderCap(json: unknown): number | null {
  const fields = objectOf(json, "");
  if (found(fields, OPEN_ORDER_CAP) !== undefined) return integer(fields, OPEN_ORDER_CAP);
  for (const group of Object.values(fields)) {
    if (typeof group !== "object" || group === null || Array.isArray(group)) continue;
    const members = objectOf(group, "");
    if (found(members, OPEN_ORDER_CAP) !== undefined) return integer(members, OPEN_ORDER_CAP);
  }
  return null;
}
