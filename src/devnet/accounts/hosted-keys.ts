// Keys that the exchange's enclave signs with for an owner (S5): the chain takes such a signer for the owner itself, and its
// nonces for the owner's. Only public keys are kept here.

import type { Receipt } from "../event.ts";
import { changed, done, refused } from "./receipt.ts";
import type { Table, Tables } from "./table.ts";

export type HostedKeys = {
  /** The owner that a signer stands for: itself, unless it is a hosted key. 64 lowercase hex characters, both. */
  readonly ownerOf: (signer: string) => string;
  /** Lets `pubkey` sign for `owner`. A key stands for one owner for good; saying so again changes nothing. */
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
