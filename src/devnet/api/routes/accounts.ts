// Account and owner reads of the validator (S4.2, S4.4): public, by id or by owner key; transfers need an API key or owner session.

import type { AccountId } from "../../../domain/units.ts";
import * as accounts from "../../../wire/rest/accounts.ts";
import * as owners from "../../../wire/rest/owners.ts";
import type { ChainReads } from "../../chain/reads.ts";
import { type Credentials, isReply } from "../http/credentials.ts";
import { accountIdIn, publicKeyIn } from "../http/path-values.ts";
import {
  badRequest,
  historyDropped,
  malformedAccount,
  malformedKey,
  notFound,
  type Reply,
  said,
  saidOnce,
  unknownAccount,
} from "../http/reply.ts";
import { get, type Route } from "../http/router.ts";
import type { ServedReads } from "./served-reads.ts";

export function accountRoutes(served: ServedReads, reads: ChainReads): readonly Route[] {
  return [
    ofAccount("/v1/accounts/{id}", saidOnce(accounts.account), served.account),
    ofAccount("/v1/accounts/{id}/positions", saidOnce(accounts.positions), served.positions),
    ofAccount("/v1/accounts/{id}/orders", saidOnce(accounts.orders), served.orders),
    ofAccount("/v1/accounts/{id}/rate-limit", saidOnce(accounts.requestBudget), served.rateLimit),
    ofAccount(
      "/v1/accounts/{id}/invites",
      (invites) => said(owners.invites, invites),
      (id) => (reads.account(id) === undefined ? undefined : reads.invites(id)),
    ),
    ofOwner("/v1/accounts/by-owner/{owner}", (owner) => {
      const account = reads.personalAccount(owner);
      return account === undefined ? unknownAccount : said(accounts.account, account);
    }),
    ofOwner("/v1/accounts/by-owner/{owner}/list", (owner) => said(owners.ownedAccounts, reads.ownerAccounts(owner))),
    ofOwner("/v1/accounts/by-owner/{owner}/assets", (owner) => sayAssets(served.ownerAssets(owner))),
    ofOwner("/v1/staking/balance/{owner}", (owner) => {
      const { available, staked } = reads.stakingBalance(owner);
      const availableFrom = reads.personalAccount(owner) === undefined ? "unallocated" : "master";
      const unbonding = reads.unbonding(owner);
      return said(owners.stakingBalance, { pubkey: owner, available, availableFrom, staked, unbonding });
    }),
    ofOwner("/v1/staking/delegations/{owner}", (owner) => said(owners.delegations, reads.delegations(owner))),
  ];
}

const sayAssets = saidOnce(owners.ownerAssets);

/** A route about one account; `read` returns undefined if there is no account with that number. */
function ofAccount<T>(path: string, say: (value: T) => Reply, read: (account: AccountId) => T | undefined): Route {
  return get(path, ({ params }) => {
    const id = accountIdIn(params.id);
    if (id === undefined) return malformedAccount;
    const found = read(id);
    return found === undefined ? unknownAccount : say(found);
  });
}

function ofOwner(path: string, answer: (owner: string) => Reply): Route {
  return get(path, ({ params }) => {
    const owner = publicKeyIn(params.owner);
    return owner === undefined ? malformedKey : answer(owner);
  });
}

export function transferRoutes(reads: ChainReads, credentials: Credentials): readonly Route[] {
  return [
    get("/v1/transfers/recipient", (request) => {
      const caller = credentials.of(request);
      if (isReply(caller)) return caller;
      const kind = owners.recipientKinds.find((known) => known === request.query.get("kind"));
      const value = request.query.get("value");
      if (kind === undefined || value === null) return malformedRecipient;
      const found = reads.recipient(kind, value);
      if (found === "malformed") return malformedRecipient;
      return found === "missing" ? noRecipient : said(owners.recipient, found);
    }),
    get("/v1/transfers/history", (request) => {
      const caller = credentials.of(request);
      if (isReply(caller)) return caller;
      const page = reads.transfers(caller.owner, request.query.get("cursor"));
      if (page === undefined) return malformedCursor;
      return page.droppedMs === null ? said(owners.transferPage, page) : historyDropped(page.droppedMs);
    }),
  ];
}

const malformedRecipient = badRequest(
  "MALFORMED_RECIPIENT",
  "kind is username, wallet or account, and value is a name, a public key or an account id",
);
const noRecipient = notFound("UNKNOWN_RECIPIENT", "there is no such recipient, or it may not receive");
const malformedCursor = badRequest("MALFORMED_CURSOR", "this is no cursor that a page of the history gave");
