// How many others an account may still bring in (S2.11).

import { type AccountId, accountId, type Usdc, usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { bool, integer, maybe, natural } from "../tolerant.ts";

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

/** Throws WireError. */
export function decodeInviteState(json: unknown): InviteState {
  const fields = objectOf(json, "");
  return {
    accountId: accountId(natural(fields, "accountId")),
    eligible: bool(fields, "eligible"),
    allowance: integer(fields, "allowance"),
    consumed: integer(fields, "consumed"),
    remaining: integer(fields, "remaining"),
    lifetimeVolume: usdc(natural(fields, "lifetimeVolume")),
    inviteOverride: maybe(fields, "inviteOverride", integer),
  };
}
