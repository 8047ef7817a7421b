// What an account may lose, before it happens, and the limits that should stop it: the scenarios, the value at risk of the next prints, and
// the price move at which each `maxLoss` acts. Shared by `quoin risk` and the page.

import { type AccountId, AMOUNT_SCALE, type MarketId, type Size, type Usdc } from "../../domain/units.ts";
import { formatDecimal } from "../../kernel/decimal.ts";
import type { AccountLimits, MarketLimits } from "./limits/limits.ts";
import {
  type AccountAtLimits,
  type AtLimit,
  largestBelievedLoss,
  moveThatLoses,
  type Scenario,
  scenariosOf,
  VAR_CONFIDENCE,
  valueAtRisk,
  withinGross,
} from "./scenarios.ts";

/** A market's facts with the position at its limit. */
export type KnownMarket = { readonly limits: Pick<MarketLimits, "maxLoss">; readonly atLimit: AtLimit };

export type MarketRisk = {
  readonly marketId: MarketId;
  /** Contracts: `maxPosition`, or less if `maxGrossNotional` allows less. */
  readonly position: Size;
  readonly maxLoss: Usdc;
  /** Price move, whole basis points, from which `maxLoss` acts. Null: no position fits into the limits. */
  readonly actsAtBps: number | null;
  readonly printDeviationBps: number;
  /** Loss by the largest print that is trusted at once: a larger `maxLoss` never acts on a single print. */
  readonly largestBelievedLoss: Usdc;
};

export type RiskReport = {
  readonly accountId: AccountId;
  readonly equity: Usdc;
  /** Limit of the account; null: it has none. */
  readonly maxLoss: Usdc | null;
  readonly scenarios: readonly Scenario[];
  readonly valueAtRisk: Usdc;
  /** Too few moves of a market's index are known: the value uses the print deviation. */
  readonly isAssumed: boolean;
  readonly markets: readonly MarketRisk[];
};

/** `known` and `correlations`: see `AccountAtLimits`. Throws like `scenariosOf`. */
export function riskReport(
  { accountId, limits }: { readonly accountId: AccountId; readonly limits: AccountLimits },
  { equity, known, correlations }: Omit<AccountAtLimits, "markets"> & { readonly known: readonly KnownMarket[] },
): RiskReport {
  const markets = withinGross(
    known.map(({ atLimit }) => atLimit),
    limits.maxGrossNotional,
  );
  const atLimits = { equity, markets, correlations };
  return {
    accountId,
    equity,
    maxLoss: limits.maxLoss,
    scenarios: scenariosOf(atLimits),
    valueAtRisk: valueAtRisk(atLimits),
    isAssumed: markets.some(({ isTailAssumed }) => isTailAssumed),
    markets: known.flatMap(({ limits: { maxLoss } }, at) => {
      const market = markets[at];
      return market === undefined ? [] : [marketRisk(market, maxLoss)];
    }),
  };
}

function marketRisk(market: AtLimit, maxLoss: Usdc): MarketRisk {
  return {
    marketId: market.marketId,
    position: market.position,
    maxLoss,
    actsAtBps: moveThatLoses(market, maxLoss),
    printDeviationBps: market.printDeviationBps,
    largestBelievedLoss: largestBelievedLoss(market),
  };
}

/** The objects that `quoin risk --json` prints, one per line. */
export function riskLines({ accountId, scenarios, valueAtRisk, isAssumed }: RiskReport) {
  const account = `${accountId}`;
  return [
    ...scenarios.map(({ scenario, deviations, loss, marginRatio, liquidationDistanceBps }) => ({
      kind: "scenario" as const,
      accountId: account,
      scenario,
      deviations,
      loss: amount(loss),
      marginRatio,
      liquidationDistanceBps,
    })),
    {
      kind: "var" as const,
      accountId: account,
      confidence: VAR_CONFIDENCE,
      loss: amount(valueAtRisk),
      assumed: isAssumed,
    },
  ];
}

const amount = (of: Usdc): string => formatDecimal(of, AMOUNT_SCALE);
