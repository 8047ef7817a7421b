// Recent blocks by height. The interface names a block explorer and shows no endpoint: path and shape are the devnet's own, and
// every answer says so.

import { createRing } from "../../../kernel/bounded.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { encodeBlock } from "../../../wire/rest/block.ts";
import type { Block, Chain } from "../../chain/chain.ts";
import { countIn } from "../http/path-values.ts";
import { badRequest, json, notFound } from "../http/reply.ts";
import { get, type Route } from "../http/router.ts";
import { toldBlock } from "../stream/told-block.ts";

/** Blocks that are remembered: half an hour at five a second. */
const BLOCKS_MAX = 10_000;
const LIST_LENGTH = 50;
const MARK = { shape: "devnet" };

export function explorerRoutes(chain: Pick<Chain, "onBlock">): readonly Route[] {
  const blocks = createRing<Block>(BLOCKS_MAX);
  chain.onBlock(blocks.push);
  const oldest = () => blocks.at(0)?.height ?? 0;

  return [
    get("/v1/explorer/blocks", () => {
      const newest = blocks.items().slice(-LIST_LENGTH).reverse();
      return json({ ...MARK, blocks: newest.map(encoded) });
    }),
    get("/v1/explorer/blocks/{height}", ({ params }) => {
      const height = countIn(params.height);
      if (height === undefined) return badRequest("MALFORMED_HEIGHT", "a height is a whole number from 0");
      const block = blocks.at(height - oldest());
      return block === undefined
        ? notFound("UNKNOWN_BLOCK", "this block is not made yet, or is not remembered any more")
        : json({ ...MARK, ...encoded(block) });
    }),
  ];
}

const encoded = (block: Block): JsonObject => encodeBlock(toldBlock(block)) as JsonObject;
