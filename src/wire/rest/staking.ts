// Staking (S4.4): the interface names four reads and no field. The names are the devnet's.

import type { Native } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";

export type StakeValidator = {
  readonly name: string;
  readonly stake: Native;
  readonly commissionBps: number;
  readonly uptimeBps: number;
  readonly status: string;
};

export const encodeStakeValidators = (validators: readonly StakeValidator[]): Json =>
  validators.map((validator) => ({
    ...validator,
    stake: String(validator.stake),
  }));

export type StakingState = {
  readonly totalStaked: Native;
  readonly activeValidators: number;
  /** Days of chain time since 1970. */
  readonly epoch: number;
  readonly epochEndsAtMs: number;
  /** How long what leaves is neither staked nor liquid. */
  readonly unbondingSecs: number;
  /** Yearly yield in basis points. */
  readonly apyBps: number;
};

export function encodeStakingState(state: StakingState): Json {
  return {
    totalStaked: String(state.totalStaked),
    activeValidators: state.activeValidators,
    epoch: state.epoch,
    epochEndsAt: state.epochEndsAtMs,
    unbondingSecs: state.unbondingSecs,
    apyBps: state.apyBps,
  };
}

/** What an owner can stake comes from the personal master, or before there is one from what awaits it. */
export type StakingBalance = {
  /** 64 lowercase hex characters. */
  readonly pubkey: string;
  readonly available: Native;
  readonly availableFrom: "master" | "unallocated";
  readonly staked: Native;
  readonly unbonding: readonly { readonly amount: Native; readonly releasedAtMs: number }[];
};

export function encodeStakingBalance(balance: StakingBalance): Json {
  return {
    pubkey: balance.pubkey,
    available: String(balance.available),
    availableFrom: balance.availableFrom,
    staked: String(balance.staked),
    unbonding: balance.unbonding.map(({ amount, releasedAtMs }) => ({
      amount: String(amount),
      releasedAt: releasedAtMs,
    })),
  };
}

export type Delegation = { readonly validator: string; readonly amount: Native };

export const encodeDelegations = (delegations: readonly Delegation[]): Json =>
  delegations.map(({ validator, amount }) => ({ validator, amount: String(amount) }));
