// A market's funding state (S2.4).

import type { Funding } from "../../domain/market.ts";
import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { integer, timeSec, whole } from "../tolerant.ts";

export function encodeFunding(funding: Funding): Json {
  return {
    marketId: funding.marketId,
    fundingRate: String(funding.fundingRate),
    cumulativeFunding: String(funding.cumulativeFunding),
    lastFundingTimestamp: funding.lastFundingTimestampSec,
    fundingIntervalSecs: funding.fundingIntervalSecs,
    maxFundingRateBps: funding.maxFundingRateBps,
  };
}

/** Throws WireError. */
export function decodeFunding(json: unknown): Funding {
  const fields = objectOf(json, "");
  return {
    marketId: integer(fields, "marketId"),
    fundingRate: whole(fields, "fundingRate"),
    cumulativeFunding: whole(fields, "cumulativeFunding"),
    lastFundingTimestampSec: timeSec(fields, "lastFundingTimestamp"),
    fundingIntervalSecs: integer(fields, "fundingIntervalSecs"),
    maxFundingRateBps: integer(fields, "maxFundingRateBps"),
  };
}
