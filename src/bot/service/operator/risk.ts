// What an account would lose with every position at its limit, computed on request.

import { AMOUNT_SCALE, SIZE_SCALE, type Usdc } from "../../../domain/units.ts";
import { lastKnown } from "../../../domain/view.ts";
import { formatDecimal } from "../../../kernel/decimal.ts";
import type { AccountAtRisk } from "../../dashboard/risk.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import type { MarketDesk } from "../../decider/desks/market-desk.ts";
import { type KnownMarket, riskLines, riskReport } from "../../risk/risk-report.ts";
import { surpriseCorrelations } from "../../strategy/correlation.ts";
import { printDeviationBps } from "../../strategy/nowcast.ts";
import { isTailAssumed, tailMoveBps } from "../../strategy/tail-move.ts";

export function showRisk({ accountId, quoted, markets }: AccountDesk): AccountAtRisk {
  const desks = [...markets.values()].filter(({ strategy }) => !strategy.isDraining);
  const known = desks.map(atLimitOf);
  const [missing] = desks.filter((_, at) => known[at] === null);
  const funds = desks.map(({ last }) => last && lastKnown(last.view.funds)).find((each) => each);
  const nothing = { accountId: `${accountId}`, equity: "", maxLoss: null, lines: [], markets: [] };
  if (missing !== undefined) return { ...nothing, lacks: `the facts of ${missing.name} are not known yet` };
  if (funds === undefined || funds === null) return { ...nothing, lacks: "its collateral is not known yet" };
  const report = riskReport(quoted, {
    equity: funds.equity,
    known: known.filter((each) => each !== null),
    correlations: surpriseCorrelations(desks.map(({ estimates }) => estimates.state.nowcast.dated)),
  });
  return {
    accountId: `${accountId}`,
    lacks: null,
    equity: amount(report.equity),
    maxLoss: report.maxLoss === null ? null : amount(report.maxLoss),
    lines: riskLines(report),
    markets: report.markets.map(({ marketId, position, maxLoss, largestBelievedLoss, ...market }) => ({
      ...market,
      marketId,
      name: markets.get(marketId)?.name ?? `market ${marketId}`,
      position: formatDecimal(position, SIZE_SCALE),
      maxLoss: amount(maxLoss),
      largestBelievedLoss: amount(largestBelievedLoss),
    })),
  };
}

/** Null while one of its facts was never known. */
function atLimitOf({ marketId, quoted: { limits }, last, estimates }: MarketDesk): KnownMarket | null {
  const market = last === null ? undefined : lastKnown(last.view.market);
  const oracle = last === null ? undefined : lastKnown(last.view.oracle);
  const funding = last === null ? undefined : lastKnown(last.view.funding);
  if (market === undefined || oracle === undefined || funding === undefined) return null;
  const atLimit = {
    marketId,
    position: limits.maxPosition,
    price: oracle.price,
    marginTiers: market.marginTiers,
    printDeviationBps: printDeviationBps(estimates.state.nowcast),
    tailMoveBps: tailMoveBps(estimates.state.nowcast),
    isTailAssumed: isTailAssumed(estimates.state.nowcast),
    maxFundingRateBps: funding.maxFundingRateBps,
  };
  return { limits, atLimit };
}

const amount = (of: Usdc): string => formatDecimal(of, AMOUNT_SCALE);
