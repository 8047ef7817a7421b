// The insurance fund (S2.11), in USDC base units.

import { type Usdc, usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { natural, whole } from "../tolerant.ts";

export type InsuranceFund = { readonly balance: Usdc; readonly totalDeposited: Usdc };

export const encodeInsuranceFund = (fund: InsuranceFund): Json => ({
  balance: String(fund.balance),
  totalDeposited: String(fund.totalDeposited),
});

/** Throws WireError. */
export function decodeInsuranceFund(json: unknown): InsuranceFund {
  const fields = objectOf(json, "");
  return {
    balance: usdc(whole(fields, "balance")),
    totalDeposited: usdc(natural(fields, ["totalDeposited", "total_deposited"])),
  };
}
