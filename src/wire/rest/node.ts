// What the node says of itself (S2.11): snake_case. The unit of block_timestamp is not stated: seconds here, both understood.

import type { NodeStatus } from "../../domain/account.ts";
import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { count, integer, text, timeSec } from "../tolerant.ts";

export function encodeNodeStatus(node: NodeStatus): Json {
  return {
    protocol_version: node.protocolVersion,
    binary_version: node.binaryVersion,
    build_sha: node.buildSha,
    block_height: node.blockHeight,
    block_timestamp: node.blockTimestampSec,
    state_root: node.stateRoot,
    chain_id: node.chainId,
  };
}

/** Throws WireError. */
export function decodeNodeStatus(json: unknown): NodeStatus {
  const fields = objectOf(json, "");
  return {
    protocolVersion: integer(fields, "protocol_version"),
    binaryVersion: integer(fields, "binary_version"),
    buildSha: text(fields, ["build_sha", "build_tag"]),
    blockHeight: count(fields, "block_height"),
    blockTimestampSec: timeSec(fields, "block_timestamp"),
    stateRoot: text(fields, "state_root"),
    chainId: text(fields, "chain_id"),
  };
}
