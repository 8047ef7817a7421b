// The fee schedule (S2.11): snake_case. A negative maker fee is a rebate.

import type { FeeTier } from "../../domain/market.ts";
import { usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { integerIn, list, natural, text } from "../tolerant.ts";

export function encodeFeeTiers(tiers: readonly FeeTier[]): Json {
  return {
    tier_count: tiers.length,
    tiers: tiers.map((tier) => ({
      asset_class: tier.assetClass,
      min_volume_30d: String(tier.minVolume30d),
      maker_fee_bps: tier.makerFeeBps,
      taker_fee_bps: tier.takerFeeBps,
    })),
  };
}

/** Neither a fee nor a rebate is more than all of the notional. */
const feeBps = integerIn(-10_000, 10_000);

/** Throws WireError. */
export function decodeFeeTiers(json: unknown): readonly FeeTier[] {
  return list(objectOf(json, ""), "tiers", (item) => {
    const fields = objectOf(item, "");
    return {
      assetClass: text(fields, ["asset_class", "assetClass"]),
      minVolume30d: usdc(natural(fields, ["min_volume_30d", "minVolume30d"])),
      makerFeeBps: feeBps(fields, ["maker_fee_bps", "makerFeeBps"]),
      takerFeeBps: feeBps(fields, ["taker_fee_bps", "takerFeeBps"]),
    };
  });
}
