// Markets, oracle and exchange of the validator (S4.1, S4.4): public, read from the state of now.

import type { MarketId } from "../../../domain/units.ts";
import type { Kind } from "../../../wire/description.ts";
import * as exchange from "../../../wire/rest/exchange.ts";
import * as markets from "../../../wire/rest/markets.ts";
import type { ChainReads } from "../../chain/reads.ts";
import { marketIdIn, publicKeyIn } from "../http/path-values.ts";
import { malformedKey, malformedMarket, notFound, type Reply, said } from "../http/reply.ts";
import { get, type Route } from "../http/router.ts";

/** "Recent" trades are this many (the interface shows no number). */
const RECENT_TRADES = 100;

export function marketRoutes(reads: ChainReads): readonly Route[] {
  return [
    get("/v1/markets", () => {
      const listed = reads.markets().filter((market) => market.status === "Active");
      return said(markets.markets, listed);
    }),
    ofMarket("/v1/markets/{id}", markets.market, reads.market),
    ofMarket("/v1/markets/{id}/orderbook", markets.book, reads.book),
    ofMarket("/v1/markets/{id}/funding", markets.funding, reads.funding),
    ofMarket("/v1/markets/{id}/trades", markets.trades, (id) => reads.trades(id, RECENT_TRADES)),
    ofMarket("/v1/oracle/{id}", markets.oracle, reads.oracle),
    ofMarket("/v1/oracle/{id}/history", markets.oracleHistory, reads.oracleHistory),
    get("/v1/fee-tiers", () => said(markets.feeTiers, reads.feeTiers())),
    get("/v1/treasury-config", () => said(exchange.treasuryConfig, reads.treasury())),
    get("/v1/insurance-fund", () => said(exchange.insuranceFund, reads.insuranceFund())),
    get("/v1/tokens", () => said(exchange.tokenRegistry, reads.tokens())),
    get("/v1/bridge/state", ({ query }) => bridgeReply(reads, query)),
    get("/v1/staking/validators", () => said(exchange.stakeValidators, reads.stakeValidators())),
    get("/v1/staking/info", () => said(exchange.stakingInfo, reads.staking())),
    get("/v1/node/info", () => said(exchange.node, reads.node())),
  ];
}

/** A route about one market; `read` gives undefined where there is none of that number. */
function ofMarket<T>(path: string, kind: Kind<T>, read: (market: MarketId) => T | undefined): Route {
  return get(path, ({ params }) => {
    const id = marketIdIn(params.id);
    if (id === undefined) return malformedMarket;
    const found = read(id);
    return found === undefined ? notFound("UNKNOWN_MARKET", "there is no market of that id") : said(kind, found);
  });
}

/** The bridge's state: limits, use and pending amounts per token, and with an owner what awaits that key. Needs no account. */
function bridgeReply(reads: ChainReads, query: URLSearchParams): Reply {
  const asked = query.get("owner");
  const owner = publicKeyIn(asked ?? undefined);
  if (asked !== null && owner === undefined) return malformedKey;
  const unclaimed =
    owner === undefined ? { owner: null, unclaimedUsdc: null } : { owner, unclaimedUsdc: reads.unclaimed(owner) };
  return said(exchange.bridgeState, { ...reads.bridge(), ...unclaimed });
}
