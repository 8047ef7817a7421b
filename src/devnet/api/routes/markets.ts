// Markets, oracle and exchange of the validator (S4.1, S4.4): public, read from the state of now.

import type { MarketId } from "../../../domain/units.ts";
import type { Json } from "../../../kernel/json.ts";
import { encodeBook } from "../../../wire/rest/book.ts";
import { encodeBridgeState, encodeInsuranceFund, encodeTreasuryConfig } from "../../../wire/rest/exchange.ts";
import { encodeFeeTiers } from "../../../wire/rest/fee-tiers.ts";
import { encodeFunding } from "../../../wire/rest/funding.ts";
import { encodeMarket } from "../../../wire/rest/market.ts";
import { encodeNodeStatus } from "../../../wire/rest/node.ts";
import { encodeOracle, encodeOracleHistory } from "../../../wire/rest/oracle.ts";
import { encodeStakeValidators, encodeStakingState } from "../../../wire/rest/staking.ts";
import { encodeTrades } from "../../../wire/rest/trades.ts";
import type { ChainReads } from "../../chain/reads.ts";
import { marketIdIn, publicKeyIn } from "../http/path-values.ts";
import { json, malformedKey, malformedMarket, notFound, type Reply } from "../http/reply.ts";
import { get, type Route } from "../http/router.ts";

/** "Recent" trades are this many (the interface shows no number). */
const RECENT_TRADES = 100;

export function marketRoutes(reads: ChainReads): readonly Route[] {
  return [
    get("/v1/markets", () => {
      const listed = reads.markets().filter((market) => market.status === "Active");
      return json(listed.map(encodeMarket));
    }),
    ofMarket("/v1/markets/{id}", (id) => map(reads.market(id), encodeMarket)),
    ofMarket("/v1/markets/{id}/orderbook", (id) => map(reads.book(id), encodeBook)),
    ofMarket("/v1/markets/{id}/funding", (id) => map(reads.funding(id), encodeFunding)),
    ofMarket("/v1/markets/{id}/trades", (id) => map(reads.trades(id, RECENT_TRADES), encodeTrades)),
    ofMarket("/v1/oracle/{id}", (id) => map(reads.oracle(id), encodeOracle)),
    ofMarket("/v1/oracle/{id}/history", (id) => map(reads.oracleHistory(id), encodeOracleHistory)),
    get("/v1/fee-tiers", () => json(encodeFeeTiers(reads.feeTiers()))),
    get("/v1/treasury-config", () => json(encodeTreasuryConfig(reads.treasury()))),
    get("/v1/insurance-fund", () => json(encodeInsuranceFund(reads.insuranceFund()))),
    get("/v1/tokens", () => json(reads.tokens())),
    get("/v1/bridge/state", ({ query }) => bridgeReply(reads, query)),
    get("/v1/staking/validators", () => json(encodeStakeValidators(reads.stakeValidators()))),
    get("/v1/staking/info", () => json(encodeStakingState(reads.staking()))),
    get("/v1/node/info", () => json(encodeNodeStatus(reads.node()))),
  ];
}

/** A route about one market; `read` gives undefined where there is none of that number. */
function ofMarket(path: string, read: (market: MarketId) => Json | undefined): Route {
  return get(path, ({ params }) => {
    const id = marketIdIn(params.id);
    if (id === undefined) return malformedMarket;
    const found = read(id);
    return found === undefined ? notFound("UNKNOWN_MARKET", "there is no market of that id") : json(found);
  });
}

const map = <T>(value: T | undefined, encode: (value: T) => Json): Json | undefined =>
  value === undefined ? undefined : encode(value);

/** The bridge's state: limits, use and pending amounts per token, and with an owner what awaits that key. Needs no account. */
function bridgeReply(reads: ChainReads, query: URLSearchParams): Reply {
  const asked = query.get("owner");
  const owner = publicKeyIn(asked ?? undefined);
  if (asked !== null && owner === undefined) return malformedKey;
  const unclaimed = owner === undefined ? null : { owner, unclaimedUsdc: reads.unclaimed(owner) };
  return json(encodeBridgeState({ ...reads.bridge(), owner: unclaimed }));
}
