// Every metric of the contract on a real daemon, from its first scrape: name, type, labels, and every child that can be named then.

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { mismatchKinds } from "../../src/bot/account/effects.ts";
import { resyncReasons } from "../../src/bot/account/resync-reasons.ts";
import { notQuotingReasons } from "../../src/bot/decider/desks/standing.ts";
import { gateIds } from "../../src/bot/risk/gates/gate.ts";
import { denialReasons } from "../../src/bot/risk/guard.ts";
import { createFleetMetrics } from "../../src/bot/telemetry/fleet-metrics.ts";
import { createMetrics } from "../../src/bot/telemetry/metrics.ts";
import { streamEnds } from "../../src/client/stream/report.ts";
import { latchKinds } from "../../src/domain/latch.ts";
import { hasPromtool, promtool, shippedPanels, shippedRules } from "../support/monitoring.ts";
import { groupingsOf, isScraped, type Selector, selectorsOf, selects } from "../support/promql.ts";
import { startDaemon } from "./daemon.ts";
import { resting } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll();
let url: string;
/** The scrape that the daemon answers as soon as it listens, and one when it quotes. */
let first: Scrape;
let quoting: Scrape;

type Scrape = {
  readonly text: string;
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly Sample[];
};
type Sample = { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number };

beforeAll(async () => {
  writeFileSync(join(scene.folder, "webhook.secret"), "a-secret-of-the-test\n", { mode: 0o600 });
  // Only a market with a premium book has its series.
  const config = readFileSync(scene.botConfig, "utf8");
  const book = "premiumBook: { capital: 100, maxContracts: 1, maxLoss: 5 }";
  writeFileSync(scene.botConfig, config.replace(/^( +)limits:/m, `$1${book}\n$1limits:`));
  // Nothing critical happens here: nobody listens at the target.
  appendFileSync(scene.botConfig, 'webhook: { url: "http://127.0.0.1:1", secretFile: webhook.secret }\n');
  ({ url } = await startDaemon(scene));
  first = await scrape();
  await resting(scene, 4);
  quoting = await scrape();
});

async function scrape(): Promise<Scrape> {
  const answer = await fetch(`${url}/metrics`);
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  return scrapeOf(await answer.text());
}

function scrapeOf(text: string): Scrape {
  const lines = text.split("\n");
  const types = lines.flatMap((line) => {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    return name === undefined || type === undefined ? [] : [[name, type] as const];
  });
  return { text, types: new Map(types), samples: lines.filter((line) => /^\w/.test(line)).map(sampleOf) };
}

function sampleOf(line: string): Sample {
  const [, name = "", labels = "", value = ""] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = "", text = ""]) => [label, text]);
  const number = value === "Nan" ? Number.NaN : value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value);
  return { name, labels: Object.fromEntries(pairs), value: number };
}

const account = ["12"];
const market = ["1"];
const side = ["buy", "sell"];
const lane = ["cancel", "reduce", "modify", "place"];
const each: null = null;

type Row = readonly [
  name: string,
  type: "gauge" | "counter" | "histogram",
  /** Label to its values; null: any one value, and one series. */
  labels: Readonly<Record<string, readonly string[] | null>>,
];

/** Contract, section 6. */
const contract: readonly Row[] = [
  ["build_info", "gauge", { version: each, commit: each }],
  ["strategy_info", "gauge", { account, market, strategy: ["fixed-spread"], config: each }],
  ["config_reloads_total", "counter", { result: ["applied", "refused"] }],
  ["gate_open", "gauge", { account, market, gate: gateIds }],
  ["denials_total", "counter", { account, market, reason: denialReasons }],
  ["strategy_faults_total", "counter", { account, market }],
  ["latch_active", "gauge", { account, market: ["", "1"], kind: latchKinds }],
  [
    "transactions_total",
    "counter",
    {
      account,
      action: ["place", "modify", "cancel", "cancelAll"],
      outcome: ["executed", "refused", "rejected", "not_sent", "unknown"],
    },
  ],
  ["open_orders", "gauge", { account, market, side }],
  ["unknown_orders", "gauge", { account, market }],
  ["fills_total", "counter", { account, market, side, liquidity: ["maker", "taker"] }],
  ["fill_notional_usdc_total", "counter", { account, market, side, liquidity: ["maker", "taker"] }],
  ["position", "gauge", { account, market }],
  ["worst_case_exposure_ratio", "gauge", { account, market, side }],
  ["equity_usdc", "gauge", { account }],
  ["margin_ratio", "gauge", { account }],
  ["pnl_usdc", "gauge", { account, market, component: ["spread", "inventory", "jump", "funding", "fees", "total"] }],
  ["oracle_valid_until_timestamp_seconds", "gauge", { market }],
  ["oracle_published_timestamp_seconds", "gauge", { market }],
  [
    "feed_last_message_timestamp_seconds",
    "gauge",
    {
      channel: ["orderbook", "trades", "fills", "orders", "liquidations", "funding", "oracleUpdates", "pong"],
    },
  ],
  ["feed_reconnects_total", "counter", { reason: streamEnds }],
  ["chain_height", "gauge", {}],
  ["chain_time_offset_seconds", "gauge", {}],
  ["rate_budget_remaining", "gauge", { account, lane }],
  ["agent_key_expiry_timestamp_seconds", "gauge", { account }],
  ["turn_duration_seconds", "histogram", {}],
  ["event_to_send_seconds", "histogram", {}],
  ["submit_duration_seconds", "histogram", {}],
  ["journal_commit_seconds", "histogram", {}],
  ["day_pnl_usdc", "gauge", { account, market: ["", "1"] }],
  ["ledger_bytes", "gauge", {}],
  ["ledger_limit_bytes", "gauge", {}],
  ["quote_uptime_seconds_total", "counter", { account, market }],
  ["quoting", "gauge", { account, market, side }],
  ["target_mismatch_seconds", "gauge", { account, market }],
  ["markout_bps", "histogram", { account, market, horizon: ["1s", "10s", "60s", "300s"] }],
  ["reconcile_mismatches_total", "counter", { account, kind: mismatchKinds }],
  // Of one market they appear with its first.
  ["resyncs_total", "counter", { account, market: [""], reason: resyncReasons }],
];

