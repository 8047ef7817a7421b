// Target quotes in a few words, for the tests of this folder.

import type { Quote, Quotes } from "../../../../src/domain/quotes.ts";
import type { Side } from "../../../../src/domain/units.ts";
import { lots, usd } from "../risk/healthy.ts";

/** At so many USD, for so many contracts. */
export const quote = (side: Side, level: number, at: number, contracts = 1, changes: Partial<Quote> = {}): Quote => ({
  side,
  level,
  price: usd(at),
  size: lots(contracts),
  reduceOnly: false,
  intent: "rest",
  ...changes,
});

export const targets = (...quotes: readonly Quote[]): Quotes => ({ quotes, fairValueUsd: 200, reason: null });
