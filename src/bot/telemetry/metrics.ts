// Every metric of the daemon, in the order of a turn: what runs, what it knows, decides and sends, and the results. Dashboards and alerts
// depend on names and labels, so none changes; labels take values from closed sets only.

import { collectDefaultMetrics, Registry } from "prom-client";
import { macrotask } from "../../kernel/clock.ts";
import { type AnyMetric, Distribution, Metric, type Series, Value } from "./series.ts";

/** Seconds. Each goal with an alert is a bucket edge: 20 µs for a turn, 1 s for pulling a quote. */
const TURN_BUCKETS = [0.000_01, 0.000_02, 0.000_05, 0.0001, 0.0002, 0.0005, 0.001, 0.005, 0.02, 0.1, 1];
const SEND_BUCKETS = [0.000_05, 0.0001, 0.0002, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const NETWORK_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const JOURNAL_BUCKETS = [0.000_02, 0.000_05, 0.0001, 0.000_25, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 1, 5];
const MARKOUT_BUCKETS = [-50, -20, -10, -5, -2, -1, 0, 1, 2, 5, 10, 20, 50];

export type Metrics = ReturnType<typeof createMetrics>;

type Declare = ReturnType<typeof declareIn>;

/** Creates every metric; `bindAccount` and `bindMarket` create the series of an account and of a market. */
export function createMetrics() {
  const all: AnyMetric[] = [];
  const declare = declareIn(all);
  const ofProcess = new Registry();
  return {
    all,
    ofProcess,
    ...known(declare),
    ...decided(declare),
    ...sent(declare),
    ...estimated(declare),
    ...earned(declare),
  };
}

/** Adds Node's process metrics. Call once per process, because the observers stay. */
export function observeProcess({ ofProcess }: Pick<Metrics, "ofProcess">): void {
  collectDefaultMetrics({ register: ofProcess });
  // Their names say counter, and each only repeats the sum of the gauge without `_total`.
  for (const what of ["handles", "requests", "resources"]) ofProcess.removeSingleMetric(`nodejs_active_${what}_total`);
}

/** The text of a scrape, one part per metric. The event loop runs between two parts. */
export async function* exposition({ all, ofProcess }: Pick<Metrics, "all" | "ofProcess">): AsyncGenerator<string> {
  for (const metric of all) {
    yield `${metric.text()}\n\n`;
    await macrotask();
  }
  for (const { name } of ofProcess.getMetricsAsArray()) {
    yield `${await ofProcess.getSingleMetricAsString(name)}\n\n`;
    await macrotask();
  }
}

/** Declares a metric and adds it to `all`. A metric without labels is its own only series. */
export function declareIn(all: AnyMetric[]) {
  const listed = <L extends string, S extends Series>(metric: Metric<L, S>): Metric<L, S> => {
    all.push(metric);
    return metric;
  };
  return {
    gauge: <L extends string>(name: string, help: string, labels: readonly L[]) =>
      listed(new Metric({ name, help, type: "gauge" }, labels, (own, onChange) => new Value(name, own, onChange))),
    counter: <L extends string>(name: string, help: string, labels: readonly L[]) =>
      listed(new Metric({ name, help, type: "counter" }, labels, (own, onChange) => new Value(name, own, onChange))),
    histogram: <L extends string>(name: string, help: string, bounds: readonly number[], labels: readonly L[]) =>
      listed(
        new Metric(
          { name, help, type: "histogram" },
          labels,
          (own, onChange) => new Distribution(name, own, bounds, onChange),
        ),
      ),
  };
}

/** What runs, and what it knows about the exchange. */
const known = ({ gauge, counter }: Declare) => ({
  buildInfo: gauge("quoin_build_info", "Always 1; the labels name the version that runs.", ["version", "commit"]),
  strategyInfo: gauge("quoin_strategy_info", "Always 1; the labels name each market's strategy and settings.", [
    "account",
    "market",
    "strategy",
    "config",
  ]),
  paper: gauge("quoin_paper", "Always 1, for accounts on paper alone: their orders are simulated.", ["account"]),
  configReloads: counter("quoin_config_reloads_total", "Configuration reloads, by result.", ["result"]),
  webhookEvents: counter("quoin_webhook_events_total", "Critical events for the webhook, by result.", ["result"]),

  feedLastMessage: gauge("quoin_feed_last_message_timestamp_seconds", "Unix time of the last message per channel.", [
    "channel",
  ]),
  feedReconnects: counter("quoin_feed_reconnects_total", "Reconnects of the stream, by cause.", ["reason"]),
  chainHeight: gauge("quoin_chain_height", "Height of the newest block seen.", []).labels({}),
  chainTimeOffset: gauge("quoin_chain_time_offset_seconds", "Chain time minus local time.", []).labels({}),
  oracleValidUntil: gauge(
    "quoin_oracle_valid_until_timestamp_seconds",
    "Unix time at which the oracle print expires.",
    ["market"],
  ),
  oraclePublished: gauge("quoin_oracle_published_timestamp_seconds", "Unix time of the last oracle print.", ["market"]),
  resyncs: counter(
    "quoin_resyncs_total",
    "Resyncs of an account or of one market (own orders canceled, state read again), by cause.",
    ["account", "market", "reason"],
  ),
  reconcileMismatches: counter(
    "quoin_reconcile_mismatches_total",
    "Differences found between our records and the exchange.",
    ["account", "kind"],
  ),
});

/** Decisions of a turn. */
const decided = ({ gauge, counter, histogram }: Declare) => ({
  turnDuration: histogram(
    "quoin_turn_duration_seconds",
    "Time of one turn, from view to approved commands.",
    TURN_BUCKETS,
    [],
  ).labels({}),
  gateOpen: gauge("quoin_gate_open", "1 while the gate is open; a closed gate blocks new exposure.", [
    "account",
    "market",
    "gate",
  ]),
  adverseLevel: gauge(
    "quoin_adverse_level",
    "Answer to fills that lost: 0 none, 1 the side quotes further away, 2 smaller too, 3 it stops adding.",
    ["account", "market", "side"],
  ),
  denials: counter("quoin_denials_total", "Commands that the guard denied, by reason.", [
    "account",
    "market",
    "reason",
  ]),
  strategyFaults: counter(
    "quoin_strategy_faults_total",
    "Turns in which the strategy threw or returned invalid quotes.",
    ["account", "market"],
  ),
  latchActive: gauge(
    "quoin_latch_active",
    "1 while the latch holds; an operator lifts it. An empty market: the account's.",
    ["account", "market", "kind"],
  ),
  worstCaseExposure: gauge(
    "quoin_worst_case_exposure_ratio",
    "Worst-case position of one side over its limit; 1 is the limit.",
    ["account", "market", "side"],
  ),
});

/** What was sent, and how fast. */
const sent = ({ gauge, counter, histogram }: Declare) => ({
  eventToSend: histogram(
    "quoin_event_to_send_seconds",
    "Time from receiving an event to handing a signed order to the socket.",
    SEND_BUCKETS,
    [],
  ).labels({}),
  journalCommit: histogram("quoin_journal_commit_seconds", "Time of one journal write.", JOURNAL_BUCKETS, []).labels(
    {},
  ),
  recording: gauge("quoin_recording", "1 while events and decisions are recorded.", []).labels({}),
  recordingsLost: counter(
    "quoin_recording_files_lost_total",
    "Files of recordings that were deleted, replaced or unmounted while they were written.",
    [],
  ).labels({}),
  recordedBytes: counter("quoin_recorded_bytes_total", "Bytes written to recordings.", []).labels({}),
  ledgerBytes: gauge("quoin_ledger_bytes", "Bytes that the ledger's rows take in its file.", []).labels({}),
  ledgerLimitBytes: gauge("quoin_ledger_limit_bytes", "Bytes that the ledger's file may take.", []).labels({}),
  submitDuration: histogram(
    "quoin_submit_duration_seconds",
    "Time from sending a transaction to its outcome.",
    NETWORK_BUCKETS,
    [],
  ).labels({}),
  transactions: counter("quoin_transactions_total", "Transactions, by action and outcome.", [
    "account",
    "action",
    "outcome",
  ]),
  rateBudgetRemaining: gauge("quoin_rate_budget_remaining", "Transactions that the rate budget allows now.", [
    "account",
    "lane",
  ]),
  agentKeyExpiry: gauge(
    "quoin_agent_key_expiry_timestamp_seconds",
    "Unix time at which the agent key expires; +Inf: never.",
    ["account"],
  ),
});

/** Estimates, and the premium positions held because of them. */
const estimated = ({ gauge }: Declare) => ({
  estimate: gauge(
    "quoin_estimate",
    "Estimates that strategies quote on, in the unit that ends the name; NaN while unknown.",
    ["account", "market", "estimate"],
  ),
  estimateData: gauge("quoin_estimate_data_ratio", "How much of an estimate is observed; the rest is assumed.", [
    "account",
    "market",
    "estimate",
  ]),
  estimateAge: gauge("quoin_estimate_age_seconds", "Age of the newest observation in an estimate; NaN before one.", [
    "account",
    "market",
    "estimate",
  ]),
  premiumTarget: gauge("quoin_premium_target", "Contracts that the premium book wants, signed.", ["account", "market"]),
  premiumPosition: gauge("quoin_premium_position", "Contracts of the position that are the premium book's, signed.", [
    "account",
    "market",
  ]),
  premiumPnl: gauge(
    "quoin_premium_pnl_usdc",
    "PnL of the premium book since it began, USDC; its contracts valued at the mid.",
    ["account", "market"],
  ),
  premiumStopped: gauge(
    "quoin_premium_stopped",
    "1 while the premium book stands still after its loss; an operator lifts it.",
    ["account", "market"],
  ),
});

/** Results. */
const earned = ({ gauge, counter, histogram }: Declare) => ({
  openOrders: gauge("quoin_open_orders", "Our orders that may be live: resting, in flight or unknown.", [
    "account",
    "market",
    "side",
  ]),
  unknownOrders: gauge("quoin_unknown_orders", "Orders without a known outcome: the answer was lost.", [
    "account",
    "market",
  ]),
  fills: counter("quoin_fills_total", "Our fills.", ["account", "market", "side", "liquidity"]),
  fillNotional: counter("quoin_fill_notional_usdc_total", "Notional of our fills, USDC.", [
    "account",
    "market",
    "side",
    "liquidity",
  ]),
  position: gauge("quoin_position", "Position in contracts; short is negative.", ["account", "market"]),
  equity: gauge("quoin_equity_usdc", "Collateral plus unrealized PnL at the oracle price, USDC.", ["account"]),
  marginRatio: gauge("quoin_margin_ratio", "Equity over maintenance margin; +Inf without a position.", ["account"]),
  pnl: gauge(
    "quoin_pnl_usdc",
    "PnL since the ledger began, by component, USDC; the position valued at the last trusted print.",
    ["account", "market", "component"],
  ),
  signalWeight: gauge(
    "quoin_signal_weight",
    "Weight of an outside fact in fair value, 0 to 1; 0 while it is absent or has not earned one.",
    ["market", "signal"],
  ),
  shadowPnl: gauge(
    "quoin_shadow_pnl_usdc",
    "Paper PnL of a market's shadow since it began, by component, USDC, valued as quoin_pnl_usdc.",
    ["account", "market", "strategy", "component"],
  ),
  promotions: counter(
    "quoin_promotions_total",
    "Promotions of shadows, by result: promoted, then kept or rolled_back.",
    ["account", "market", "result"],
  ),
  dayPnl: gauge(
    "quoin_day_pnl_usdc",
    "PnL since the start of the day, USDC, as loss limits compare it; empty market: the account's.",
    ["account", "market"],
  ),
  quoteUptime: counter("quoin_quote_uptime_seconds_total", "Seconds with orders resting on both sides.", [
    "account",
    "market",
  ]),
  quoting: gauge("quoin_quoting", "1 while an order of ours rests there that is wanted.", [
    "account",
    "market",
    "side",
  ]),
  notQuoting: counter("quoin_not_quoting_seconds_total", "Seconds without a quote, by the first reason.", [
    "account",
    "market",
    "side",
    "reason",
  ]),
  targetMismatch: gauge(
    "quoin_target_mismatch_seconds",
    "How long target quotes and resting orders have differed while gates are open.",
    ["account", "market"],
  ),
  markout: histogram(
    "quoin_markout_bps",
    "Move of the mid after a fill, bps; positive is in our favor.",
    MARKOUT_BUCKETS,
    ["account", "market", "horizon"],
  ),
});
