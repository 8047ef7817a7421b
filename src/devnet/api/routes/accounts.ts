// Accounts and owners of the validator (S4.2, S4.4): public, by id or by owner key; transfers, by API key or owner session.

import type { Account } from "../../../domain/account.ts";
import type { Json } from "../../../kernel/json.ts";
import { encodeAccount } from "../../../wire/rest/account.ts";
import { encodeOrder } from "../../../wire/rest/order.ts";
import {
  encodeInviteState,
  encodeOwnedAccounts,
  encodeOwnerAssets,
  encodeRecipient,
  encodeTransferPage,
  type RecipientKind,
} from "../../../wire/rest/owner.ts";
import { encodePosition } from "../../../wire/rest/position.ts";
import { encodeDelegations, encodeStakingBalance } from "../../../wire/rest/staking.ts";
import type { ChainReads } from "../../chain/reads.ts";
import { type Credentials, isReply } from "../http/credentials.ts";
import { accountIdIn, publicKeyIn } from "../http/path-values.ts";
import {
  badRequest,
  historyDropped,
  json,
  malformedAccount,
  malformedKey,
  notFound,
  type Reply,
  unknownAccount,
} from "../http/reply.ts";
import { get, type Request, type Route } from "../http/router.ts";

export function accountRoutes(reads: ChainReads): readonly Route[] {
  const ofAccount = (path: string, encode: (account: Account) => Json) =>
    get(path, (request) => withAccount(reads, request, (account) => json(encode(account))));

  return [
    ofAccount("/v1/accounts/{id}", encodeAccount),
    ofAccount("/v1/accounts/{id}/positions", ({ positions }) => positions.map(encodePosition)),
    ofAccount("/v1/accounts/{id}/orders", ({ openOrders }) => openOrders.map(encodeOrder)),
    get("/v1/accounts/{id}/rate-limit", (request) =>
      withAccount(reads, request, ({ accountId }) => {
        const limit = reads.rateLimit(accountId);
        return limit === undefined ? unknownAccount : json(limit);
      }),
    ),
    get("/v1/accounts/{id}/invites", (request) =>
      withAccount(reads, request, ({ accountId }) => {
        const invites = reads.invites(accountId);
        return invites === undefined ? unknownAccount : json(encodeInviteState(invites));
      }),
    ),
    ofOwner("/v1/accounts/by-owner/{owner}", (owner) => {
      const account = reads.personalAccount(owner);
      return account === undefined ? unknownAccount : json(encodeAccount(account));
    }),
    ofOwner("/v1/accounts/by-owner/{owner}/list", (owner) => json(encodeOwnedAccounts(reads.ownerAccounts(owner)))),
    ofOwner("/v1/accounts/by-owner/{owner}/assets", (owner) => json(encodeOwnerAssets(reads.assets(owner)))),
    ofOwner("/v1/staking/balance/{owner}", (owner) => {
      const { available, staked } = reads.stakingBalance(owner);
      const availableFrom = reads.personalAccount(owner) === undefined ? "unallocated" : "master";
      const unbonding = reads.unbonding(owner);
      return json(encodeStakingBalance({ pubkey: owner, available, availableFrom, staked, unbonding }));
    }),
    ofOwner("/v1/staking/delegations/{owner}", (owner) => json(encodeDelegations(reads.delegations(owner)))),
  ];
}

/** A route about one owner key. */
function ofOwner(path: string, answer: (owner: string) => Reply): Route {
  return get(path, ({ params }) => {
    const owner = publicKeyIn(params.owner);
    return owner === undefined ? malformedKey : answer(owner);
  });
}

/** The account that the path names, or the refusal it gets. */
function withAccount(reads: ChainReads, { params }: Request, answer: (account: Account) => Reply): Reply {
  const id = accountIdIn(params.id);
  if (id === undefined) return malformedAccount;
  const account = reads.account(id);
  return account === undefined ? unknownAccount : answer(account);
}

const KINDS: readonly RecipientKind[] = ["username", "wallet", "account"];

export function transferRoutes(reads: ChainReads, credentials: Credentials): readonly Route[] {
  return [
    get("/v1/transfers/recipient", (request) => {
      const caller = credentials.of(request);
      if (isReply(caller)) return caller;
      const kind = KINDS.find((known) => known === request.query.get("kind"));
      const value = request.query.get("value");
      if (kind === undefined || value === null) return malformedRecipient;
      const found = reads.recipient(kind, value);
      if (found === "malformed") return malformedRecipient;
      return found === "missing" ? noRecipient : json(encodeRecipient(found));
    }),
    get("/v1/transfers/history", (request) => {
      const caller = credentials.of(request);
      if (isReply(caller)) return caller;
      const page = reads.transfers(caller.owner, request.query.get("cursor"));
      if (page === undefined) return malformedCursor;
      return page.droppedMs === null ? json(encodeTransferPage(page)) : historyDropped(page.droppedMs);
    }),
  ];
}

const malformedRecipient = badRequest(
  "MALFORMED_RECIPIENT",
  "kind is username, wallet or account, and value is a name, a public key or an account id",
);
const noRecipient = notFound("UNKNOWN_RECIPIENT", "there is no such recipient, or it may not receive");
const malformedCursor = badRequest("MALFORMED_CURSOR", "this is no cursor that a page of the history gave");
