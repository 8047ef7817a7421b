// Reads the four answers about staking (S4.4).

import { type Native, native } from "../../../../src/domain/units.ts";
import type { Delegation, StakeValidator, StakingBalance, StakingState } from "../../../../src/wire/rest/staking.ts";
import { type Fields, objectOf } from "../../../../src/wire/strict.ts";
import {
  integer,
  list,
  listOf,
  maybe,
  type Names,
  natural,
  oneOf,
  publicKey,
  text,
} from "../../../../src/wire/tolerant.ts";

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

/** Throws WireError. */
export const decodeDelegations = (json: unknown): readonly Delegation[] =>
  listOf(json, (item) => {
    const fields = objectOf(item, "");
    return { validator: text(fields, "validator"), amount: readNative(fields, "amount") };
  });

const readNative = (fields: Fields, names: Names): Native => native(natural(fields, names));
