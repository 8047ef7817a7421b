// Staking (S4.4): public reads of the validator. The interface shows no field of them; the names are the devnet's.

import type { Get } from "../../../src/bot/venue/remote/reads.ts";
import type { Delegation, StakeValidator, StakingBalance, StakingState } from "../../../src/wire/rest/staking.ts";
import {
  decodeDelegations,
  decodeStakeValidators,
  decodeStakingBalance,
  decodeStakingState,
} from "./decode/staking.ts";

export type StakingReads = {
  readonly validators: () => Promise<readonly StakeValidator[]>;
  readonly state: () => Promise<StakingState>;
  /** `owner`: 64 hex characters, with or without 0x. */
  readonly balance: (owner: string) => Promise<StakingBalance>;
  readonly delegations: (owner: string) => Promise<readonly Delegation[]>;
};

export function createStakingReads({ json }: Pick<Get, "json">): StakingReads {
  return {
    validators: () => json("/v1/staking/validators", decodeStakeValidators),
    state: () => json("/v1/staking/info", decodeStakingState),
    balance: (owner) => json(`/v1/staking/balance/${encodeURIComponent(owner)}`, decodeStakingBalance),
    delegations: (owner) => json(`/v1/staking/delegations/${encodeURIComponent(owner)}`, decodeDelegations),
  };
}
