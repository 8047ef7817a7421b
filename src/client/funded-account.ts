// The whole flow of CreateFundedAccount (S4.6): checks chain, fee, an existing account and the deposit, then submits. Safe to run again
// after any failure, because it checks before it acts.

import type { Account } from "../domain/account.ts";
import type { SubmitOutcome } from "../domain/event.ts";
import type { AccountId, Usdc } from "../domain/units.ts";
import { type Clock, sleep } from "../kernel/clock.ts";
import type { BridgeOwner } from "../wire/rest/exchange.ts";
import type { OwnedAccount } from "../wire/rest/owners.ts";
import type { Signer } from "../wire/signing.ts";
import type { Sender } from "./sender.ts";

/** S8: smallest deposit; it must also cover the activation fee. */
export const FUNDED_DEPOSIT_MIN = 5_000_000n;

export type FundedAccountEnd =
  /** Opened by this transaction, or by an earlier one. */
  | { readonly kind: "open"; readonly accountId: AccountId }
  /** Not enough was attested in time: deposit the difference at the bridge and run the flow again. */
  | { readonly kind: "unfunded"; readonly unclaimed: Usdc; readonly needed: bigint }
  /** The transaction ended otherwise; no money moved. */
  | { readonly kind: "failed"; readonly outcome: SubmitOutcome };

export type FundedAccountOptions = {
  /** Account that referred the owner; null (default): none. */
  readonly referredBy: AccountId | null;
  /** Interval of the bridge reads (1000 ms), and their time limit (60 000 ms); 0 reads once. */
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

/** Opens the personal account of `owner`. Throws ReadError if a read failed; then nothing was sent. */
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

/** The list finds the account; the account's own read says whether it is complete. */
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

/** Null as soon as the money is there. Reads the fee each time, because it may change. */
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
