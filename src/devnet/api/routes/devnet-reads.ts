// Reads that the interface names no endpoint for: vaults and withdrawals under paths and shapes of the devnet's own. Every answer
// says so with `"shape": "devnet"`.

import { encodeVault } from "../../../wire/rest/vault.ts";
import { encodeWithdrawals } from "../../../wire/rest/withdrawals.ts";
import type { ChainReads } from "../../chain/reads.ts";
import { accountIdIn } from "../http/path-values.ts";
import { badRequest, json, notFound } from "../http/reply.ts";
import { get, type Route } from "../http/router.ts";

export function ownRoutes(reads: ChainReads): readonly Route[] {
  return [
    get("/v1/vaults/{id}", ({ params }) => {
      const id = accountIdIn(params.id);
      if (id === undefined) return malformed;
      const vault = reads.vault(id);
      return vault === undefined
        ? notFound("UNKNOWN_VAULT", "there is no vault of that account id")
        : json({ shape: "devnet", vault: encodeVault(vault) });
    }),
    get("/v1/accounts/{id}/withdrawals", ({ params }) => {
      const id = accountIdIn(params.id);
      if (id === undefined) return malformed;
      if (reads.account(id) === undefined) return notFound("UNKNOWN_ACCOUNT", "there is no such account");
      return json({ shape: "devnet", withdrawals: encodeWithdrawals(reads.withdrawals(id)) });
    }),
  ];
}

const malformed = badRequest("MALFORMED_ACCOUNT_ID", "an account id is a whole number from 0 to 2^64 - 1");