const inOrder = (a: string, b: string): number => (a < b ? -1 : 1);

/** Every combination of labels, as sorted text; a label of any value stands as `*`. */
function expectedChildren(labels: Row[2]): readonly string[] {
  let children: readonly Readonly<Record<string, string>>[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    children = children.flatMap((child) => (values ?? ["*"]).map((value) => ({ ...child, [label]: value })));
  }
  return children.map(childText).sort(inOrder);
}

const childText = (labels: Readonly<Record<string, string>>): string =>
  Object.keys(labels)
    .sort(inOrder)
    .map((label) => `${label}=${labels[label]}`)
    .join(" ");

function childrenIn({ samples }: Scrape, [name, type, labels]: Row): readonly string[] {
  const wanted = type === "histogram" ? `quoin_${name}_count` : `quoin_${name}`;
  return samples
    .filter((sample) => sample.name === wanted)
    .map((sample) =>
      childText(
        Object.fromEntries(
          Object.entries(sample.labels).map(([label, value]) => [label, labels[label] === null ? "*" : value]),
        ),
      ),
    )
    .sort(inOrder);
}

describe("from the first scrape", () => {
  it.each(contract)("quoin_%s", (...row) => {
    const [name, type, labels] = row;
    expect(first.types.get(`quoin_${name}`)).toBe(type);
    expect(childrenIn(first, row)).toEqual(expectedChildren(labels));
    expect(childrenIn(quoting, row), "and no child comes or goes with quoting").toEqual(expectedChildren(labels));
  });

  it("nothing of the prefix that the contract does not name", () => {
    const named = new Set([
      "quoin_not_quoting_seconds_total",
      "quoin_webhook_events_total",
      "quoin_estimate",
      "quoin_estimate_data_ratio",
      "quoin_estimate_age_seconds",
      "quoin_premium_target",
      "quoin_premium_position",
      "quoin_premium_pnl_usdc",
      "quoin_premium_stopped",
      "quoin_paper",
      "quoin_shadow_pnl_usdc",
      "quoin_signal_weight",
      "quoin_promotions_total",
      "quoin_recording",
      "quoin_recording_files_lost_total",
      "quoin_recorded_bytes_total",
      "quoin_adverse_level",
      ...contract.map(([name]) => `quoin_${name}`),
    ]);
    const own = [...first.types.keys()].filter((name) => name.startsWith("quoin_"));
    expect(own.filter((name) => !named.has(name))).toEqual([]);
  });

  it("seconds without a quote are counted by a reason of the closed set, and no reason is named before its first", () => {
    const name = "quoin_not_quoting_seconds_total";
    expect(quoting.types.get(name)).toBe("counter");
    const children = quoting.samples.filter((sample) => sample.name === name);
    expect(children.length).toBeGreaterThan(0);
    for (const { labels, value } of children) {
      expect(value).toBeGreaterThan(0);
      expect(notQuotingReasons).toContain(labels.reason);
      expect(side).toContain(labels.side);
    }
  });

  it("counters start at zero and say so", () => {
    const zero = first.samples.filter(({ name }) => /^quoin_(fills|config_reloads|denials)_total$/.test(name));
    expect(new Set(zero.map(({ value }) => value))).toEqual(new Set([0]));
  });
});

