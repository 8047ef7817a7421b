// The report: whole HTML that refers to nothing outside itself, says first what came out and what chance can do, and stays small.

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { FillRow, WorldLine } from "../../../../src/backtest/outcome.ts";
import { configuredOf } from "../../../../src/backtest/report/configured.ts";
import { reportHtml } from "../../../../src/backtest/report/page.ts";
import { holdoutLine } from "../../../../src/backtest/summary.ts";
import { countedText, tableRows } from "../../../../src/backtest/table.ts";
import { aboutOf, outcomeOf } from "./outcome.ts";

const about = aboutOf();
const seeds = (count: number, set = {}, points = 60) =>
  Array.from({ length: count }, (_, nth) => outcomeOf(nth + 1, set, points));

/** Without what is embedded. */
const bare = (html: string): string =>
  html.replace(/<script\b[^>]*>.*?<\/script>/gs, "").replace(/<style>.*?<\/style>/gs, "");

/** As it is read: no tags, white space as one. */
const words = (html: string): string =>
  bare(html)
    .replace(/<\/?(?:b|span|small)\b[^>]*>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");

/** Elements that stand open in order; throws where one is closed that another stands in. */
function openElements(html: string): readonly string[] {
  const open: string[] = [];
  for (const [, slash, name = "", rest = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)\b([^<>]*)>/g)) {
    if (/^(meta|link|br|img|input|hr)$/.test(name) || rest.endsWith("/")) continue;
    if (slash === "") open.push(name);
    else if (open.pop() !== name) throw new Error(`</${name}> closes another element`);
  }
  return open;
}

const grid = () => [1, 2].flatMap((a) => ["p", "q", "r"].flatMap((b) => seeds(2, { "x.size": a, "x.center": b })));

test("every element is closed, whatever the shape of the grid", () => {
  const grids = [seeds(1), seeds(3), [1, 2, 3].flatMap((a) => seeds(2, { "x.size": a })), grid()];
  for (const outcomes of grids) expect(openElements(bare(reportHtml(about, outcomes)))).toEqual([]);
});

test("every anchor that it links to is there, once", () => {
  for (const outcomes of [seeds(3), grid()]) {
    const html = bare(reportHtml(about, outcomes));
    const ids = Array.from(html.matchAll(/\bid="([^"]+)"/g), ([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, anchor] of html.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(anchor);
  }
});

