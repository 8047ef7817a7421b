// Accounts (S4.2): by id or by owner key, public; transfers, for whoever is authenticated.

import type { VenueReads } from "../../../src/bot/venue/port.ts";
import type { Get } from "../../../src/bot/venue/remote/reads.ts";
import { createReads } from "../../../src/bot/venue/remote/reads.ts";
import type { Account, Position } from "../../../src/domain/account.ts";
import type { Order } from "../../../src/domain/order.ts";
import type { AccountId } from "../../../src/domain/units.ts";
import { decodeAccount } from "../../../src/wire/rest/account.ts";
import type {
  InviteState,
  OwnedAccount,
  OwnerAssets,
  Recipient,
  RecipientKind,
  TransferPage,
} from "../../../src/wire/rest/owner.ts";
import {
  decodeInviteState,
  decodeOrders,
  decodeOwnedAccounts,
  decodeOwnerAssets,
  decodePositions,
  decodeRecipient,
  decodeTransferPage,
} from "./decode/owner.ts";

/** Owner keys are 64 hex characters, with or without 0x. */
export type AccountReads = {
  readonly byId: VenueReads["account"];
  /** The key's personal account. */
  readonly byOwner: (owner: string) => Promise<Account>;
  /** All accounts of the key; a personal one has `isVault` false. */
  readonly ownedBy: (owner: string) => Promise<readonly OwnedAccount[]>;
  readonly assets: (owner: string) => Promise<OwnerAssets>;
  readonly positions: (account: AccountId) => Promise<readonly Position[]>;
  /** Open orders: the same path on the REST host is the history of all (S4.3). */
  readonly openOrders: (account: AccountId) => Promise<readonly Order[]>;
  readonly rateLimit: VenueReads["rateLimit"];
  readonly invites: (account: AccountId) => Promise<InviteState>;
};

export function createAccountReads(get: Get): AccountReads {
  const { json } = get;
  const { account, rateLimit } = createReads(get);
  const ofOwner = <T>(owner: string, rest: string, decode: (from: unknown) => T): Promise<T> =>
    json(`/v1/accounts/by-owner/${encodeURIComponent(owner)}${rest}`, decode);
  return {
    byId: account,
    rateLimit,
    byOwner: (owner) => ofOwner(owner, "", decodeAccount),
    ownedBy: (owner) => ofOwner(owner, "/list", decodeOwnedAccounts),
    assets: (owner) => ofOwner(owner, "/assets", decodeOwnerAssets),
    positions: (id) => json(`/v1/accounts/${id}/positions`, decodePositions),
    openOrders: (id) => json(`/v1/accounts/${id}/orders`, (orders) => decodeOrders(orders, id)),
    invites: (id) => json(`/v1/accounts/${id}/invites`, decodeInviteState),
  };
}

/** With the client's credential, as its owner sees them. */
export type TransferReads = {
  /** `value`: a user's name, a public key (base58 or hex), or an account id. */
  readonly recipient: (kind: RecipientKind, value: string) => Promise<Recipient>;
  /** Newest first, at most 50; null asks for the first page, `nextCursor` of a page for the next. */
  readonly history: (cursor: string | null) => Promise<TransferPage>;
};

export function createTransferReads({ json }: Pick<Get, "json">): TransferReads {
  return {
    recipient: (kind, value) =>
      json(`/v1/transfers/recipient?${new URLSearchParams({ kind, value })}`, decodeRecipient),
    history: (cursor) =>
      json(`/v1/transfers/history${cursor === null ? "" : `?${new URLSearchParams({ cursor })}`}`, decodeTransferPage),
  };
}
