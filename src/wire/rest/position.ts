// A position (S2.6): camelCase but for two fields.

import type { Position } from "../../domain/account.ts";
import { marginModes } from "../../domain/order.ts";
import { price, size, usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { WireError } from "../errors.ts";
import { objectOf } from "../strict.ts";
import { bool, count, marketNumber, natural, oneOf, whole } from "../tolerant.ts";
import { readSide, sideToWire } from "../words.ts";

export function encodePosition(position: Position): Json {
  return {
    marketId: position.marketId,
    side: sideToWire(position.side),
    size: String(position.size),
    entryPrice: String(position.entryPrice),
    unrealizedPnl: String(position.unrealizedPnl),
    cumulativeFunding: String(position.cumulativeFunding),
    lastOraclePrice: String(position.lastOraclePrice),
    openedAt: position.openedAtMs,
    margin_mode: position.marginMode,
    leverage: position.leverage,
    isolated_margin: String(position.isolatedMargin),
    tierGrandfathered: position.tierGrandfathered,
  };
}

/** Throws WireError, also for a position that was entered at no price. */
export function readPosition(item: unknown): Position {
  const fields = objectOf(item, "");
  const position = {
    marketId: marketNumber(fields, "marketId"),
    side: readSide(fields, "side"),
    size: size(natural(fields, "size")),
    entryPrice: price(natural(fields, "entryPrice")),
    unrealizedPnl: usdc(whole(fields, "unrealizedPnl")),
    cumulativeFunding: whole(fields, "cumulativeFunding"),
    lastOraclePrice: price(natural(fields, "lastOraclePrice")),
    openedAtMs: count(fields, "openedAt"),
    marginMode: oneOf(fields, ["margin_mode", "marginMode"], marginModes),
    leverage: count(fields, "leverage"),
    isolatedMargin: usdc(natural(fields, ["isolated_margin", "isolatedMargin"])),
    tierGrandfathered: bool(fields, "tierGrandfathered"),
  };
  if (position.size > 0n && position.entryPrice === 0n)
    throw new WireError("field_conflict", "entryPrice", "must be above 0 where size is");
  return position;
}
