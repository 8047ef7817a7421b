// The hosted path (S5): what each kind of credential may have signed, and the keys that the enclave signs with for an owner. The
// chain takes such a signer for the owner itself, and its nonces for the owner's. Only public keys are kept here.

import type { TransactionType } from "../../wire/transaction.ts";
import type { Receipt } from "../event.ts";
import { changed, done, refused } from "./receipt.ts";
import type { Table, Tables } from "./table.ts";

export type HostedKeys = {
  /** The owner that a signer stands for: itself, unless it is a hosted key. 64 lowercase hex characters, both. */
  readonly ownerOf: (signer: string) => string;
  /** Lets `pubkey` sign for `owner`. A key belongs to one owner forever; linking it again changes nothing. */
  readonly link: (pubkey: string, owner: string) => Receipt;
};

export function createHostedKeys(tables: Tables): HostedKeys {
  const owners: Table<string> = tables.open("hostedKey");
  return {
    ownerOf: (signer) => owners.get(signer) ?? signer,
    link(pubkey, owner) {
      const known = owners.get(pubkey);
      if (known === owner) return done();
      if (known !== undefined) return refused("HostedKeyTaken", `key ${pubkey} stands for another owner`);
      owners.set(pubkey, owner);
      return done(changed("HostedKeyLinked", null, { owner, pubkey }));
    },
  };
}

/** `owner`: 64 lowercase hex characters. */
export type Credential = { readonly kind: "apiKey" | "session"; readonly owner: string };

/** S5: an API key. A session may have everything signed. */
const ofApiKey: ReadonlySet<TransactionType> = new Set([
  "PlaceOrder",
  "CancelOrder",
  "CancelAllOrders",
  "ModifyOrder",
  "AdjustIsolatedMargin",
  "Transfer",
  "DepositToVault",
  "WithdrawFromVault",
]);

export const mayHaveSigned = (credential: Credential, type: TransactionType): boolean =>
  credential.kind === "session" || ofApiKey.has(type);
