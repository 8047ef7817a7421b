// Metrics bound to their labels at the start: every series exists from then on, and the hot path only adds numbers. Label values come
// from closed sets that their owners export.

import type { Counter, Gauge, Histogram } from "prom-client";
import type { Metrics } from "./metrics.ts";

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
/** The contract's words for the five outcomes of a submit. */
export const outcomes = ["executed", "refused", "rejected", "not_sent", "unknown"] as const;
const sides = ["buy", "sell"] as const;
const liquidities = ["maker", "taker"] as const;
const components = ["spread", "inventory", "funding", "fees", "total"] as const;

function each<Label extends string, Child>(
  labels: readonly Label[],
  bind: (label: Label) => Child,
): Bound<Label, Child> {
  return Object.fromEntries(labels.map((label) => [label, bind(label)])) as Bound<Label, Child>;
}

const started = (child: Counter.Internal): Counter.Internal => {
  child.inc(0);
  return child;
};
const zeroed = <Label extends string>(child: Gauge.Internal<Label>): Gauge.Internal<Label> => {
  child.set(0);
  return child;
};
/** A value not known yet is NaN: 0 would read as a margin ratio or an equity of zero. */
const unknownYet = <Label extends string>(child: Gauge.Internal<Label>): Gauge.Internal<Label> => {
  child.set(Number.NaN);
  return child;
};

export type AccountMetrics<Latch extends string, Mismatch extends string, Lane extends string> = ReturnType<
  typeof bindAccount<Latch, Mismatch, Lane>
>;

/** Binds every series of one account. */
export function bindAccount<Latch extends string, Mismatch extends string, Lane extends string>(
  metrics: Metrics,
  account: string,
  sets: Pick<LabelSets<never, never, Latch, Mismatch, Lane, never>, "latches" | "mismatches" | "lanes">,
) {
  return {
    latchActive: each(sets.latches, (kind) => zeroed(metrics.latchActive.labels({ account, kind }))),
    mismatches: each(sets.mismatches, (kind) => started(metrics.reconcileMismatches.labels({ account, kind }))),
    rateBudgetRemaining: each(sets.lanes, (lane) => zeroed(metrics.rateBudgetRemaining.labels({ account, lane }))),
    transactions: each(actions, (action) =>
      each(outcomes, (outcome) => started(metrics.transactions.labels({ account, action, outcome }))),
    ),
    agentKeyExpiry: unknownYet(metrics.agentKeyExpiry.labels({ account })),
    equity: unknownYet(metrics.equity.labels({ account })),
    marginRatio: unknownYet(metrics.marginRatio.labels({ account })),
  };
}

export type MarketMetrics<Gate extends string, Reason extends string, Horizon extends string> = ReturnType<
  typeof bindMarket<Gate, Reason, Horizon>
>;

/** Binds every series of one market of one account. */
export function bindMarket<Gate extends string, Reason extends string, Horizon extends string>(
  metrics: Metrics,
  account: string,
  market: string,
  sets: Pick<LabelSets<Gate, Reason, never, never, never, Horizon>, "gates" | "reasons" | "horizons">,
) {
  const at = { account, market };
  return {
    gateOpen: each(sets.gates, (gate) => zeroed(metrics.gateOpen.labels({ ...at, gate }))),
    denials: each(sets.reasons, (reason) => started(metrics.denials.labels({ ...at, reason }))),
    worstCaseExposure: each(sides, (side) => zeroed(metrics.worstCaseExposure.labels({ ...at, side }))),
    openOrders: each(sides, (side) => zeroed(metrics.openOrders.labels({ ...at, side }))),
    unknownOrders: zeroed(metrics.unknownOrders.labels(at)),
    fills: each(sides, (side) =>
      each(liquidities, (liquidity) => started(metrics.fills.labels({ ...at, side, liquidity }))),
    ),
    fillNotional: each(sides, (side) =>
      each(liquidities, (liquidity) => started(metrics.fillNotional.labels({ ...at, side, liquidity }))),
    ),
    position: zeroed(metrics.position.labels(at)),
    pnl: each(components, (component) => zeroed(metrics.pnl.labels({ ...at, component }))),
    quoteUptime: started(metrics.quoteUptime.labels(at)),
    markout: each(sets.horizons, (horizon): Histogram.Internal<"account" | "market" | "horizon"> => {
      metrics.markout.zero({ ...at, horizon });
      return metrics.markout.labels({ ...at, horizon });
    }),
    oracleValidUntil: zeroed(metrics.oracleValidUntil.labels({ market })),
    oraclePublished: zeroed(metrics.oraclePublished.labels({ market })),
  };
}

/**
 * Removes every series of a market: a last value that never moves again would read as a fact. Series that accounts share go with the
 * last account.
 */
export async function forgetMarket(
  { registry }: Pick<Metrics, "registry">,
  { account, market, isLast }: { readonly account: string; readonly market: string; readonly isLast: boolean },
): Promise<void> {
  for (const { name, values } of await registry.getMetricsAsJSON()) {
    for (const { labels: series } of values) {
      const { le: _bucket, ...labels } = series as Readonly<Record<string, string>>;
      const goes = labels.account === undefined ? isLast : labels.account === account;
      if (goes && labels.market === market) registry.getSingleMetric(name)?.remove(labels);
    }
  }
}
