// The reads of S4.1 and S4.2 that a bot needs: one path, one decoder each.

import { decodeAccount } from "../../../wire/rest/account.ts";
import { decodeBook } from "../../../wire/rest/book.ts";
import { decodeFeeTiers } from "../../../wire/rest/fee-tiers.ts";
import { decodeFunding } from "../../../wire/rest/funding.ts";
import { decodeMarket } from "../../../wire/rest/market.ts";
import { decodeNodeStatus } from "../../../wire/rest/node.ts";
import { decodeOracle } from "../../../wire/rest/oracle.ts";
import { decodeRateLimit } from "../../../wire/rest/rate-limit.ts";
import { decodeTrades } from "../../../wire/rest/trades.ts";
import { decodeOpenOrderCap } from "../../../wire/rest/treasury.ts";
import type { VenueReads } from "../port.ts";
import type { Get } from "./get.ts";

export function createReads({ json }: Pick<Get, "json">): VenueReads {
  return {
    node: () => json("/v1/node/info", decodeNodeStatus),
    market: (market) => json(`/v1/markets/${market}`, decodeMarket),
    oracle: (market) => json(`/v1/oracle/${market}`, decodeOracle),
    book: (market) => json(`/v1/markets/${market}/orderbook`, decodeBook),
    funding: (market) => json(`/v1/markets/${market}/funding`, decodeFunding),
    trades: (market) => json(`/v1/markets/${market}/trades`, (trades) => decodeTrades(trades, market)),
    feeTiers: () => json("/v1/fee-tiers", decodeFeeTiers),
    openOrderCap: () => json("/v1/treasury-config", decodeOpenOrderCap),
    account: (account) => json(`/v1/accounts/${account}`, decodeAccount),
    rateLimit: (account) => json(`/v1/accounts/${account}/rate-limit`, decodeRateLimit),
  };
}
