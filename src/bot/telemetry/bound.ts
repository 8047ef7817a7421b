// Binds metrics to their labels at the start: every series exists from then on, at 0, and the hot path only adds numbers. Label values come
// from closed sets that their owners export.

import { type Side, sides } from "../../domain/units.ts";
import type { Metrics } from "./metrics.ts";
import type { Value } from "./series.ts";

export type Bound<Label extends string, Child> = Readonly<Record<Label, Child>>;

/** Label values that the parts of the bot define. */
export type LabelSets<
  Gate extends string,
  Reason extends string,
  Latch extends string,
  Mismatch extends string,
  Lane extends string,
  Horizon extends string,
> = {
  readonly gates: readonly Gate[];
  readonly reasons: readonly Reason[];
  readonly latches: readonly Latch[];
  readonly mismatches: readonly Mismatch[];
  readonly lanes: readonly Lane[];
  readonly horizons: readonly Horizon[];
};

export const actions = ["place", "modify", "cancel", "cancelAll"] as const;
/** The five outcomes of a submit, as metrics label them. */
export const outcomes = ["executed", "refused", "rejected", "not_sent", "unknown"] as const;
const liquidities = ["maker", "taker"] as const;
const components = ["spread", "inventory", "jump", "funding", "fees", "total"] as const;

function each<Label extends string, Child>(
  labels: readonly Label[],
  bind: (label: Label) => Child,
): Bound<Label, Child> {
  return Object.fromEntries(labels.map((label) => [label, bind(label)])) as Bound<Label, Child>;
}

/** NaN until known: 0 would read as a margin ratio or an equity of zero. */
function unknownYet(series: Value): Value {
  series.set(Number.NaN);
  return series;
}

/** Binds every series of one account; those of `resyncs` in a market appear with the first one. */
export function bindAccount<Latch extends string, Mismatch extends string, Lane extends string, Resync extends string>(
  metrics: Metrics,
  account: string,
  sets: Pick<LabelSets<never, never, Latch, Mismatch, Lane, never>, "latches" | "mismatches" | "lanes"> & {
    readonly resyncs: readonly Resync[];
  },
) {
  const resyncs = (market: string, reason: Resync) => metrics.resyncs.labels({ account, market, reason });
  for (const reason of sets.resyncs) resyncs("", reason);
  return {
    resyncs,
    latchActive: each(sets.latches, (kind) => metrics.latchActive.labels({ account, market: "", kind })),
    mismatches: each(sets.mismatches, (kind) => metrics.reconcileMismatches.labels({ account, kind })),
    rateBudgetRemaining: each(sets.lanes, (lane) => metrics.rateBudgetRemaining.labels({ account, lane })),
    transactions: each(actions, (action) =>
      each(outcomes, (outcome) => metrics.transactions.labels({ account, action, outcome })),
    ),
    agentKeyExpiry: unknownYet(metrics.agentKeyExpiry.labels({ account })),
    dayPnl: unknownYet(metrics.dayPnl.labels({ account, market: "" })),
    equity: unknownYet(metrics.equity.labels({ account })),
    marginRatio: unknownYet(metrics.marginRatio.labels({ account })),
  };
}

export type MarketMetrics<
  Gate extends string,
  Reason extends string,
  Latch extends string,
  Horizon extends string,
  NotQuoting extends string,
  Estimate extends string,
> = ReturnType<typeof bindMarket<Gate, Reason, Latch, Horizon, NotQuoting, Estimate>>;

/** Binds every series of one market of one account; those of `notQuoting` appear with their first second. */
export function bindMarket<
  Gate extends string,
  Reason extends string,
  Latch extends string,
  Horizon extends string,
  NotQuoting extends string,
  Estimate extends string,
>(
  metrics: Metrics,
  account: string,
  market: string,
  sets: Pick<LabelSets<Gate, Reason, Latch, never, never, Horizon>, "gates" | "reasons" | "latches" | "horizons"> & {
    readonly estimates: readonly Estimate[];
  },
) {
  const at = { account, market };
  return {
    gateOpen: each(sets.gates, (gate) => metrics.gateOpen.labels({ ...at, gate })),
    denials: each(sets.reasons, (reason) => metrics.denials.labels({ ...at, reason })),
    strategyFaults: metrics.strategyFaults.labels(at),
    latchActive: each(sets.latches, (kind) => metrics.latchActive.labels({ ...at, kind })),
    worstCaseExposure: each(sides, (side) => metrics.worstCaseExposure.labels({ ...at, side })),
    openOrders: each(sides, (side) => metrics.openOrders.labels({ ...at, side })),
    unknownOrders: metrics.unknownOrders.labels(at),
    fills: each(sides, (side) => each(liquidities, (liquidity) => metrics.fills.labels({ ...at, side, liquidity }))),
    fillNotional: each(sides, (side) =>
      each(liquidities, (liquidity) => metrics.fillNotional.labels({ ...at, side, liquidity })),
    ),
    position: metrics.position.labels(at),
    pnl: each(components, (component) => metrics.pnl.labels({ ...at, component })),
    estimate: each(sets.estimates, (estimate) => unknownYet(metrics.estimate.labels({ ...at, estimate }))),
    estimateData: each(sets.estimates, (estimate) => metrics.estimateData.labels({ ...at, estimate })),
    estimateAge: each(sets.estimates, (estimate) => unknownYet(metrics.estimateAge.labels({ ...at, estimate }))),
    quoteUptime: metrics.quoteUptime.labels(at),
    quoting: each(sides, (side) => metrics.quoting.labels({ ...at, side })),
    notQuoting: (side: Side, reason: NotQuoting) => metrics.notQuoting.labels({ ...at, side, reason }),
    targetMismatch: metrics.targetMismatch.labels(at),
    dayPnl: unknownYet(metrics.dayPnl.labels(at)),
    adverseLevel: each(sides, (side) => metrics.adverseLevel.labels({ ...at, side })),
    markout: each(sets.horizons, (horizon) => metrics.markout.labels({ ...at, horizon })),
    oracleValidUntil: metrics.oracleValidUntil.labels({ market }),
    oraclePublished: metrics.oraclePublished.labels({ market }),
  };
}

/**
 * Removes every series of a market, because a last value that no longer changes would look current. Series shared by accounts are removed
 * with the last account.
 */
export function forgetMarket(
  { all }: Pick<Metrics, "all">,
  { account, market, isLast }: { readonly account: string; readonly market: string; readonly isLast: boolean },
): void {
  for (const metric of all) {
    metric.removeWhere((of) => of.market === market && (of.account === undefined ? isLast : of.account === account));
  }
}