test("nothing is fetched: no address but the link of the library's license", () => {
  const html = bare(reportHtml(about, seeds(3)));
  const addresses = Array.from(html.matchAll(/\b(?:src|href|action|data)="([^"#]+)"/g), ([, address = ""]) => address);
  expect(addresses.map((address) => address.slice(0, 26))).toEqual([
    "data:image/svg+xml,%3Csvg%",
    "https://www.tradingview.co",
  ]);
  expect(html).not.toMatch(/<img|<iframe|<object|@import|url\(|\son[a-z]+=|\sstyle=/i);
});

test("what runs in it, and its style, are named by their hashes in its policy, which allows nothing else", () => {
  const html = reportHtml(about, seeds(3));
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1] ?? "";
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const scripts = Array.from(html.matchAll(/<script(?: type="module")?>(.*?)<\/script>/gs), ([, text = ""]) => text);
  const [style = ""] = Array.from(html.matchAll(/<style>(.*?)<\/style>/gs), ([, text = ""]) => text);
  expect(scripts.length).toBe(2);
  expect(policy).toBe(
    `default-src 'none'; script-src ${scripts.map(hash).join(" ")}; style-src ${hash(style)}; img-src data:; base-uri 'none'; form-action 'none'`,
  );
  expect(scripts[0]).toContain("Licensed under Apache License 2.0");
});

test("queue models are named with why a fit is not used, in the page and under the table, each once", () => {
  const filledBy = (world: Partial<WorldLine>) => {
    const outcome = outcomeOf(1);
    return { ...outcome, line: { ...outcome.line, world: { ...outcome.line.world, ...world } } };
  };
  const few = filledBy({ queueModel: "riskAverse", tooFewFills: 37 });
  const outcomes = [few, few, filledBy({ queueModel: "fitted" })];
  expect(countedText(outcomes.map(({ line }) => line))).toContain(
    "Queue model riskAverse: 37 fills, fitted needs 200; fitted.",
  );
  const html = reportHtml(about, outcomes);
  for (const text of ["queue model riskAverse: 37 fills, fitted needs 200", "queue model fitted"])
    expect(html.split(`<span>${text}</span>`)).toHaveLength(2);
  expect(reportHtml(about, seeds(1))).not.toContain("queue model");
});

test("every number of the table is in it, and the exact PnL of each seed", () => {
  const outcomes = seeds(4);
  const html = reportHtml(about, outcomes);
  for (const text of tableRows(outcomes.map(({ line }) => line)).flat()) expect(html).toContain(text);
  for (const { line } of outcomes) expect(html).toContain(`<td>${line.pnl}</td>`);
  expect(html).toContain("markout 60 s, bps");
});

test("it says first what was run, and whether it makes money a day, with what chance can do", () => {
  // Three days, 59.75 less two of the seed: 19.25, 18.58, 17.92 and 17.25 a day.
  const text = words(reportHtml(about, seeds(4)));
  expect(text).toContain("demo.yaml 1 configuration × 4 seeds × 3 days exchange simulated by the embedded devnet");
  expect(text).toMatch(
    /demo\.yaml makes 18\.25 USDC a day at mid \(95 %: \+16\.88 to \+19\.62\); chance hardly explains that, over 4 seeds\./,
  );
  expect(text).toContain("at print +18.50");
  const alone = words(reportHtml(about, seeds(1)));
  expect(alone).toContain("makes 19.25 USDC a day at mid; one seed cannot tell it from chance; add --seeds 20.");
});

test("a loss within chance reads as a loss within chance", () => {
  const lost = seeds(3).map((outcome, nth) => ({
    ...outcome,
    line: { ...outcome.line, pnl: `${[-90, -3, 30][nth]}` },
  }));
  expect(words(reportHtml(about, lost))).toMatch(
    /demo\.yaml loses 7\.00 USDC a day at mid \(95 %: −\S+ to \+\S+\); chance may explain that: the interval holds zero, over 3 seeds\./,
  );
});

test("of several it says which is ahead by how much on equal seeds, and whether chance explains it", () => {
  const of = (count: number): string => {
    const better = seeds(count, { "x.size": 2 }).map((outcome, nth) => {
      const pnl = Number(outcome.line.pnl) + 3 + (nth % 2);
      return { ...outcome, line: { ...outcome.line, pnl: `${pnl}` } };
    });
    return words(reportHtml(about, [...seeds(count, { "x.size": 1 }), ...better]));
  };
  const text = of(12);
  expect(text).toMatch(
    /It is 1\.17 USDC a day ahead of size=1 on the same 12 seeds \(95 %: .*\); chance hardly explains the difference \(p below 0\.001\)\./,
  );
  // Its own mean is that of the best of two.
  expect(text).toMatch(/USDC a day at mid \(95 %, as the best of 2: \S+ to \S+\);/);
  expect(of(8)).toMatch(/on the same 8 seeds \(95 %: .*\); it takes 12 seeds to tell the difference from chance\./);
  const same = words(reportHtml(about, [...seeds(12, { "x.size": 1 }), ...seeds(12, { "x.size": 2 })]));
  expect(same).toContain("chance may explain the difference (p 1.000)");
});

test("what was held out is said beside it", () => {
  const lines = seeds(2).map(({ line }) => line);
  const text = words(reportHtml({ ...about, holdout: holdoutLine(lines, lines) }, seeds(2)));
  expect(text).toContain("On 2 seeds that nothing was picked by: +18.92 USDC a day at mid.");
});

test("positions stand against the limits of the configuration, and what differs between configurations is listed", () => {
  const market = { accountId: "12", marketId: 1, name: "USA-HPI", maxPosition: 10, values: { "params.size": "1" } };
  const configured = new Map(
    [1, 2].map((size) => [
      JSON.stringify({ "x.size": size }),
      [{ ...market, values: { strategy: "glft", "params.size": `${size}` } }],
    ]),
  );
  const outcomes = [1, 2].flatMap((size) => seeds(2, { "x.size": size }));
  const text = words(reportHtml({ ...about, configured }, outcomes));
  expect(text).toContain("Largest position 75 % of the limit USA-HPI 7.50 of ±10.00 contracts");
  expect(text).toContain("parameter size=1 size=2 account 12, market 1: params.size 1 2");
  expect(text).not.toContain("account 12, market 1: strategy");
});

test("configurations are read as the runs had them: from the texts of their files, with their settings", async () => {
  const texts = {
    "/backtest/demo.yaml": `venue: { chainId: "venue-v4:devnet:chain-2", embedded: devnet.yaml }
accounts:
  - accountId: 12
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: { halfSpreadBps: 4, size: 0.5 }
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }
`,
    "/backtest/devnet.yaml": `chainId: venue-v4:devnet:chain-2
markets:
  - marketId: 1
    name: TOWN-HPI
    tickSize: 0.01
    initialMarginRatioBps: 500
    maintenanceMarginRatioBps: 250
    maxOpenInterest: 1000
    oracle: { source: fixed, price: 100, validForSecs: 60 }
accounts:
  - { accountId: 12, owner: d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a, collateral: 1000 }
`,
  };
  const settings = [{ path: "accounts.12.markets.1.params.halfSpreadBps", value: 8 }];
  const sources = Object.entries(texts).map(([path, text]) => ({ path, text, hash: "" }));
  const set = { "accounts.12.markets.1.params.halfSpreadBps": 8 };
  const runs = seeds(1, set).map(({ line }) => line);
  const configured = await configuredOf([{ file: "/backtest/demo.yaml", name: null, sources, settings }], runs);
  expect(configured.get(JSON.stringify(set))).toMatchObject([
    {
      accountId: "12",
      marketId: 1,
      name: "TOWN-HPI",
      maxPosition: 20,
      values: { strategy: "fixed-spread", "params.halfSpreadBps": "8", "limits.maxLoss": "500" },
    },
  ]);
});

test("markouts come with the number of fills behind them", () => {
  // Three days of eleven and twelve fills.
  expect(words(reportHtml(about, seeds(2)))).toMatch(/market 1, glft, 60 s \S+ \S+ to \S+ 69 /);
});

test("fills by the hour are shown where fills were kept, and nowhere else", () => {
  const fill: FillRow = {
    ...{ atMs: 5 * 3_600_000, accountId: "12", marketId: 1, side: "buy", liquidity: "maker" },
    ...{ price: "1", mid: "1", size: "1", fee: "0" },
  };
  const kept = seeds(2).map((outcome) => ({ ...outcome, fills: [fill, { ...fill, side: "sell" as const }] }));
  expect(reportHtml(about, kept)).toContain("<title>05, bought: 0.333</title>");
  expect(reportHtml(about, seeds(2))).not.toContain("Fills by hour");
});

test("what the spread alone earned has a line, beside fees and all sources together", () => {
  // Two markets of 30.5 and 1.5 each; 61 less two of the four seeds' mean, 2.5.
  const says = "Spread alone: 61.00 USDC a run, 64.00 with fees and rebates; all sources together: 54.75.";
  expect(reportHtml(about, seeds(4))).toContain(says);
});

test("what the user wrote is shown as text, and what hides is shown", () => {
  const html = reportHtml({ ...about, command: `x --set "a=<b>"`, files: ["a\u202e.yaml"] }, [
    ...seeds(1, { "p.<script>": '"&<</script>' }),
    ...seeds(1, { "p.<script>": 2 }),
  ]);
  expect(bare(html)).not.toContain("<script>");
  expect(html).toContain("&#60;b&#62;");
  expect(html).toContain("a\\u202e.yaml");
  expect(openElements(bare(html))).toEqual([]);
});

test("200 runs of 2,000 points weigh less than 1 MB", () => {
  const outcomes = Array.from({ length: 10 }, (_, a) => seeds(20, { "x.size": a }, 2000)).flat();
  const html = reportHtml(about, outcomes);
  expect(html.length).toBeLessThan(1_000_000);
  expect(words(html)).toContain("Of 10, the 6 with the highest means.");
});

test("the same outcomes give the same bytes", () => {
  expect(reportHtml(about, seeds(3))).toBe(reportHtml(about, seeds(3)));
});

test("of one seed the verdict says that it tells nothing from chance; a gain against the price stands beside the chart", () => {
  const html = reportHtml(about, seeds(1));
  expect(words(html)).toContain("one seed cannot tell it from chance; add --seeds 20");
  expect(html).toMatch(/gains although the price moves against its fills/);
});
