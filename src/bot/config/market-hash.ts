// What a market runs with, as one short hash: it is a label of its metrics, and tells whether a reload changes anything.

import { sha256Hex } from "../../kernel/hash.ts";
import { type Json, stringifyJson } from "../../kernel/json.ts";
import type { LoadedStrategy } from "../strategy/loader.ts";
import type { QuotedMarket, ShadowConfig } from "./config.ts";

/** First 12 hex digits of SHA-256 over the value as JSON, keys in the order of the schema. */
export const shortHash = (value: unknown): string => sha256Hex(stringifyJson(value as Json)).slice(0, 12);

/** Defaults count as if they were written. */
export function marketHash(market: Omit<QuotedMarket, "hash" | "marketId" | "shadow">): string {
  const { limits, requoteDepths, queueTicks, printSchedule, premiumBook } = market;
  const { name, version, params } = market.strategy;
  const premium = premiumBook === null ? {} : { premiumBook };
  const places = queueTicks === 0 ? {} : { queueTicks };
  const prints = printSchedule === null ? {} : { printSchedule };
  return shortHash({ strategy: name, version, params, limits, requoteDepths, ...places, ...prints, ...premium });
}

/** Tells whether two are the same code with the same parameters. */
export const strategyHash = ({ name, version, params }: LoadedStrategy): string =>
  shortHash({ strategy: name, version, params });

/** Tells whether a reload changes a shadow; null: there is none. */
export function shadowHash(shadow: ShadowConfig | null): string | null {
  if (shadow === null) return null;
  const { strategy, ...paper } = shadow;
  return shortHash({ strategy: strategyHash(strategy), ...paper });
}
