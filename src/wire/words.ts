// The few words that wire and domain spell differently.

import type { Side } from "../domain/units.ts";
import type { Fields } from "./strict.ts";
import { type Names, oneOf } from "./tolerant.ts";

export type WireSide = "Long" | "Short";

export const wireSides: readonly WireSide[] = ["Long", "Short"];

export const sideToWire = (side: Side): WireSide => (side === "buy" ? "Long" : "Short");
export const sideFromWire = (side: WireSide): Side => (side === "Long" ? "buy" : "sell");

/** Reads a side of an answer. Throws WireError. */
export const readSide = (fields: Fields, names: Names): Side => sideFromWire(oneOf(fields, names, wireSides));
