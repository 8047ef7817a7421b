// The settings of S2.11 and S8 that S4.1 calls authoritative, with this exchange's values.

import { type Usdc, usdc } from "../../domain/units.ts";
import type { TreasuryConfig } from "../../wire/rest/exchange.ts";
import type { DevnetConfig } from "../config/config.ts";

/** S8: smallest unclaimed balance with which an owner can create an account; it must also cover the activation fee. */
export const FUNDED_DEPOSIT_MIN: Usdc = usdc(5_000_000n);

export const treasuryOf = ({
  activationFee,
  openOrderCap,
}: Pick<DevnetConfig, "activationFee" | "openOrderCap">): TreasuryConfig => ({
  accountActivationFee: activationFee,
  subaccountFirstVolume: usdc(100_000_000_000n),
  subaccountFirstCount: 10,
  subaccountStepVolume: usdc(100_000_000_000_000n),
  subaccountMax: 50,
  vaultMax: 10,
  openOrderCap,
});

/** Subaccounts that a family with this lifetime volume may have (S8): none below the first unlock; the 11th needs 100,100,000 USDC. */
export function subaccountCapacity(treasury: TreasuryConfig, lifetimeVolume: Usdc): number {
  if (lifetimeVolume < treasury.subaccountFirstVolume) return 0;
  const steps = (lifetimeVolume - treasury.subaccountFirstVolume) / treasury.subaccountStepVolume;
  const capacity = BigInt(treasury.subaccountFirstCount) + steps;
  return capacity > treasury.subaccountMax ? treasury.subaccountMax : Number(capacity);
}
