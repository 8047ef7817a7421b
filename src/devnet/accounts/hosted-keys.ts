// The hosted path (S5): what each kind of credential may get signed, and the keys that the enclave signs with for an owner. The chain
// treats a signature by such a key, and its nonces, as the owner's own. Only public keys are kept here.

import type { TransactionType } from "../../wire/transaction.ts";
import type { Receipt } from "../event.ts";
import { changed, done, refused } from "./receipt.ts";
import type { Table, Tables } from "./table.ts";

export type HostedKeys = {
  /** The owner of a hosted key; any other signer is its own owner. Both are 64 lowercase hex characters. */
  readonly ownerOf: (signer: string) => string;
  /** Lets `pubkey` sign for `owner`. A key belongs to one owner forever; linking it again to the same owner changes nothing. */
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

/** S5: what an API key may get signed. A session may get everything signed. */
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
