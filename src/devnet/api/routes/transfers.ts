// Whom one may pay and what was paid (S4.2): authenticated reads of the validator, by API key or owner session.

import { encodeRecipient, encodeTransferPage, type RecipientKind } from "../../../wire/rest/transfers.ts";
import type { ChainReads } from "../../chain/reads.ts";
import { type Credentials, isReply } from "../http/credentials.ts";
import { badRequest, json, notFound } from "../http/reply.ts";
import { get, type Route } from "../http/router.ts";

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
      return page === undefined ? malformedCursor : json(encodeTransferPage(page));
    }),
  ];
}

const malformedRecipient = badRequest(
  "MALFORMED_RECIPIENT",
  "kind is username, wallet or account, and value is a name, a public key or an account id",
);
const noRecipient = notFound("UNKNOWN_RECIPIENT", "there is no such recipient, or it may not receive");
const malformedCursor = badRequest("MALFORMED_CURSOR", "this is no cursor that a page of the history gave");