describe("while it quotes", () => {
  const value = (name: string, labels: Readonly<Record<string, string>> = {}): number | undefined =>
    quoting.samples.find((sample) => sample.name === `quoin_${name}` && childText(sample.labels) === childText(labels))
      ?.value;

  it("the numbers are the exchange's", () => {
    const at = { account: "12", market: "1" };
    expect(value("open_orders", { ...at, side: "buy" })).toBe(2);
    expect(value("position", at)).toBe(0);
    expect(value("equity_usdc", { account: "12" })).toBe(100_000);
    expect(value("margin_ratio", { account: "12" })).toBe(Number.POSITIVE_INFINITY);
    expect(value("agent_key_expiry_timestamp_seconds", { account: "12" })).toBe(4_102_444_800);
    expect(value("transactions_total", { account: "12", action: "place", outcome: "executed" })).toBeGreaterThanOrEqual(
      4,
    );
    expect(value("worst_case_exposure_ratio", { ...at, side: "sell" })).toBeCloseTo(0.4 / 20);
    for (const gate of gateIds) expect(value("gate_open", { ...at, gate }), gate).toBe(1);
  });

  it("durations are seconds: a turn is no second, and an answer from this machine neither", () => {
    for (const name of ["turn_duration", "submit_duration", "journal_commit"]) {
      const count = value(`${name}_seconds_count`) ?? 0;
      const sum = value(`${name}_seconds_sum`) ?? Number.NaN;
      expect(count, name).toBeGreaterThan(0);
      expect(sum / count, name).toBeLessThan(1);
    }
  });

  it("what a process of Node tells comes along", () => {
    expect(first.types.has("process_resident_memory_bytes")).toBe(true);
    expect(first.types.has("nodejs_eventloop_lag_seconds")).toBe(true);
  });
});

describe("names and types, as Prometheus wants them", () => {
  it("a counter ends in _total, nothing else does, and all have a help text", () => {
    const ends = /_(total|count|sum|bucket)$/;
    const wrong = [...quoting.types].filter(([name, type]) =>
      type === "counter" ? !name.endsWith("_total") : ends.test(name),
    );
    expect(wrong).toEqual([]);
    const helped = new Set([...quoting.text.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name));
    expect([...quoting.types.keys()].filter((name) => !helped.has(name))).toEqual([]);
  });

  // promtool comes with Prometheus, not with npm: .ci/run fetches it.
  it.skipIf(!hasPromtool)(
    hasPromtool ? "promtool finds nothing" : "promtool is not installed: it checks nothing",
    () => {
      const { status, stdout, stderr } = promtool(["check", "metrics"], quoting.text);
      expect([status, stdout + stderr]).toEqual([0, ""]);
    },
  );
});

describe("what config/ asks of Prometheus", () => {
  /** What Prometheus adds to every series, and what its own functions go by. */
  const added = ["instance", "job", "le"];
  const rules = shippedRules();

  const asked = [
    ...rules.map(({ alert, record, expr }) => [alert ?? record ?? "", expr] as const),
    ...shippedPanels().flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => [`panel ${title}`, expr] as const),
    ),
  ];

  it.each(asked)("%s goes by series that the daemon exports", (_, expression) => {
    const selectors = selectorsOf(expression);
    expect(selectors.length > 0 || expression === "vector(1)").toBe(true);
    expect(selectors.filter(isScraped).filter((selector) => !isExported(selector))).toEqual([]);
    expect(selectors.filter(isRecorded).filter(({ name }) => !rules.some(({ record }) => record === name))).toEqual([]);
    const labels = new Set([...added, ...exported().flatMap((sample) => Object.keys(sample.labels))]);
    expect(groupingsOf(expression).filter((label) => !labels.has(label))).toEqual([]);
  });

  it("every metric of the contract is in a rule or a panel", () => {
    const named = new Set(asked.flatMap(([, expression]) => selectorsOf(expression)).map(({ name }) => name));
    const isNamed = (name: string): boolean =>
      ["", "_bucket", "_count", "_sum"].some((suffix) => named.has(`quoin_${name}${suffix}`));
    expect(contract.map(([name]) => name).filter((name) => !isNamed(name))).toEqual([]);
    expect(named).toContain("quoin_not_quoting_seconds_total");
  });

  /** Only a node of a fleet shows these. */
  function ofFleet(): readonly Sample[] {
    const metrics = createMetrics();
    const own = metrics.all.length;
    const { leaseEpoch, shardHeld } = createFleetMetrics(metrics);
    for (const metric of [leaseEpoch, shardHeld]) metric.labels({ account: "12" });
    return scrapeOf(
      metrics.all
        .slice(own)
        .map((metric) => metric.text())
        .join("\n"),
    ).samples;
  }

  const isRecorded = ({ name }: Selector): boolean => name.includes(":");
  const exported = (): readonly Sample[] => [...quoting.samples, ...ofFleet()];
  const isExported = (selector: Selector): boolean =>
    exported().some(
      ({ name, labels }) => name === selector.name && selects(selector, { job: "quoin", instance: "", ...labels }),
    );
});
