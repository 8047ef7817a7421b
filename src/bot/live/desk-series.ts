// The series of accounts and markets at work: counters as the machine puts things out, gauges when metrics are requested.

import type { Fill } from "../../domain/fill.ts";
import { lanes } from "../../domain/lane.ts";
import { type LatchKind, latchKinds } from "../../domain/latch.ts";
import { contractsOf, notional, usdcOf } from "../../domain/rounding.ts";
import { type AccountId, type MarketId, sides } from "../../domain/units.ts";
import { lastKnown } from "../../domain/view.ts";
import { type MismatchKind, mismatchKinds } from "../account/effects.ts";
import { type ResyncReason, resyncReasons } from "../account/resync-reasons.ts";
import { type MarkoutHorizon, markoutHorizons } from "../analytics/markouts.ts";
import type { QuotedMarket } from "../config/config.ts";
import type { AccountDesk } from "../decider/desks/account-desk.ts";
import type { MarketDesk } from "../decider/desks/market-desk.ts";
import type { NotQuotingReason } from "../decider/desks/standing.ts";
import { adverseLevels } from "../risk/adverse.ts";
import { type GateId, gateIds } from "../risk/gates/gate.ts";
import { type DenialReason, denialReasons } from "../risk/guard.ts";
import { type EstimateName, estimateNames } from "../strategy/estimates.ts";
import { bindAccount, bindMarket, forgetMarket, type MarketMetrics } from "../telemetry/bound.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Wanted } from "./driver.ts";

export type AccountSeries = ReturnType<typeof accountSeries>;
export type MarketSeries = MarketMetrics<
  GateId,
  DenialReason,
  LatchKind,
  MarkoutHorizon,
  NotQuotingReason,
  EstimateName
>;

export class DeskSeries {
  readonly #metrics: Metrics;
  readonly #accounts = new Map<AccountId, AccountSeries>();
  readonly #markets = new Map<string, MarketSeries>();
  /** By market: the configuration whose strategy is shown. */
  readonly #strategies = new Map<string, string>();

  /** Creates every series, at 0. */
  constructor(metrics: Metrics, desks: Iterable<AccountDesk>) {
    this.#metrics = metrics;
    for (const desk of desks) {
      this.account(desk.accountId);
      if (desk.quoted.paper !== null) metrics.paper.labels({ account: `${desk.accountId}` }).set(1);
      this.show(desk);
    }
  }

  account(accountId: AccountId): AccountSeries {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    const series = accountSeries(this.#metrics, accountId);
    this.#accounts.set(accountId, series);
    return series;
  }

  market(accountId: AccountId, marketId: MarketId): MarketSeries {
    const name = nameOf(accountId, marketId);
    const known = this.#markets.get(name);
    if (known !== undefined) return known;
    const series = marketSeries(this.#metrics, accountId, marketId);
    this.#markets.set(name, series);
    return series;
  }

  /** Counts an output of the machine. A market that is not quoted has no series, and none comes back after it was dropped. */
  count(wanted: Wanted): void {
    if (wanted.kind === "turned") this.#denied(wanted);
    else if (wanted.kind === "strategyFault") this.#known(wanted)?.strategyFaults.inc();
    else if (wanted.kind === "fill") this.#filled(wanted.fill);
    else if (wanted.kind === "markout") this.#known(wanted)?.markout[wanted.horizon].observe(wanted.bps);
    else if (wanted.kind === "mismatch") this.account(wanted.accountId).mismatches[wanted.what].inc();
    else if (wanted.kind === "resyncWanted") this.resynced(wanted.accountId, wanted.marketId, wanted.reason);
  }

  #known({ accountId, marketId }: Pick<Fill, "accountId" | "marketId">): MarketSeries | undefined {
    return this.#markets.get(nameOf(accountId, marketId));
  }

  #denied(turned: Extract<Wanted, { readonly kind: "turned" }>): void {
    const denied = turned.turn?.verdict.denied ?? [];
    const series = denied.length === 0 ? undefined : this.#known(turned);
    for (const { denials } of denied) for (const { reason } of denials) series?.denials[reason].inc();
  }

