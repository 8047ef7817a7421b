// The shipped rules of Prometheus: each alert says how bad it is, what happened and where the runbook tells what to do, and is shown firing
// and quiet. promtool evaluates them where a machine has it; .ci/run installs it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  hasPromtool,
  prometheusFile,
  promtool,
  shippedPanels,
  shippedRules,
  yamlOf,
} from "../../support/monitoring.ts";
import { PROJECT } from "../../support/quoin.ts";

const alerts = shippedRules().filter(({ alert }) => alert !== undefined);
const runbook = readFileSync(join(PROJECT, "docs/runbook.md"), "utf8");

type RuleTest = { readonly alert_rule_test: readonly { alertname: string; exp_alerts: readonly unknown[] }[] };
const checks = (yamlOf(prometheusFile("rules.test.yaml")) as { tests: RuleTest[] }).tests.flatMap(
  ({ alert_rule_test }) => alert_rule_test,
);

describe.each(alerts.map((rule) => [rule.alert ?? "", rule] as const))("%s", (name, { labels, annotations }) => {
  it("has a severity, one sentence, and a link to its heading", () => {
    expect(["critical", "warning", "none"]).toContain(labels?.severity);
    expect(annotations?.summary).toMatch(/^[A-Z{].*\.$/);
    expect(annotations?.runbook_url).toBe(`docs/runbook.md#${name.toLowerCase()}`);
  });

  it("has an entry of the runbook: meaning, check, act", () => {
    const [, entry = ""] = runbook.split(new RegExp(`^### ${name}\\n`, "m"));
    expect(entry.split(/^##/m)[0]).toMatch(/^\n\*\*Means:\*\* [^*]+\n\*\*Check:\*\* [^*]+\n\*\*Do:\*\* [^*]+\n$/);
  });

  it("is shown firing, and quiet", () => {
    const own = checks.filter(({ alertname }) => alertname === name);
    expect(own.some(({ exp_alerts }) => exp_alerts.length > 0)).toBe(true);
    // The one that always fires is never quiet.
    expect(own.some(({ exp_alerts }) => exp_alerts.length === 0)).toBe(labels?.severity !== "none");
  });
});

it("alerts and headings of the runbook are the same, in one order, each once", () => {
  const headings = [...runbook.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(alerts.map(({ alert }) => alert));
  expect(new Set(headings).size).toBe(headings.length);
});

describe("the dashboard", () => {
  const panels = shippedPanels();

  it("goes from what holds us to what runs us", () => {
    const rows = panels.filter(({ type }) => type === "row").map(({ title }) => title);
    expect(rows).toEqual(["State", "Money", "Risk", "Quotes", "Exchange", "Orders", "Feeds", "Process", "Fleet"]);
  });

  it("shows beside its panels every alert but the one that always fires, and no other", () => {
    const linked = panels.flatMap(({ description = "" }) =>
      [...description.matchAll(/\[(\w+)\]/g)].map(([, name]) => name),
    );
    const wanted = alerts.filter(({ labels }) => labels?.severity !== "none").map(({ alert }) => alert);
    expect(new Set(linked)).toEqual(new Set(wanted));
  });
});

// promtool comes with Prometheus, not with npm: .ci/run fetches it, and elsewhere the name of the skipped tests says why.
describe.skipIf(!hasPromtool)(hasPromtool ? "promtool" : "promtool is not installed, so that it checks nothing", () => {
  it.each([
    ["check config", "prometheus.yaml"],
    ["check rules", "rules.yaml"],
    ["test rules", "rules.test.yaml"],
  ])("%s %s", (command, file) => {
    const { status, stdout, stderr } = promtool([...command.split(" "), prometheusFile(file)]);
    expect(status, stdout + stderr).toBe(0);
    expect(stdout).toContain("SUCCESS");
  });
});
