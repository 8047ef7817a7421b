// CreateFundedAccount's whole flow (S4.6): chain, fee, an account that may exist, money at the bridge, submission. Safe to be run
// again after any failure, for it looks before it acts.

import type { Account } from "../domain/account.ts";
import type { SubmitOutcome } from "../domain/event.ts";
import type { AccountId, Usdc } from "../domain/units.ts";
import { type Clock, sleep } from "../kernel/clock.ts";
import type { BridgeOwner } from "../wire/rest/exchange.ts";
import type { OwnedAccount } from "../wire/rest/owners.ts";
import type { Signer } from "../wire/signing.ts";
import type { Sender } from "./sender.ts";

/** S8: what must have been deposited, at least; the activation fee must be covered too. */
export const FUNDED_DEPOSIT_MIN = 5_000_000n;

export type FundedAccountEnd =
  /** By this transaction, or by one before. */
  | { readonly kind: "open"; readonly accountId: AccountId }
  /** Not enough has been attested in time: deposit the difference at the bridge and run the flow again. */
  | { readonly kind: "unfunded"; readonly unclaimed: Usdc; readonly needed: bigint }
  /** The transaction ended otherwise; the money is where it was. */
  | { readonly kind: "failed"; readonly outcome: SubmitOutcome };

export type FundedAccountOptions = {
  /** Account that referred the owner; null, the default, for none. */
  readonly referredBy: AccountId | null;
  /** How often the bridge is asked (1000), and for how long (60 000); 0 asks once. */
  readonly pollMs: number;
  readonly timeoutMs: number;
};

export type FundedAccountModules = {
  readonly clock: Clock;
  readonly exchange: {
    readonly activationFee: () => Promise<Usdc>;
    readonly unclaimed: (owner: string) => Promise<Pick<BridgeOwner, "unclaimedUsdc">>;
  };
  readonly accounts: {
    readonly ownedBy: (owner: string) => Promise<readonly OwnedAccount[]>;
    readonly byId: (account: AccountId) => Promise<Pick<Account, "pendingActivation">>;
  };
  /** Compares the chain id before it signs. */
  readonly submit: Sender["submit"];
};

const usual: FundedAccountOptions = { referredBy: null, pollMs: 1000, timeoutMs: 60_000 };

/** Opens the personal account of `owner`. Throws ReadError when a read failed: nothing was sent then. */
export async function openFundedAccount(
  owner: Signer,
  how: Partial<FundedAccountOptions>,
  modules: FundedAccountModules,
): Promise<FundedAccountEnd> {
  const options = { ...usual, ...how };
  const before = await openPersonalAccount(owner.publicKey, modules);
  if (before !== null) return { kind: "open", accountId: before };
  const unfunded = await awaitFunds(owner.publicKey, options, modules);
  if (unfunded !== null) return unfunded;
  const { referredBy } = options;
  const outcome = await modules.submit({ type: "CreateFundedAccount", mode: "Cross", referredBy }, owner);
  const after = await openPersonalAccount(owner.publicKey, modules);
  return after === null ? { kind: "failed", outcome } : { kind: "open", accountId: after };
}

/** The list finds the entry, the account itself says whether it is done. */
async function openPersonalAccount(
  owner: string,
  { accounts }: Pick<FundedAccountModules, "accounts">,
): Promise<AccountId | null> {
  const owned = await accounts.ownedBy(owner);
  const personal = owned.find((account) => !account.isVault && account.masterAccountId === null);
  if (personal === undefined) return null;
  const { pendingActivation } = await accounts.byId(personal.accountId);
  return pendingActivation ? null : personal.accountId;
}

/** Null as soon as the money is there. The fee is read each time: its terms may have changed. */
async function awaitFunds(
  owner: string,
  { pollMs, timeoutMs }: FundedAccountOptions,
  { clock, exchange }: FundedAccountModules,
): Promise<FundedAccountEnd | null> {
  const deadlineMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    const fee = await exchange.activationFee();
    const needed = fee > FUNDED_DEPOSIT_MIN ? fee : FUNDED_DEPOSIT_MIN;
    const { unclaimedUsdc } = await exchange.unclaimed(owner);
    if (unclaimedUsdc >= needed) return null;
    if (clock.monotonicMs() + pollMs > deadlineMs) return { kind: "unfunded", unclaimed: unclaimedUsdc, needed };
    await sleep(clock, pollMs);
  }
}
