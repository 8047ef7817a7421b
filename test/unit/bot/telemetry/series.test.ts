// Our series against prom-client's, which is told the same things: the text of a scrape is the same at each moment.

import fc from "fast-check";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { bindMarket, forgetMarket } from "../../../../src/bot/telemetry/bound.ts";
import { createMetrics, exposition } from "../../../../src/bot/telemetry/metrics.ts";
import { Distribution, Metric, Value } from "../../../../src/bot/telemetry/series.ts";

/** Without -1: prom-client counts there what is beyond the last bound. */
const BOUNDS = [-50, -2, 0, 0.5, 2, 10];
const GAUGE = { name: "level", help: 'a "level" \\ and\nits help' };
const COUNTER = { name: "events_total", help: "events" };
const HISTOGRAM = { name: "moves_bps", help: "moves" };
const labelNames = ["account", "market"] as const;

type Labels = { readonly account: string; readonly market: string };
type Step =
  | { readonly kind: "set" | "inc" | "observe"; readonly labels: Labels; readonly value: number }
  | { readonly kind: "remove"; readonly labels: Labels };

const labels = fc.record({
  account: fc.constantFrom("12", "13"),
  market: fc.constantFrom("1", "2", 'a "name" \\ with\nall', ""),
});
const amounts = fc.constantFrom(0, 1, 0.25, 1e-9, 123_456_789.125);
const levels = fc.oneof(amounts, fc.constantFrom(-3, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY));
const step = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.record({ kind: fc.constant("set"), labels, value: levels }),
  fc.record({ kind: fc.constant("inc"), labels, value: amounts }),
  fc.record({ kind: fc.constant("observe"), labels, value: fc.integer({ min: -60, max: 60 }) }),
  fc.record({ kind: fc.constant("remove"), labels }),
);
const scrapes = fc.array(fc.array(step, { maxLength: 30 }), { maxLength: 5 });

function createOurs() {
  const value =
    ({ name }: { readonly name: string }) =>
    (own: string, onChange: () => void) =>
      new Value(name, own, onChange);
  return {
    gauge: new Metric({ ...GAUGE, type: "gauge" }, labelNames, value(GAUGE)),
    counter: new Metric({ ...COUNTER, type: "counter" }, labelNames, value(COUNTER)),
    histogram: new Metric(
      { ...HISTOGRAM, type: "histogram" },
      labelNames,
      (own, onChange) => new Distribution(HISTOGRAM.name, own, BOUNDS, onChange),
    ),
  };
}

function createTheirs() {
  const registry = new Registry();
  const shared = { labelNames: [...labelNames], registers: [registry] };
  return {
    registry,
    gauge: new Gauge({ ...GAUGE, ...shared }),
    counter: new Counter({ ...COUNTER, ...shared }),
    histogram: new Histogram({ ...HISTOGRAM, buckets: BOUNDS, ...shared }),
  };
}

function take(ours: ReturnType<typeof createOurs>, theirs: ReturnType<typeof createTheirs>, told: Step): void {
  switch (told.kind) {
    case "set":
      ours.gauge.labels(told.labels).set(told.value);
      theirs.gauge.set(told.labels, told.value);
      break;
    case "inc":
      ours.counter.labels(told.labels).inc(told.value);
      theirs.counter.inc(told.labels, told.value);
      break;
    case "observe":
      ours.histogram.labels(told.labels).observe(told.value);
      theirs.histogram.observe(told.labels, told.value);
      break;
    case "remove":
      for (const metric of [ours.gauge, ours.counter, ours.histogram]) {
        metric.removeWhere(({ account, market }) => account === told.labels.account && market === told.labels.market);
      }
      for (const metric of [theirs.gauge, theirs.counter, theirs.histogram]) metric.remove(told.labels);
      break;
  }
}

describe("law: the text is prom-client's own rendering", () => {
  it("whatever happened between two scrapes", async () => {
    await fc.assert(
      fc.asyncProperty(scrapes, async (steps) => {
        const [ours, theirs] = [createOurs(), createTheirs()];
        for (const between of steps) {
          for (const told of between) take(ours, theirs, told);
          const texts = [ours.gauge, ours.counter, ours.histogram].map((metric) => metric.text());
          expect(`${texts.join("\n\n")}\n`).toBe(await theirs.registry.metrics());
        }
      }),
    );
  });

  it("of a metric without labels, which is there from the start", async () => {
    const registry = new Registry();
    const theirs = new Histogram({ ...HISTOGRAM, buckets: BOUNDS, registers: [registry] });
    const make = (own: string, onChange: () => void) => new Distribution(HISTOGRAM.name, own, BOUNDS, onChange);
    const ours = new Metric({ ...HISTOGRAM, type: "histogram" }, [], make);
    const series = ours.labels({});
    expect(`${ours.text()}\n`).toBe(await registry.metrics());
    series.observe(0.5);
    theirs.observe(0.5);
    expect(`${ours.text()}\n`).toBe(await registry.metrics());
  });
});

it("edge: what is beyond the last bound is in no bucket, the one at -1 included", () => {
  const series = new Distribution("moves_bps", "", [-1, 1], () => {});
  series.observe(2);
  expect(series.text().split("\n").slice(0, 3)).toEqual([
    'moves_bps_bucket{le="-1"} 0',
    'moves_bps_bucket{le="1"} 0',
    'moves_bps_bucket{le="+Inf"} 1',
  ]);
});

describe("a scrape of the daemon", () => {
  const sets = {
    gates: ["book"],
    reasons: ["halted"],
    latches: ["loss"],
    horizons: ["1s"],
    estimates: ["kappaPerHour"],
  } as const;

  it("shows what the process adds after our own", async () => {
    const metrics = createMetrics();
    new Gauge({ name: "of_process", help: "of the process", registers: [metrics.ofProcess] }).set(7);
    metrics.chainHeight.set(42);
    const text = (await Array.fromAsync(exposition(metrics))).join("");
    expect(text).toContain("\nquoin_chain_height 42\n\n# HELP ");
    expect(text).toMatch(/\n\n# HELP of_process of the process\n# TYPE of_process gauge\nof_process 7\n\n$/);
  });

  it("edge: a market that goes takes its series along, and what accounts share goes with the last of them", async () => {
    const metrics = createMetrics();
    for (const account of ["12", "13"]) for (const market of ["1", "2"]) bindMarket(metrics, account, market, sets);
    forgetMarket(metrics, { account: "12", market: "1", isLast: false });
    const shared = (await Array.fromAsync(exposition(metrics))).join("");
    expect(shared).not.toContain('account="12",market="1"');
    expect(shared).toContain('quoin_oracle_valid_until_timestamp_seconds{market="1"} 0');
    forgetMarket(metrics, { account: "13", market: "1", isLast: true });
    const rest = (await Array.fromAsync(exposition(metrics))).join("");
    expect(rest).not.toContain('market="1"');
    expect(rest).toContain('quoin_gate_open{account="12",market="2",gate="book"} 0');
  });
});

describe("forbidden", () => {
  it("a counter that falls", () => {
    expect(() => new Value("events_total", "", () => {}).inc(-1)).toThrow(/does not fall/);
  });

  it("an observation that is no number", () => {
    expect(() => new Distribution("moves_bps", "", BOUNDS, () => {}).observe(Number.NaN)).toThrow(/is a number/);
  });
});
