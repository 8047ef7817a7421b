// Possible losses, as the page shows them on request: `quoin risk` on the daemon's own facts.

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
  | {
      readonly kind: "var";
      readonly accountId: string;
      readonly confidence: number;
      readonly loss: string;
      /** True: too few moves of an index are known, so the print deviation is used instead. */
      readonly assumed: boolean;
    };

/** Amounts are exact decimal text in USDC. */
export type MarketAtRisk = {
  readonly marketId: number;
  readonly name: string;
  /** Contracts for which losses are computed. */
  readonly position: string;
  readonly maxLoss: string;
  /** Price move in basis points from which `maxLoss` acts; null: no position fits into the limits. */
  readonly actsAtBps: number | null;
  readonly printDeviationBps: number;
  readonly largestBelievedLoss: string;
};

export type AccountAtRisk = {
  readonly accountId: string;
  /** A sentence about what is not known yet; then everything else is empty. Null: everything is known. */
  readonly lacks: string | null;
  readonly equity: string;
  /** Limit of the account; null: it has none. */
  readonly maxLoss: string | null;
  readonly lines: readonly RiskLine[];
  readonly markets: readonly MarketAtRisk[];
};

export type AtRisk = { readonly atMs: number; readonly accounts: readonly AccountAtRisk[] };
