// Invites and referrals (S2.11): a personal account may invite a limited number of others, and more as it trades.

import type { AccountId, Usdc } from "../../domain/units.ts";
import type { InviteState } from "../../wire/rest/owners.ts";
import type { AccountRow, Registry } from "./registry.ts";

export type Invites = {
  readonly state: (account: AccountId) => InviteState | undefined;
  readonly canRefer: (account: AccountId) => boolean;
};

/** Our choice, the interface shows fields but no rule: ten invites at first, and one more per 100,000 USDC of family volume. */
const FREE_INVITES = 10;
const VOLUME_PER_INVITE = 100_000_000_000n;
const INVITES_MAX = 1000;

export function createInvites(registry: Registry, familyVolume: (master: AccountRow) => Usdc): Invites {
  function state(account: AccountId): InviteState | undefined {
    const row = registry.account(account);
    if (row === undefined || row.state === "closed") return undefined;
    const lifetimeVolume = familyVolume(registry.masterOf(row));
    const eligible = row.kind === "personal" && row.state === "open";
    const earned = Number(lifetimeVolume / VOLUME_PER_INVITE);
    const allowance = eligible ? Math.min(INVITES_MAX, FREE_INVITES + earned) : 0;
    const consumed = registry.referredBy(account).length;
    const remaining = Math.max(0, allowance - consumed);
    return { accountId: account, eligible, allowance, consumed, remaining, lifetimeVolume, inviteOverride: null };
  }

  return { state, canRefer: (account) => (state(account)?.remaining ?? 0) > 0 };
}
