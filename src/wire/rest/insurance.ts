// The insurance fund (S2.11), in USDC base units.

import type { Usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";

export type InsuranceFund = { readonly balance: Usdc; readonly totalDeposited: Usdc };

export const encodeInsuranceFund = (fund: InsuranceFund): Json => ({
  balance: String(fund.balance),
  totalDeposited: String(fund.totalDeposited),
});
