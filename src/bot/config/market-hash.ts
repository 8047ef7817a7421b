// A short hash of everything with which a market runs: a label of its metrics, and how a reload detects changes.

import { sha256Hex } from "../../kernel/hash.ts";
import { type Json, stringifyJson } from "../../kernel/json.ts";
import type { LoadedStrategy } from "../strategy/loader.ts";
import type { QuotedMarket, ShadowConfig } from "./config.ts";

/** First 12 hex digits of SHA-256 over the value as JSON, keys in the schema's order. */
export const shortHash = (value: unknown): string => sha256Hex(stringifyJson(value as Json)).slice(0, 12);

/** Defaults count as if written. */
export function marketHash(market: Omit<QuotedMarket, "hash" | "marketId" | "shadow">): string {
  const { limits, requoteDepths, queueTicks, printSchedule, premiumBook, signals } = market;
  const { name, version, params } = market.strategy;
  const premium = premiumBook === null ? {} : { premiumBook };
  const places = queueTicks === 0 ? {} : { queueTicks };
  const prints = printSchedule === null ? {} : { printSchedule };
  const outside = signals.length === 0 ? {} : { signals };
  const written = { strategy: name, version, params, limits, requoteDepths };
  return shortHash({ ...written, ...places, ...prints, ...premium, ...outside } as Json);
}

/** Equal for the same code with the same parameters. */
export const strategyHash = ({ name, version, params }: LoadedStrategy): string =>
  shortHash({ strategy: name, version, params });

/** Shows whether a reload changes a shadow; null: there is none. */
export function shadowHash(shadow: ShadowConfig | null): string | null {
  if (shadow === null) return null;
  const { strategy, ...paper } = shadow;
  return shortHash({ strategy: strategyHash(strategy), ...paper });
}
