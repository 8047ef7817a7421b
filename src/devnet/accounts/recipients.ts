// Whom a transfer may go to (S2.9, S4.2): a user's name, a key of either chain, or an account's number.

import { accountId } from "../../domain/units.ts";
import type { Recipient, RecipientKind } from "../../wire/rest/owners.ts";
import type { DevnetConfig } from "../config/config.ts";
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

/** Base58, as the external chain writes its addresses. */
const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** 32 bytes never need more digits; a longer text is not even looked at. */
const DIGITS_MAX = 44;
const KEY_BYTES = 32;

/** The 32-byte key that `text` stands for, as 64 lowercase hex characters; undefined when it is not a key. */
function keyFromBase58(text: string): string | undefined {
  if (text.length > DIGITS_MAX) return undefined;
  let value = 0n;
  let zeros = 0;
  for (const digit of text) {
    const worth = ALPHABET.indexOf(digit);
    if (worth < 0) return undefined;
    if (value === 0n && worth === 0) zeros += 1;
    value = value * 58n + BigInt(worth);
  }
  // A leading 1 is a byte of zeros; the digits behind make the rest, and together they are exactly a key.
  const digits = value === 0n ? "" : value.toString(16);
  const bytes = zeros + Math.ceil(digits.length / 2);
  return bytes === KEY_BYTES ? digits.padStart(2 * KEY_BYTES, "0") : undefined;
}
