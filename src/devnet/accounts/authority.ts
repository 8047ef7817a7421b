// Who may do what (S5): an owner key may do everything on its accounts; an agent key may send the five trading variants on the accounts of
// the family that approved it. Checked before anything executes.

import type { AccountId, OrderId } from "../../domain/units.ts";
import type { Transaction } from "../../wire/transaction.ts";
import { isActive } from "./agents.ts";
import type { AccountRow, Registry } from "./registry.ts";

/** `account`: the account that the transaction acts on; null for an act on the owner itself, or if the order it names does not exist. */
export type Authority =
  | { readonly kind: "granted"; readonly account: AccountRow | null }
  | {
      readonly kind: "denied";
      readonly code: "AGENT_NOT_APPROVED" | "AGENT_EXPIRED" | "SCOPE";
      readonly error: string;
    };

export type AuthorityModules = {
  readonly registry: Registry;
  readonly accountOfOrder: (order: OrderId) => AccountId | undefined;
};

/** Decides whether `signer` (64 lowercase hex characters) may have `transaction` executed in a block at `blockMs`. */
export function authorityOf(
  signer: string,
  transaction: Transaction,
  blockMs: number,
  modules: AuthorityModules,
): Authority {
  switch (transaction.type) {
    case "PlaceOrder":
    case "AdjustIsolatedMargin":
      return onAccount(signer, transaction.accountId, blockMs, modules.registry);
    case "CancelOrder":
    case "ModifyOrder": {
      const account = modules.accountOfOrder(transaction.orderId);
      if (account === undefined) return onUnknownOrder(signer, blockMs, modules.registry);
      return onAccount(signer, account, blockMs, modules.registry);
    }
    case "CancelAllOrders":
      return onOwnAccount(signer, blockMs, modules.registry);
    case "CreateFundedAccount":
    case "CreateReferredAccount":
      return granted(null);
    case "Transfer":
      return asOwner(signer, transaction.fromAccountId, transaction.type, modules.registry);
    case "CreateSubaccount":
      return asOwner(signer, transaction.masterAccountId, transaction.type, modules.registry);
    case "ApproveAgent":
    case "RevokeAgent":
    case "CloseSubaccount":
    case "RequestWithdrawal":
    case "CancelWithdrawal":
    case "CreateVault":
    case "DepositToVault":
    case "WithdrawFromVault":
    case "DelegateStake":
    case "UndelegateStake":
      return asOwner(signer, transaction.accountId, transaction.type, modules.registry);
  }
}

function onAccount(signer: string, id: AccountId, blockMs: number, registry: Registry): Authority {
  const row = registry.account(id);
  if (row === undefined || row.state === "closed") return unapproved(signer, id);
  if (row.owner === signer) return granted(row);
  return asAgent(signer, row, blockMs, registry);
}

/** An agent on the master trades for the whole family; an agent on a subaccount, only for that subaccount. */
function asAgent(signer: string, row: AccountRow, blockMs: number, registry: Registry): Authority {
  const master = registry.masterOf(row);
  const places = master === row ? [row] : [row, master];
  const approvals = places.flatMap((place) => place.agents.filter((agent) => agent.pubkey === signer));
  if (approvals.length === 0) return unapproved(signer, row.accountId);
  return approvals.some((agent) => isActive(agent, blockMs)) ? granted(row) : expired(signer, row.accountId);
}

/**
 * CancelAllOrders names no account: it acts on the owner's personal account, or on the first account where the signer is an active agent.
 */
function onOwnAccount(signer: string, blockMs: number, registry: Registry): Authority {
  const [first] = registry.ownedBy(signer);
  const own = registry.personal(signer) ?? first;
  if (own !== undefined) return granted(own);
  const listed = registry.withAgent(signer);
  const [approved] = listed;
  if (approved === undefined) return denied("AGENT_NOT_APPROVED", `signer ${signer} is not approved on any account`);
  const active = listed.find((row) => row.agents.some((agent) => agent.pubkey === signer && isActive(agent, blockMs)));
  return active === undefined ? expired(signer, approved.accountId) : granted(active);
}

/** The order does not exist. Any key that may trade gets that answer. */
function onUnknownOrder(signer: string, blockMs: number, registry: Registry): Authority {
  const authority = onOwnAccount(signer, blockMs, registry);
  return authority.kind === "granted" ? granted(null) : authority;
}

function asOwner(signer: string, id: AccountId, action: Transaction["type"], registry: Registry): Authority {
  const row = registry.account(id);
  if (row !== undefined && row.state !== "closed" && row.owner === signer) return granted(row);
  if (row?.agents.some((agent) => agent.pubkey === signer)) {
    return denied("SCOPE", `${action} is for the owner of account ${id}, not for its agents`);
  }
  return denied("SCOPE", `${action} needs the owner of account ${id} as its signer`);
}

const granted = (account: AccountRow | null): Authority => ({ kind: "granted", account });

function denied(code: Extract<Authority, { kind: "denied" }>["code"], error: string): Authority {
  return { kind: "denied", code, error };
}

const unapproved = (signer: string, id: AccountId): Authority =>
  denied("AGENT_NOT_APPROVED", `signer ${signer} is neither the owner of account ${id} nor approved on it`);

const expired = (signer: string, id: AccountId): Authority =>
  denied("AGENT_EXPIRED", `agent ${signer} of account ${id} has expired`);
