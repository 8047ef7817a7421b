// Whom a transfer may go to (S2.9, S4.2): a user's name, a key of either chain, or an account's number.

import { accountId } from "../../domain/units.ts";
import type { Recipient, RecipientKind } from "../../wire/rest/transfers.ts";
import type { DevnetConfig } from "../config/config.ts";
import { keyFromBase58 } from "./base58.ts";
import { type AccountRow, isOwnerKey, type Registry } from "./registry.ts";

/** `malformed`: the value can be no name, key or number of that kind. `missing`: there is no such recipient, or none that may receive. */
export type RecipientAnswer = Recipient | "malformed" | "missing";

const USERNAME = /^[\w.-]{1,64}$/;
const U64 = /^\d{1,20}$/;
const U64_MAX = 2n ** 64n - 1n;

/** A name or key stands for its owner's personal master; a number for that very account, if it is personal. */
export function findRecipient(
  kind: RecipientKind,
  value: string,
  { registry, users }: { readonly registry: Registry; readonly users: DevnetConfig["users"] },
): RecipientAnswer {
  switch (kind) {
    case "username": {
      if (!USERNAME.test(value)) return "malformed";
      const user = users.find((each) => each.username === value);
      return user === undefined ? "missing" : answerOf(registry.personal(user.owner));
    }
    case "wallet": {
      const hex = value.replace(/^0x/, "").toLowerCase();
      const owner = isOwnerKey(hex) ? hex : keyFromBase58(value);
      return owner === undefined ? "malformed" : answerOf(registry.personal(owner));
    }
    case "account": {
      if (!U64.test(value) || BigInt(value) > U64_MAX) return "malformed";
      const row = registry.account(accountId(BigInt(value)));
      return row !== undefined && registry.masterOf(row).kind === "personal" ? answerOf(row) : "missing";
    }
  }
}

function answerOf(row: AccountRow | undefined): RecipientAnswer {
  if (row?.state !== "open") return "missing";
  const { accountId: id, masterAccountId, owner } = row;
  return { accountId: id, masterAccountId, owner, isMaster: masterAccountId === null };
}
