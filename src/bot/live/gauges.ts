// Gauges that are set only when metrics are requested.

import { exposureRatio, worstCase } from "../../domain/exposure.ts";
import { lanes } from "../../domain/lane.ts";
import { usdcOf } from "../../domain/rounding.ts";
import { lastKnown } from "../../domain/view.ts";
import type { Clock } from "../../kernel/clock.ts";
import { pnlComponents } from "../accounting/market-book.ts";
import type { MarketDesk } from "../decider/desks/market-desk.ts";
import type { PremiumBook } from "../decider/desks/premium-book.ts";
import type { BotParts } from "../service/lifecycle/build.ts";
import { estimatesOf } from "../strategy/estimates.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { AccountSeries, MarketSeries } from "./desk-series.ts";
import type { Shadow } from "./shadow.ts";

export type GaugeParts = Pick<BotParts, "desks" | "ledger" | "machine" | "metrics" | "series" | "shadows" | "state">;

export function refreshGauges(parts: GaugeParts, clock: Clock): void {
  const { state, desks, ledger, metrics, machine, series, shadows } = parts;
  const { bytes, limitBytes } = ledger.space();
  metrics.ledgerBytes.set(bytes);
  metrics.ledgerLimitBytes.set(limitBytes);
  for (const [channel, lastMs] of machine.channelActivity.lastMs)
    metrics.feedLastMessage.labels({ channel }).set(lastMs / 1000);
  if (state.chain.advancedMs !== null) metrics.chainHeight.set(state.chain.height);
  if (state.chain.offsetMs !== null) {
    metrics.chainTimeOffset.set((clock.monotonicMs() + state.chain.offsetMs - clock.wallMs()) / 1000);
  }
  forgetSignals(metrics, desks);
  for (const desk of desks.values()) {
    series.show(desk);
    const of = series.account(desk.accountId);
    const { budget } = machine.sends(desk.accountId);
    for (const lane of lanes) of.rateBudgetRemaining[lane].set(budget.remaining(lane, clock.monotonicMs()));
    const day = lastKnown(desk.dailyPnl());
    if (day !== undefined) of.dayPnl.set(usdcOf(day.pnl));
    for (const market of desk.markets.values()) {
      if (market.premium !== null) showPremium(metrics, market, market.premium);
      showShadow(metrics, market, shadows.of(desk.accountId, market.marketId));
      refreshMarket(market, of, series.market(desk.accountId, market.marketId));
    }
  }
}

/** Those that no market names any longer go. */
function forgetSignals({ signalWeight }: Metrics, desks: GaugeParts["desks"]): void {
  const named = new Set<string>();
  for (const { markets } of desks.values())
    for (const { marketId, quoted } of markets.values())
      for (const { name } of quoted.signals) named.add(`${marketId} ${name}`);
  signalWeight.removeWhere(({ market, signal }) => !named.has(`${market} ${signal}`));
}

/** Only markets with a premium book have these series. */
function showPremium(metrics: Metrics, { accountId, marketId }: MarketDesk, premium: PremiumBook): void {
  const of = { account: `${accountId}`, market: `${marketId}` };
  metrics.premiumTarget.labels(of).set(premium.targetContracts);
  metrics.premiumPosition.labels(of).set(premium.heldContracts);
  metrics.premiumPnl.labels(of).set(usdcOf(premium.pnl));
  metrics.premiumStopped.labels(of).set(premium.state.stopped === null ? 0 : 1);
}

/** One strategy per market: the series of the former one are removed. */
function showShadow(metrics: Metrics, { accountId, marketId }: MarketDesk, shadow: Shadow | null): void {
  const of = { account: `${accountId}`, market: `${marketId}` };
  metrics.shadowPnl.removeWhere(
    ({ account, market, strategy }) => account === of.account && market === of.market && strategy !== shadow?.strategy,
  );
  if (shadow === null) return;
  for (const component of pnlComponents) {
    const series = metrics.shadowPnl.labels({ ...of, strategy: shadow.strategy, component });
    series.set(shadow.status?.pnl[component] ?? 0);
  }
}

function refreshMarket(market: MarketDesk, account: AccountSeries, metrics: MarketSeries): void {
  const { last, quoted } = market;
  if (last === null) return;
  const { view } = last;
  const funds = lastKnown(view.funds);
  if (funds !== undefined) {
    account.equity.set(usdcOf(funds.equity));
    const margin = Number(funds.maintenanceMargin);
    account.marginRatio.set(margin === 0 ? Number.POSITIVE_INFINITY : Number(funds.equity) / margin);
  }
  const agent = lastKnown(view.agent);
  if (agent !== undefined) account.agentKeyExpiry.set(agent.expiresAtSec ?? Number.POSITIVE_INFINITY);
  const oracle = lastKnown(view.oracle);
  if (oracle !== undefined) {
    metrics.oracleValidUntil.set(oracle.validUntilSec);
    metrics.oraclePublished.set(oracle.lastUpdateTimestampMs / 1000);
  }
  const position = lastKnown(view.position);
  if (position !== undefined) {
    const worst = worstCase(position, view.orders);
    for (const side of ["buy", "sell"] as const) {
      metrics.worstCaseExposure[side].set(exposureRatio(worst, quoted.limits.maxPosition, side));
    }
  }
  for (const { name, value, dataShare, ageMs } of estimatesOf(market.estimates.state, view.nowMs)) {
    metrics.estimate[name].set(value ?? Number.NaN);
    metrics.estimateData[name].set(dataShare);
    metrics.estimateAge[name].set(ageMs === null ? Number.NaN : ageMs / 1000);
  }
  const day = lastKnown(market.pnl.dailyPnl());
  if (day !== undefined) metrics.dayPnl.set(usdcOf(day.pnl));
  const pnl = market.pnl.at("print");
  if (pnl !== null) for (const component of pnlComponents) metrics.pnl[component].set(usdcOf(pnl[component]));
}
