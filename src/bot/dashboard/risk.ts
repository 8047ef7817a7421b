// What would be lost, as the page shows it on request: `quoin risk` on the facts that the daemon has.

/** A line of `quoin risk --json`. Amounts are exact decimal text in USDC. */
export type RiskLine =
  | {
      readonly kind: "scenario";
      readonly accountId: string;
      readonly scenario: string;
      readonly deviations: number | null;
      readonly loss: string;
      readonly marginRatio: number | null;
      readonly liquidationDistanceBps: number | null;
    }
  | { readonly kind: "var"; readonly accountId: string; readonly confidence: number; readonly loss: string };

/** Amounts are exact decimal text in USDC. */
export type MarketAtRisk = {
  readonly marketId: number;
  readonly name: string;
  /** Contracts with which losses are counted. */
  readonly position: string;
  readonly maxLoss: string;
  /** Move of the price in basis points from which on `maxLoss` acts; null: no position fits into the limits. */
  readonly actsAtBps: number | null;
  readonly printDeviationBps: number;
  readonly largestBelievedLoss: string;
};

export type AccountAtRisk = {
  readonly accountId: string;
  /** What is not known yet, a sentence: then there is nothing else; null: everything is. */
  readonly lacks: string | null;
  readonly equity: string;
  /** Of the account; null: it has none. */
  readonly maxLoss: string | null;
  readonly lines: readonly RiskLine[];
  readonly markets: readonly MarketAtRisk[];
};

export type AtRisk = { readonly atMs: number; readonly accounts: readonly AccountAtRisk[] };
