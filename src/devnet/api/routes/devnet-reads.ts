// Reads for which the interface names no endpoint: vaults, withdrawals and recent blocks. Paths and formats are the devnet's own; every
// answer says so with `"shape": "devnet"`.

import * as exchange from "../../../wire/rest/exchange.ts";
import * as owners from "../../../wire/rest/owners.ts";
import type { ChainReads } from "../../chain/reads.ts";
import { accountIdIn, countIn } from "../http/path-values.ts";
import { badRequest, malformedAccount, notFound, said, unknownAccount } from "../http/reply.ts";
import { get, type Route } from "../http/router.ts";
import { explorerBlock } from "../stream/explorer-block.ts";

export function ownRoutes(reads: ChainReads): readonly Route[] {
  return [
    get("/v1/vaults/{id}", ({ params }) => {
      const id = accountIdIn(params.id);
      if (id === undefined) return malformedAccount;
      const vault = reads.vault(id);
      return vault === undefined
        ? notFound("UNKNOWN_VAULT", "there is no vault of that account id")
        : said(owners.vault, vault);
    }),
    get("/v1/accounts/{id}/withdrawals", ({ params }) => {
      const id = accountIdIn(params.id);
      if (id === undefined) return malformedAccount;
      if (reads.account(id) === undefined) return unknownAccount;
      return said(owners.withdrawals, reads.withdrawals(id));
    }),
  ];
}

const LIST_LENGTH = 50;

export function explorerRoutes({ block: blockAt, blocks }: Pick<ChainReads, "block" | "blocks">): readonly Route[] {
  return [
    get("/v1/explorer/blocks", () => said(exchange.blocks, blocks(LIST_LENGTH).map(explorerBlock))),
    get("/v1/explorer/blocks/{height}", ({ params }) => {
      const height = countIn(params.height);
      if (height === undefined) return badRequest("MALFORMED_HEIGHT", "a height is a whole number from 0");
      const block = blockAt(height);
      return block === undefined
        ? notFound("UNKNOWN_BLOCK", "this block is not made yet, or is no longer remembered")
        : said(exchange.markedBlock, explorerBlock(block));
    }),
  ];
}
