// Reads that the interface names no endpoint for: vaults, withdrawals and recent blocks. Paths and shapes are the devnet's own;
// every answer says so with `"shape": "devnet"`.

import type { JsonObject } from "../../../kernel/json.ts";
import { encodeBlock } from "../../../wire/rest/block.ts";
import { encodeVault, encodeWithdrawals } from "../../../wire/rest/owner.ts";
import type { Block } from "../../chain/block.ts";
import type { Chain } from "../../chain/chain.ts";
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

/** Blocks that are remembered, half an hour at five a second, and their transactions. */
const BLOCKS_MAX = 10_000;
const TRANSACTIONS_MAX = 100_000;
const LIST_LENGTH = 50;

export function explorerRoutes(chain: Pick<Chain, "onBlock">): readonly Route[] {
  const blocks = createRecentBlocks();
  chain.onBlock(blocks.push);

  return [
    get("/v1/explorer/blocks", () => json({ ...MARK, blocks: blocks.newest(LIST_LENGTH).map(encoded) })),
    get("/v1/explorer/blocks/{height}", ({ params }) => {
      const height = countIn(params.height);
      if (height === undefined) return badRequest("MALFORMED_HEIGHT", "a height is a whole number from 0");
      const block = blocks.at(height);
      return block === undefined
        ? notFound("UNKNOWN_BLOCK", "this block is not made yet, or is no longer remembered")
        : json({ ...MARK, ...encoded(block) });
    }),
  ];
}

/** The newest blocks, by height, as many as either bound allows, and always the last. */
function createRecentBlocks() {
  const blocks = new Map<number, Block>();
  let newest = -1;
  let transactions = 0;
  return {
    at: (height: number) => blocks.get(height),
    /** Newest first. */
    newest: (count: number) => Array.from({ length: count }, (_, at) => blocks.get(newest - at) ?? []).flat(),
    push(block: Block): void {
      blocks.set(block.height, block);
      newest = block.height;
      transactions += block.transactions.length;
      while (blocks.size > BLOCKS_MAX || (blocks.size > 1 && transactions > TRANSACTIONS_MAX)) {
        const oldest = newest - blocks.size + 1;
        transactions -= blocks.get(oldest)?.transactions.length ?? 0;
        blocks.delete(oldest);
      }
    },
  };
}

const encoded = (block: Block): JsonObject => encodeBlock(explorerBlock(block)) as JsonObject;
