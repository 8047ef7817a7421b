// How many others an account may still bring in (S2.11).

import type { AccountId, Usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";

export type InviteState = {
  readonly accountId: AccountId;
  readonly eligible: boolean;
  readonly allowance: number;
  readonly consumed: number;
  readonly remaining: number;
  readonly lifetimeVolume: Usdc;
  /** An allowance that the operator set instead of the rule. */
  readonly inviteOverride: number | null;
};

/** `nextUnlockVolume` is always null. */
export function encodeInviteState(state: InviteState): Json {
  return {
    accountId: state.accountId,
    eligible: state.eligible,
    allowance: state.allowance,
    consumed: state.consumed,
    remaining: state.remaining,
    lifetimeVolume: state.lifetimeVolume,
    inviteOverride: state.inviteOverride,
    nextUnlockVolume: null,
  };
}
