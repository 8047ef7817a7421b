// The transactions of S4.6 that open, link, fund and close accounts. Only the owner's key may sign them, except Transfer.

import { at, omitted, request, says } from "../description.ts";
import { word } from "../values.ts";
import type { Typed } from "./trading.ts";
import * as v from "./values.ts";

/** Our limit: the interface gives none. */
const AGENT_NAME_BYTES_MAX = 64;

export const accountChanges = {
  /** `referredBy` null: left out, no referral. */
  CreateFundedAccount: request({ mode: word(["Cross"]), referredBy: omitted(v.accountId) }),
  /** Retired: accepted with any fields, so that it can be refused by name. */
  CreateReferredAccount: says(request({}, "ignored"), "retired: it is refused by name"),
  ApproveAgent: request({
    accountId: v.accountId,
    /** 64 lowercase hex characters. */
    agent: v.publicKey,
    /** Null: left out. */
    name: omitted(v.text(AGENT_NAME_BYTES_MAX)),
    /** Null: left out, the key is active until revoked. */
    expiresAtSec: at("expiresAt", omitted(v.expirySec)),
  }),
  RevokeAgent: request({ accountId: v.accountId, agent: v.publicKey }),
  CreateSubaccount: request({ masterAccountId: v.accountId }),
  /** Only here ids and amount are decimal strings (S4.6). */
  Transfer: request({
    fromAccountId: v.accountIdText,
    toAccountId: v.accountIdText,
    tokenId: v.tokenId,
    /** Base units of the token, above zero, within i128. */
    amount: v.amountText,
  }),
  CloseSubaccount: request({ accountId: v.accountId }),
};

type Of<Name extends keyof typeof accountChanges> = Typed<typeof accountChanges, Name>;
export type CreateFundedAccount = Of<"CreateFundedAccount">;
export type Transfer = Of<"Transfer">;
