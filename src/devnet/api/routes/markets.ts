// Market, oracle and exchange reads of the validator (S4.1, S4.4): public, from the current state.

import type { MarketId } from "../../../domain/units.ts";
import * as exchange from "../../../wire/rest/exchange.ts";
import * as markets from "../../../wire/rest/markets.ts";
import type { ChainReads } from "../../chain/reads.ts";
import { marketIdIn, publicKeyIn } from "../http/path-values.ts";
import { malformedKey, malformedMarket, notFound, type Reply, said, saidOnce } from "../http/reply.ts";
import { get, type Route } from "../http/router.ts";
import type { ServedReads } from "./served-reads.ts";

export function marketRoutes(served: ServedReads, reads: ChainReads): readonly Route[] {
  return [
    ofExchange("/v1/markets", saidOnce(markets.markets), served.markets),
    ofMarket("/v1/markets/{id}", saidOnce(markets.market), served.market),
    ofMarket("/v1/markets/{id}/orderbook", saidOnce(markets.book), served.book),
    ofMarket("/v1/markets/{id}/funding", saidOnce(markets.funding), served.funding),
    ofMarket("/v1/markets/{id}/trades", saidOnce(markets.trades), served.trades),
    ofMarket("/v1/oracle/{id}", saidOnce(markets.oracle), served.oracle),
    ofMarket("/v1/oracle/{id}/history", saidOnce(markets.oracleHistory), served.oracleHistory),
    ofExchange("/v1/fee-tiers", saidOnce(markets.feeTiers), served.feeTiers),
    ofExchange("/v1/treasury-config", saidOnce(exchange.treasuryConfig), served.treasury),
    get("/v1/insurance-fund", () => said(exchange.insuranceFund, reads.insuranceFund())),
    get("/v1/tokens", () => said(exchange.tokenRegistry, reads.tokens())),
    get("/v1/bridge/state", ({ query }) => bridgeReply(reads, query)),
    get("/v1/staking/validators", () => said(exchange.stakeValidators, reads.stakeValidators())),
    get("/v1/staking/info", () => said(exchange.stakingInfo, reads.staking())),
    ofExchange("/v1/node/info", saidOnce(exchange.node), served.node),
  ];
}

const ofExchange = <T>(path: string, say: (value: T) => Reply, read: () => T): Route => get(path, () => say(read()));

/** A route about one market; `read` returns undefined if there is no market with that number. */
function ofMarket<T>(path: string, say: (value: T) => Reply, read: (market: MarketId) => T | undefined): Route {
  return get(path, ({ params }) => {
    const id = marketIdIn(params.id);
    if (id === undefined) return malformedMarket;
    const found = read(id);
    return found === undefined ? notFound("UNKNOWN_MARKET", "there is no market of that id") : say(found);
  });
}

/** State of the bridge: limits, use and pending amounts per token; with an owner, also what waits for that key. Needs no account. */
function bridgeReply(reads: ChainReads, query: URLSearchParams): Reply {
  const asked = query.get("owner");
  const owner = publicKeyIn(asked ?? undefined);
  if (asked !== null && owner === undefined) return malformedKey;
  const unclaimed =
    owner === undefined ? { owner: null, unclaimedUsdc: null } : { owner, unclaimedUsdc: reads.unclaimed(owner) };
  return said(exchange.bridgeState, { ...reads.bridge(), ...unclaimed });
}
