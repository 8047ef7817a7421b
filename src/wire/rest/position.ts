// A position (S2.6): camelCase but for two fields.

import type { Position, Unreadable } from "../../domain/account.ts";
import { marginModes } from "../../domain/order.ts";
import { price, size, usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { WireError } from "../errors.ts";
import { type Fields, objectOf } from "../strict.ts";
import { bool, count, marketNumber, type Names, natural, oneOf, orElse, whole } from "../tolerant.ts";
import { readSide, sideToWire } from "../words.ts";

export function encodePosition(position: Position): Json {
  return {
    marketId: position.marketId,
    side: sideToWire(position.side),
    size: String(position.size),
    entryPrice: String(position.entryPrice),
    unrealizedPnl: String(position.unrealizedPnl ?? 0n),
    cumulativeFunding: String(position.cumulativeFunding ?? 0n),
    lastOraclePrice: String(position.lastOraclePrice),
    openedAt: position.openedAtMs,
    margin_mode: position.marginMode,
    leverage: position.leverage,
    isolated_margin: String(position.isolatedMargin),
    tierGrandfathered: position.tierGrandfathered,
  };
}

/** Market, side, size and entry price must be there; the rest may be odd. Throws WireError, also for a position that was entered at no price. */
export function readPosition(item: unknown): Position {
  const fields = objectOf(item, "");
  const position = {
    marketId: marketNumber(fields, "marketId"),
    side: readSide(fields, "side"),
    size: size(natural(fields, "size")),
    entryPrice: price(natural(fields, "entryPrice")),
    unrealizedPnl: orElse(fields, "unrealizedPnl", readUsdc, null),
    cumulativeFunding: orElse(fields, "cumulativeFunding", whole, null),
    lastOraclePrice: price(orElse(fields, "lastOraclePrice", natural, 0n)),
    openedAtMs: orElse(fields, "openedAt", count, 0),
    marginMode: orElse(fields, ["margin_mode", "marginMode"], readMarginMode, "Cross" as const),
    leverage: orElse(fields, "leverage", count, 0),
    isolatedMargin: orElse(fields, ["isolated_margin", "isolatedMargin"], readUsdc, usdc(0n)),
    tierGrandfathered: orElse(fields, "tierGrandfathered", bool, false),
  };
  if (position.size > 0n && position.entryPrice === 0n)
    throw new WireError("field_conflict", "entryPrice", "must be above 0 where size is");
  return position;
}

/** What can be read of a position that `readPosition` does not understand, which it says in `why`. */
export function readUnreadablePosition(item: unknown, why: string): Unreadable {
  const fields = typeof item === "object" && item !== null && !Array.isArray(item) ? (item as Fields) : {};
  const marketId = orElse(fields, "marketId", marketNumber, null);
  return { what: "position", orderId: null, marketId, side: orElse(fields, "side", readSide, null), why };
}

const readUsdc = (fields: Fields, names: Names) => usdc(whole(fields, names));
const readMarginMode = (fields: Fields, names: Names) => oneOf(fields, names, marginModes);
