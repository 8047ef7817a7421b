// The bridge's state (S4.1): limits, use and what is pending, by token, and with an owner what awaits that key. Needs no account.

import { encodeBridgeState } from "../../../wire/rest/bridge.ts";
import { USDC } from "../../accounts/tokens.ts";
import type { ChainReads } from "../../chain/reads.ts";
import { publicKeyIn } from "../http/path-values.ts";
import { badRequest, json, type Reply } from "../http/reply.ts";

export function bridgeReply(reads: ChainReads, query: URLSearchParams): Reply {
  const asked = query.get("owner");
  const owner = publicKeyIn(asked ?? undefined);
  if (asked !== null && owner === undefined) {
    return badRequest("MALFORMED_KEY", "an owner key is 64 hex characters, with or without 0x");
  }
  const { withdrawalWindowSecs, tokens, unclaimedTotal, pendingWithdrawals } = reads.bridge();
  return json(
    encodeBridgeState({
      depositsEnabled: true,
      withdrawalsEnabled: true,
      withdrawalWindowSecs,
      tokens: tokens.map((token) => ({
        ...token,
        pendingDeposits: token.tokenId === USDC ? unclaimedTotal : 0n,
        pendingWithdrawals: pendingWithdrawals.find(({ tokenId }) => tokenId === token.tokenId)?.amount ?? 0n,
      })),
      owner: owner === undefined ? null : { owner, unclaimedUsdc: reads.unclaimed(owner) },
    }),
  );
}
