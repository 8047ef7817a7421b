// A market's funding state (S2.4).

import type { Funding } from "../../domain/market.ts";
import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { integerIn, marketNumber, timeSec, whole } from "../tolerant.ts";
import { fundingInterval } from "./market.ts";

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

/** A settlement takes at most all of the notional. */
const maxFundingRate = integerIn(0, 10_000);

/** Throws WireError. */
export function decodeFunding(json: unknown): Funding {
  const fields = objectOf(json, "");
  return {
    marketId: marketNumber(fields, "marketId"),
    fundingRate: whole(fields, "fundingRate"),
    cumulativeFunding: whole(fields, "cumulativeFunding"),
    lastFundingTimestampSec: timeSec(fields, "lastFundingTimestamp"),
    fundingIntervalSecs: fundingInterval(fields, "fundingIntervalSecs"),
    maxFundingRateBps: maxFundingRate(fields, "maxFundingRateBps"),
  };
}
