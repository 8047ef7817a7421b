// Limits: numbers that must not be exceeded. Each rule judges one command against one limit, on top of live orders and earlier approvals.

import type { Facts } from "../../../kernel/errors.ts";
import type { Control } from "../gates/gate.ts";
import type { RiskInputs } from "../risk-state.ts";
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
  "adverseFills",
  "selfTrade",
  "duplicate",
  "unreadableOrder",
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
  /** "adding": commands of the class INCREASE. "every": also REDUCE. No limit applies to a cancel. */
  readonly judges: "adding" | "every";
  /** True if it also judges resting orders each turn: one that would be denied today is canceled. The gate `exposure` judges their sum. */
  readonly resting: boolean;
  /** Null: within the limit. Else the numbers that exceed it. */
  readonly exceeded: (proposal: Proposal, inputs: RiskInputs, tally: Tally) => Facts | null;
};
