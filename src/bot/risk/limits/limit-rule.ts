// Limits are numbers not to pass. Each row judges one command against one of them, on top of what is live and already allowed.

import type { Facts } from "../../../kernel/errors.ts";
import type { Control } from "../gates/gate.ts";
import type { Ground } from "../risk-state.ts";
import type { Proposal } from "./proposal.ts";
import type { Tally } from "./tally.ts";

/** Closed set: with the gates, the label of `quoin_denials_total`. */
export const limitIds = [
  "scope",
  "wellFormed",
  "tick",
  "orderSize",
  "orderNotional",
  "priceBand",
  "oraclePriceCollar",
  "fairValueCollar",
  "selfTrade",
  "duplicate",
  "openOrders",
  "cancelCapacity",
  "orderRate",
  "worstPosition",
  "grossNotional",
  "margin",
] as const;
export type LimitId = (typeof limitIds)[number];

export type LimitRule = Control & {
  readonly id: LimitId;
  /** "adding": commands of the class INCREASE. "every": REDUCE as well. A cancel is held to nothing. */
  readonly judges: "adding" | "every";
  /** Null: within the limit. Else the numbers that pass it. */
  readonly exceeded: (proposal: Proposal, ground: Ground, tally: Tally) => Facts | null;
};
