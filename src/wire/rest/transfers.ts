// Whom a transfer may go to, and the transfers of an owner (S2.9): ids are decimal strings here.

import type { AccountId } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";

/** What `value` of the recipient lookup means (S4.2). */
export type RecipientKind = "username" | "wallet" | "account";

export type Recipient = {
  readonly accountId: AccountId;
  /** Null for a master. */
  readonly masterAccountId: AccountId | null;
  /** 64 lowercase hex characters. */
  readonly owner: string;
  readonly isMaster: boolean;
};

export function encodeRecipient(recipient: Recipient): Json {
  const { masterAccountId } = recipient;
  return {
    accountId: String(recipient.accountId),
    masterAccountId: masterAccountId === null ? null : String(masterAccountId),
    owner: recipient.owner,
    isMaster: recipient.isMaster,
  };
}

export type TransferItem = {
  readonly blockHeight: number;
  readonly eventIndex: number;
  readonly timestampMs: number;
  readonly txHash: string;
  readonly fromAccountId: AccountId;
  readonly toAccountId: AccountId;
  readonly fromOwner: string;
  readonly toOwner: string;
  readonly tokenId: number;
  /** Base units. */
  readonly amount: bigint;
  readonly reason: "Transfer" | "SubaccountClose";
  /** Seen from the owner who asked; between the owner's own accounts it appears once. */
  readonly direction: "incoming" | "outgoing" | "own";
};

export type TransferPage = {
  /** At most 50. */
  readonly items: readonly TransferItem[];
  /** To be passed back for the next page; null at the end. */
  readonly nextCursor: string | null;
};

export function encodeTransferPage(page: TransferPage): Json {
  return { items: page.items.map(encodeTransferItem), nextCursor: page.nextCursor };
}

function encodeTransferItem(item: TransferItem): Json {
  return {
    blockHeight: item.blockHeight,
    eventIndex: item.eventIndex,
    timestamp: item.timestampMs,
    txHash: item.txHash,
    fromAccountId: String(item.fromAccountId),
    toAccountId: String(item.toAccountId),
    fromOwner: item.fromOwner,
    toOwner: item.toOwner,
    tokenId: item.tokenId,
    amount: String(item.amount),
    reason: item.reason,
    direction: item.direction,
  };
}
