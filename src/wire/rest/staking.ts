// Staking (S4.4): the interface names four reads and no field. The names are the devnet's.

import { type Native, native } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { type Fields, objectOf } from "../strict.ts";
import { integer, list, listOf, maybe, type Names, natural, oneOf, publicKey, text } from "../tolerant.ts";

export type StakeValidator = {
  readonly name: string;
  readonly stake: Native;
  readonly commissionBps: number;
  readonly uptimeBps: number;
  readonly status: string;
};

export const encodeStakeValidators = (validators: readonly StakeValidator[]): Json =>
  validators.map((validator) => ({
    name: validator.name,
    stake: String(validator.stake),
    commissionBps: validator.commissionBps,
    uptimeBps: validator.uptimeBps,
    status: validator.status,
  }));

/** Throws WireError. */
export const decodeStakeValidators = (json: unknown): readonly StakeValidator[] =>
  listOf(json, (item) => {
    const fields = objectOf(item, "");
    return {
      name: text(fields, "name"),
      stake: readNative(fields, "stake"),
      commissionBps: integer(fields, "commissionBps"),
      uptimeBps: integer(fields, "uptimeBps"),
      status: text(fields, "status"),
    };
  });

export type StakingState = {
  readonly totalStaked: Native;
  readonly activeValidators: number;
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

/** Throws WireError. */
export function decodeStakingState(json: unknown): StakingState {
  const fields = objectOf(json, "");
  return {
    totalStaked: readNative(fields, "totalStaked"),
    activeValidators: integer(fields, "activeValidators"),
    epoch: integer(fields, "epoch"),
    epochEndsAtMs: integer(fields, "epochEndsAt"),
    unbondingSecs: integer(fields, "unbondingSecs"),
    apyBps: integer(fields, "apyBps"),
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

const sources = ["master", "unallocated"] as const;

/** Throws WireError. */
export function decodeStakingBalance(json: unknown): StakingBalance {
  const fields = objectOf(json, "");
  return {
    pubkey: publicKey(fields, "pubkey"),
    available: readNative(fields, "available"),
    availableFrom: oneOf(fields, "availableFrom", sources),
    staked: readNative(fields, "staked"),
    unbonding: maybe(fields, "unbonding", (of, names) => list(of, names, readUnbonding)) ?? [],
  };
}

function readUnbonding(item: unknown): StakingBalance["unbonding"][number] {
  const fields = objectOf(item, "");
  return { amount: readNative(fields, "amount"), releasedAtMs: integer(fields, "releasedAt") };
}

export type Delegation = { readonly validator: string; readonly amount: Native };

export const encodeDelegations = (delegations: readonly Delegation[]): Json =>
  delegations.map(({ validator, amount }) => ({ validator, amount: String(amount) }));

/** Throws WireError. */
export const decodeDelegations = (json: unknown): readonly Delegation[] =>
  listOf(json, (item) => {
    const fields = objectOf(item, "");
    return { validator: text(fields, "validator"), amount: readNative(fields, "amount") };
  });

const readNative = (fields: Fields, names: Names): Native => native(natural(fields, names));