  #filled(fill: Fill): void {
    const { side, liquidity, price, size } = fill;
    const series = this.#known(fill);
    series?.fills[side][liquidity].inc();
    series?.fillNotional[side][liquidity].inc(usdcOf(notional(price, size)));
  }

  /** The market, or with null the account, resynchronizes. */
  resynced(accountId: AccountId, marketId: MarketId | null, reason: ResyncReason): void {
    this.account(accountId)
      .resyncs(marketId === null ? "" : `${marketId}`, reason)
      .inc();
  }

  /** Makes the series of each new market. Shows halts, and each market's last decision and its orders. */
  show(desk: AccountDesk): void {
    this.#showLatches(desk, null, this.account(desk.accountId).latchActive);
    for (const market of desk.markets.values()) {
      const series = this.market(desk.accountId, market.marketId);
      this.#showLatches(desk, market.marketId, series.latchActive);
      this.#showStrategy(desk.accountId, market.quoted);
      for (const { name, weight } of market.estimates.outsideWeights(market.quoted.signals))
        this.#metrics.signalWeight.labels({ market: `${market.marketId}`, signal: name }).set(weight);
      showQuoting(series, market);
      showTurn(series, market);
    }
  }

  /** Removes every series of a market that is no longer quoted. `isLast`: no account quotes it. */
  forget(accountId: AccountId, marketId: MarketId, isLast: boolean): void {
    const name = nameOf(accountId, marketId);
    this.#markets.delete(name);
    this.#strategies.delete(name);
    forgetMarket(this.#metrics, { account: `${accountId}`, market: `${marketId}`, isLast });
  }

  #showLatches({ latches }: AccountDesk, marketId: MarketId | null, active: AccountSeries["latchActive"]): void {
    for (const kind of latchKinds)
      active[kind].set(latches.some((latch) => latch.kind === kind && latch.marketId === marketId) ? 1 : 0);
  }

  /** One series per market: a changed strategy, parameter or limit replaces it. */
  #showStrategy(accountId: AccountId, { marketId, strategy, hash }: QuotedMarket): void {
    const name = nameOf(accountId, marketId);
    if (this.#strategies.get(name) === hash) return;
    this.#strategies.set(name, hash);
    const { strategyInfo } = this.#metrics;
    const of = { account: `${accountId}`, market: `${marketId}` };
    strategyInfo.removeWhere(({ account, market }) => account === of.account && market === of.market);
    strategyInfo.labels({ ...of, strategy: strategy.name, config: hash }).set(1);
  }
}

const nameOf = (accountId: AccountId, marketId: MarketId): string => `${accountId} ${marketId}`;

const accountSeries = (metrics: Metrics, accountId: AccountId) =>
  bindAccount(metrics, `${accountId}`, {
    latches: latchKinds,
    mismatches: mismatchKinds as readonly MismatchKind[],
    lanes,
    resyncs: resyncReasons as readonly ResyncReason[],
  });

const marketSeries = (metrics: Metrics, accountId: AccountId, marketId: MarketId): MarketSeries =>
  bindMarket(metrics, `${accountId}`, `${marketId}`, {
    gates: gateIds,
    reasons: denialReasons,
    latches: latchKinds,
    horizons: markoutHorizons,
    estimates: estimateNames,
  });

function showQuoting(series: MarketSeries, { quoting, fills: { quotedSeconds } }: MarketDesk): void {
  series.quoteUptime.set(quotedSeconds);
  series.targetMismatch.set(quoting.mismatchSecs);
  for (const side of sides) {
    series.quoting[side].set(quoting.standing[side].rests ? 1 : 0);
    for (const [reason, seconds] of quoting.silentSecs[side]) series.notQuoting(side, reason).set(seconds);
  }
}

function showTurn(series: MarketSeries, { last }: MarketDesk): void {
  if (last === null) return;
  const { readings, view, answers } = last;
  for (const { gate, closed } of readings) series.gateOpen[gate].set(closed === null ? 1 : 0);
  const count = { buy: 0, sell: 0, unknown: 0 };
  for (const { side, state } of view.orders) {
    count[side] += 1;
    if (state === "unknown") count.unknown += 1;
  }
  for (const side of sides) {
    series.adverseLevel[side].set(adverseLevels.indexOf(answers[side].level));
    series.openOrders[side].set(count[side]);
  }
  series.unknownOrders.set(count.unknown);
  const position = lastKnown(view.position);
  if (position !== undefined) series.position.set(contractsOf(position.inventory));
}
