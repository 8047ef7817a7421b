// Results of acts on accounts: the events of what changed, or a code and one sentence if nothing changed.

import type { AccountId } from "../../domain/units.ts";
import { assert } from "../../kernel/assert.ts";
import type { Refusal } from "../engine/calls.ts";
import type { ChainEvent, Receipt } from "../event.ts";
import type { AccountRow } from "./registry.ts";

export type FailedReceipt = Extract<Receipt, { status: "failed" }>;

export const refused = (code: string, error: string): FailedReceipt => ({ status: "failed", code, error });

export const done = (...events: ChainEvent[]): Receipt => ({ status: "success", events });

/** A change outside trading, for the events of its transaction. */
export function changed(
  name: string,
  accountId: AccountId | null,
  facts: Readonly<Record<string, string>>,
): ChainEvent {
  return { type: "AccountChanged", name, accountId, facts };
}

/** Tokens moved from one account to another (S2.9). Transfer history is built from these events. */
export function transferred(
  from: AccountRow,
  to: AccountRow,
  what: { readonly tokenId: number; readonly amount: bigint; readonly reason: "Transfer" | "SubaccountClose" },
): ChainEvent {
  return changed("Transferred", from.accountId, {
    to_account_id: `${to.accountId}`,
    from_owner: from.owner,
    to_owner: to.owner,
    token_id: `${what.tokenId}`,
    amount: `${what.amount}`,
    reason: what.reason,
  });
}

/** For an engine step whose conditions were all checked before; a partial act must not happen. Throws InvariantError. */
export function mustPass(refusal: Refusal | null): void {
  assert(refusal === null, `a checked step was refused: ${refusal?.code} ${refusal?.error}`);
}

export const receiptOf = (refusal: Refusal | null, ...events: ChainEvent[]): Receipt =>
  refusal === null ? done(...events) : refused(refusal.code, refusal.error);
