// Reads that the interface names no endpoint for: vaults, withdrawals and recent blocks. Paths and shapes are the devnet's own;
// every answer says so with `"shape": "devnet"`.

import type { JsonObject } from "../../../kernel/json.ts";
import { encodeBlock } from "../../../wire/rest/block.ts";
import { encodeVault, encodeWithdrawals } from "../../../wire/rest/owner.ts";
import type { Block } from "../../chain/block.ts";
import type { ChainReads } from "../../chain/reads.ts";
import { accountIdIn, countIn } from "../http/path-values.ts";
import { badRequest, json, malformedAccount, notFound, unknownAccount } from "../http/reply.ts";
import { get, type Route } from "../http/router.ts";
import { explorerBlock } from "../stream/explorer-block.ts";

const MARK = { shape: "devnet" };

export function ownRoutes(reads: ChainReads): readonly Route[] {
  return [
    get("/v1/vaults/{id}", ({ params }) => {
      const id = accountIdIn(params.id);
      if (id === undefined) return malformedAccount;
      const vault = reads.vault(id);
      return vault === undefined
        ? notFound("UNKNOWN_VAULT", "there is no vault of that account id")
        : json({ ...MARK, vault: encodeVault(vault) });
    }),
    get("/v1/accounts/{id}/withdrawals", ({ params }) => {
      const id = accountIdIn(params.id);
      if (id === undefined) return malformedAccount;
      if (reads.account(id) === undefined) return unknownAccount;
      return json({ ...MARK, withdrawals: encodeWithdrawals(reads.withdrawals(id)) });
    }),
  ];
}

const LIST_LENGTH = 50;

export function explorerRoutes({ block: blockAt, blocks }: Pick<ChainReads, "block" | "blocks">): readonly Route[] {
  return [
    get("/v1/explorer/blocks", () => json({ ...MARK, blocks: blocks(LIST_LENGTH).map(encoded) })),
    get("/v1/explorer/blocks/{height}", ({ params }) => {
      const height = countIn(params.height);
      if (height === undefined) return badRequest("MALFORMED_HEIGHT", "a height is a whole number from 0");
      const block = blockAt(height);
      return block === undefined
        ? notFound("UNKNOWN_BLOCK", "this block is not made yet, or is no longer remembered")
        : json({ ...MARK, ...encoded(block) });
    }),
  ];
}

const encoded = (block: Block): JsonObject => encodeBlock(explorerBlock(block)) as JsonObject;
