// Finds the recipient of a transfer (S2.9, S4.2) by user name, key of either chain, or account number.

import { accountId } from "../../domain/units.ts";
import type { Recipient, RecipientKind } from "../../wire/rest/owners.ts";
import type { DevnetConfig } from "../config/config.ts";
import { type AccountRow, isOwnerKey, type Registry } from "./registry.ts";

/** `malformed`: the value cannot be a name, key or number of that kind. `missing`: no such recipient, or it cannot receive. */
export type RecipientAnswer = Recipient | "malformed" | "missing";

const USERNAME = /^[\w.-]{1,64}$/;
const U64 = /^\d{1,20}$/;
const U64_MAX = 2n ** 64n - 1n;

/** A name or key means its owner's personal master; a number means exactly that account, if it is personal. */
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

/** Base58, the address format of the external chain. */
const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** 32 bytes never need more digits; a longer text is refused without decoding it. */
const DIGITS_MAX = 44;
const KEY_BYTES = 32;

/** Decodes a 32-byte key to 64 lowercase hex characters; undefined if `text` is not a key. */
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
  // Each leading 1 is a zero byte; with the bytes of the other digits there must be exactly 32.
  const digits = value === 0n ? "" : value.toString(16);
  const bytes = zeros + Math.ceil(digits.length / 2);
  return bytes === KEY_BYTES ? digits.padStart(2 * KEY_BYTES, "0") : undefined;
}
