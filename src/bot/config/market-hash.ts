// What a market runs with, as one short hash: it is a label of its metrics, and tells whether a reload changes anything.

import { sha256Hex } from "../../kernel/hash.ts";
import { type Json, stringifyJson } from "../../kernel/json.ts";
import type { MarketLimits } from "../risk/limits/limits.ts";
import type { LoadedStrategy } from "../strategy/loader.ts";
import type { PremiumSettings } from "../strategy/premium.ts";

/** First 12 hex digits of SHA-256 over the value as JSON, keys in the order of the schema. */
export const shortHash = (value: unknown): string => sha256Hex(stringifyJson(value as Json)).slice(0, 12);

/** Defaults count as if they were written. */
export const marketHash = (
  { name, version, params }: LoadedStrategy,
  limits: MarketLimits,
  premiumBook: PremiumSettings | null,
): string => shortHash({ strategy: name, version, params, limits, ...(premiumBook === null ? {} : { premiumBook }) });
