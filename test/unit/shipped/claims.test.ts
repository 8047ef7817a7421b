// What the documents name exists: metrics, alerts, lines of the log, keys of the configuration.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFleetMetrics } from "../../../src/bot/telemetry/fleet-metrics.ts";
import { createMetrics } from "../../../src/bot/telemetry/metrics.ts";
import { shippedRules } from "../../support/monitoring.ts";
import { PROJECT, quoinDone } from "../../support/quoin.ts";
import { keysOfBot } from "../bot/config/reference.ts";

/** Without those of the exchange: interface.md and devnet-configuration.md have keys and names of their own. */
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "strategies/README.md",
  ...readdirSync(join(PROJECT, "docs"))
    .filter((file) => file.endsWith(".md") && !["interface.md", "devnet-configuration.md"].includes(file))
    .map((file) => `docs/${file}`),
];
const text = (file: string): string => readFileSync(join(PROJECT, file), "utf8");

/** Of the database, not a metric. */
const JOBS_SCHEMA = "quoin_jobs";

const metrics = createMetrics();
createFleetMetrics(metrics);
const metricNames = new Set(metrics.all.map(({ name }) => name));
const alertNames = new Set(shippedRules().map(({ alert }) => alert));
const source = readdirSync(join(PROJECT, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.[jt]s$/.test(file))
  .map((file) => text(join("src", file)))
  .join("\n");
/** What is said: by the program and its page, by strategies, and whole sentences as the tests expect them. */
const said = [
  source,
  ...["strategies", "test/unit/bot/decider/desks", "test/unit/bot/service/lifecycle"]
    .flatMap((folder) => readdirSync(join(PROJECT, folder)).map((file) => `${folder}/${file}`))
    .filter((file) => /\.[jt]s$/.test(file))
    .map(text),
].join("\n");
/** What CONTRIBUTING names of the tests is theirs. */
const words = new Set(`${said} ${text("test/support/quoin.ts")}`.match(/\w+/g));
/** Names with a dot: the first part says what they are of. */
const events = new Set(Array.from(source.matchAll(/"([a-z]\w*\.[a-zA-Z.]+)"/g), ([, name = ""]) => name));
const keys = new Set(
  keysOfBot().flatMap(({ path }) => {
    const parts = path.replaceAll("[]", "").split(".");
    return parts.map((_, index) => parts.slice(0, index + 1).join("."));
  }),
);
const sections = new Set(Array.from(keys, (key) => key.split(".")[0]));

describe.each(documents)("%s", (document) => {
  const markdown = text(document);

  it("names metrics and alerts that exist", () => {
    const named = Array.from(markdown.matchAll(/\bquoin_[a-z_0-9]*[a-z0-9]\b(?!\*)/g), ([name]) => name);
    const base = named.map((name) => (metricNames.has(name) ? name : name.replace(/_(bucket|count|sum)$/, "")));
    expect(base.filter((name) => !metricNames.has(name) && name !== JOBS_SCHEMA)).toEqual([]);
    const alerts = Array.from(markdown.matchAll(/(?<![/\w])Quoin[A-Z]\w+/g), ([name]) => name);
    expect(alerts.filter((name) => !alertNames.has(name))).toEqual([]);
  });

  it("names keys, gates, latches and functions that exist", () => {
    const named = Array.from(markdown.matchAll(/`([a-z]+[A-Z]\w*)`/g), ([, name = ""]) => name);
    expect(named.filter((name) => !words.has(name))).toEqual([]);
  });

  it("names lines of the log and keys of the configuration that exist", () => {
    const prefixes = new Set(Array.from(events, (event) => event.split(".")[0]));
    const dotted = Array.from(markdown.matchAll(/`(?:accounts\[\]\.)?([a-z]\w*(?:\[\])?(?:\.\w+)+)`/g), ([, name]) =>
      (name ?? "").replaceAll("[]", ""),
    );
    const judged = dotted.filter((name) => {
      const [first = ""] = name.split(".");
      return (sections.has(first) || prefixes.has(first)) && !isFile(name);
    });
    const unknown = judged.filter((name) => !events.has(name) && !keys.has(name) && !keys.has(`accounts.${name}`));
    expect(unknown).toEqual([]);
  });
});

const isFile = (name: string): boolean =>
  /\.(ts|md|yaml|json|csv|key|token|html|service|secret|qrec|url)$|\.sqlite\b/.test(name);

it("README's table of commands has each of them", async () => {
  const { stdout } = await quoinDone(["--help"]);
  const all = Array.from(stdout.matchAll(/^ {2}([a-z-]+)(?: \[\S+\]| <\S+>)* {2,}/gm), ([, name]) => name);
  const [, table = ""] = text("README.md").split("| To | Commands |");
  const listed = Array.from((table.split("\n\n")[0] ?? "").matchAll(/`([a-z-]+)/g), ([, name]) => name);
  expect(all.length).toBeGreaterThan(30);
  expect(new Set(listed)).toEqual(new Set(all.filter((name) => name !== "help")));
});

/** "`key` (7)" and "`key` (10 s)" name a default. */
const defaultsIn = (markdown: string) =>
  Array.from(
    markdown.matchAll(/`([a-z]+\.)?(\w+)` \((?:default )?([\d.]+)( s)?\)/g),
    ([whole, section = "", name = "", number = "", seconds]) => ({
      whole,
      key: section + name,
      given: String(seconds === undefined ? Number(number) : Number(number) * 1000),
    }),
  );

it("defaults that the documents name are those of the schema", () => {
  const named = documents.flatMap((document) => defaultsIn(text(document)));
  expect(named.length).toBeGreaterThan(5);
  const wrong = named.filter(({ key, given }) => {
    const byDefault = keysOfBot().flatMap(({ path, byDefault }) =>
      path === key || path.endsWith(`.${key}`) ? [byDefault] : [],
    );
    return !byDefault.includes(`\`${given}\``);
  });
  expect(wrong.map(({ whole }) => whole)).toEqual([]);
});

it("docs/troubleshooting.md quotes what the program says", () => {
  const rows = text("docs/troubleshooting.md").matchAll(/^\| (.*?) \|/gm);
  const quoted = [...rows].flatMap(([, cell = ""]) =>
    Array.from(cell.matchAll(/`([^`]+)`/g), ([, words = ""]) => words),
  );
  // A quotation has spaces; between numbers, names and what is left out it is as in the source.
  const sentences = quoted.filter((words) => words.split(" ").length > 3);
  expect(sentences.length).toBeGreaterThan(20);
  const fixed = (words: string) =>
    words.split(/[\d.:]+|…|FILE|TEXT|TOKEN|NAME|[ ,;:]+(?=[\d…])/).filter((part) => part.length >= 9);
  const absent = sentences.filter((words) => !fixed(words).some((part) => said.includes(part.trim())));
  expect(absent).toEqual([]);
});

it("knows what it judges by", () => {
  expect(events).toContain("latch.tripped");
  expect(keys).toContain("venue.landingBoundMs");
});
