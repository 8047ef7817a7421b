// The page as text: its own modules on a state of the live stream, as a browser would first show it.

import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { MarketDetail } from "../../../../src/bot/dashboard/detail.ts";
import { readPage } from "../../../../src/bot/dashboard/page-files.ts";
import type { GateLine, MarketStatus, Status } from "../../../../src/bot/dashboard/status.ts";
import { elements, openPage, pageModule } from "./document.ts";

const rests = { quoting: true, reason: null, sentence: null };

const market = (changed: Partial<MarketStatus> = {}): MarketStatus => ({
  marketId: 1,
  name: "<b>M</b>",
  strategy: "glft",
  state: "active",
  position: 0,
  oraclePrice: null,
  oracleValidUntilSec: null,
  bestBid: null,
  bestAsk: null,
  fairValue: null,
  quotesReason: null,
  bids: [],
  asks: [],
  buy: rests,
  sell: rests,
  gates: [],
  pnl: { valuation: "print", spread: 0, inventory: 0, jump: 0, funding: 0, fees: 0, total: 0 },
  pnlAtMid: { valuation: "mid", spread: 0, inventory: 0, jump: 0, funding: 0, fees: 0, total: 0 },
  fillCount: 0,
  unknownOrders: 0,
  premium: null,
  shadow: null,
  trial: null,
  estimates: [],
  signals: [],
  ...changed,
});

const status = (markets: readonly MarketStatus[], changed: Partial<Status> = {}): Status => ({
  reasons: [],
  fileDifferences: [],
  proposals: [],
  phase: "trading",
  chainId: "c",
  height: null,
  chainTimeOffsetMs: null,
  config: "0",
  tokenCommand: "quoin token",
  version: "0",
  commit: "0",
  startedAtMs: 0,
  nowMs: 0,
  accounts: [
    {
      accountId: "12",
      isPaper: false,
      equityUsdc: null,
      equityAtMidUsdc: null,
      marginRatio: null,
      agentKeyExpiresAtSec: null,
      state: "active",
      latches: [],
      markets,
    },
  ],
  ...changed,
});

const detail: MarketDetail = {
  accountId: "12",
  marketId: 1,
  book: {
    bids: [{ price: 99, size: 3, own: 1, ahead: 2 }],
    asks: [{ price: 101, size: 4, own: 0, ahead: 0 }],
  },
  mid: 100,
  worstLong: 5,
  worstShort: -1,
  dayPnl: 0,
  fundingRatePpb: 0,
  nextFundingAtMs: 65_000,
  nextPrintAtMs: null,
  oracleExpiresAtMs: 4000,
  facts: [{ fact: "book", state: "stale", ageMs: 3000 }],
  markouts: [{ horizon: "10s", count: 2, meanBps: -1.5 }],
  placeMarkouts: [{ decile: 3, markouts: [{ horizon: "1s", count: 4, meanBps: -0.5 }] }],
  fills: [],
  params: { halfSpreadBps: "10" },
  limits: { maxPosition: "20" },
};

const days = [
  { date: "2026-11-25", print: 2.5, mid: -1 },
  { date: "2026-11-26", print: -3, mid: -4 },
];

const stateOf = (of: Status, changed: object = {}) => ({
  status: of,
  detail: { markets: [detail], accounts: [{ accountId: "12", unresolved: 0, budget: { place: 3 }, dayPnl: 0, days }] },
  since: {},
  snapshots: 1,
  samples: [],
  notes: [],
  fills: [],
  ...changed,
});

const html = (await readPage("daemon").get("GET /")?.())?.body ?? "";

test("every module that the page imports is served beside it, packages too, less than 150 kB compressed in all", async () => {
  for (const kind of ["daemon", "node"] as const) {
    const served = [...readPage(kind)].map(async ([route, file]) => [route, await file()] as const);
    const files = new Map(await Promise.all(served));
    const imports = [...files].flatMap(([route, { body }]) =>
      Array.from(body.matchAll(/(?:\bfrom ?|href=|src=)"([^"# ]+)"/g), ([, name = ""]) => {
        // Types stand in comments.
        if (/^https:|\.ts$/.test(name)) return "";
        return `GET ${new URL(name, `http://page${route.slice(4)}`).pathname}`;
      }).filter((each) => each !== ""),
    );
    const own = ["GET /", "GET /icon-alarm.svg"];
    const first = kind === "daemon" ? own : [...own, "GET /account"];
    expect(new Set([...first, ...imports])).toEqual(new Set(files.keys()));
    const bytes = [...files.values()].reduce((sum, file) => sum + file.gzip.byteLength, 0);
    expect(bytes).toBeLessThan(150_000);
    expect([...files.values()].every(({ gzip, body }) => gunzipSync(gzip).toString() === body)).toBe(true);
  }
});

test("an element without a value in it is made again each time: one that was kept would keep the page of then", async () => {
  const { html: markup } = (await pageModule("html.js")) as {
    readonly html: (of: TemplateStringsArray) => { readonly type: string };
  };
  const made = () => markup`<p>none yet</p>`;
  expect(made().type).toBe("p");
  expect(made()).not.toBe(made());
});

test("nothing in the page is inline, as its content security policy demands", () => {
  expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?! type="module" src)/);
});

test("where several markets lack something the bar on top counts them, and why stands with each", async () => {
  const shown = await openPage();
  const lacks = { quoting: false, reason: "halted", sentence: "not quoting because halted by operator: a drill" };
  const names = ["M", "N"];
  const markets = names.map((name, at) => market({ marketId: at + 1, name, buy: lacks, sell: lacks }));
  const reasons = names.map((name) => `account 12, ${name}, sell and buy: ${lacks.sentence} (halted)`);
  shown.draw(stateOf(status([...markets, market({ marketId: 3 })], { reasons })));
  const bar = shown.all("header")[0]?.text ?? "";
  expect(bar).toContain("✗ not ready: 1 of 3 markets quoted on both sides");
  expect(bar).not.toContain("drill");
  expect(shown.all("nav")[0]?.text.match(/✗ not quoting because halted by operator: a drill/g)?.length).toBe(2);
  shown.draw(
    stateOf(
      status(
        markets.map((of) => ({ ...of, state: "halted" })),
        { reasons },
      ),
    ),
  );
  expect(shown.all("header")[0]?.text).toContain("✗ halted");
});

test("Resume is there while something is held, stands out, and is the account's where the account as a whole is held", async () => {
  const shown = await openPage();
  const resumes = () =>
    shown.all("button").flatMap(({ text, attributes }) => {
      const [action] = /data-action="(\w+)"/.exec(attributes)?.slice(1) ?? [];
      return text.startsWith("Resume") ? [`${action} ${/class="(\w*)"/.exec(attributes)?.[1]}`] : [];
    });
  const draw = (state: string, latches: readonly string[]) => {
    const of = status([market({ state: latches.length === 0 ? "active" : "halted" })]);
    shown.draw(stateOf({ ...of, accounts: of.accounts.map((account) => ({ ...account, state, latches })) }));
  };
  draw("active", []);
  expect(resumes()).toEqual([]);
  draw("active", ["operator (market 1): a drill"]);
  expect(resumes()).toEqual(["resumeAll main", "resume main"]);
  draw("halted", ["operator: a drill"]);
  expect(resumes()).toEqual(["resumeAll main", "resumeAccount main"]);
});

test("a notice stands while the saved file differs from what runs", async () => {
  const shown = await openPage();
  const fileDifferences = [
    "a change of server needs a restart; it was not applied",
    "maxPosition of market 1 unchanged",
  ];
  shown.draw(stateOf(status([market()], { fileDifferences })));
  const said = () => shown.all("span").find(({ text }) => text.includes("The saved file differs"))?.text;
  expect(said()).toBe(`! The saved file differs from what runs: ${fileDifferences.join(" · ")}`);
  shown.draw(stateOf(status([market()])));
  expect(said()).toBeUndefined();
});

test("closed gates come first and say why, an open one does not read as the opposite of what it found", async () => {
  const gates: readonly GateLine[] = [
    { gate: "halted", open: true, reason: null },
    { gate: "agentKey", open: true, reason: null },
    { gate: "oracleStatus", open: false, reason: "the oracle is Stale" },
  ];
  const shown = await openPage();
  shown.draw(stateOf(status([market({ gates })])));
  const items = shown
    .all("li")
    .map(({ text, attributes }) => [text.replace(/ since.*/, ""), /"(.*)"/.exec(attributes)?.[1]]);
  expect(items).toEqual([
    ["✗ the oracle is Stale", "bad"],
    ["✓ not halted", "good"],
    ["✓ agent key", "good"],
  ]);
});

test("where fills before the newest are kept no longer the chart says since when it marks them", async () => {
  const shown = await openPage();
  const fills = Array.from({ length: 500 }, (_, at) => ({
    place: "12/1",
    atMs: at,
    fill: { key: `${at}`, side: "buy" },
  }));
  const says = () => shown.all("p").find(({ attributes }) => attributes.includes("moment"))?.text;
  shown.draw(stateOf(status([market()]), { fills: fills.slice(1) }));
  expect(says()).toMatch(/▼ sold$/);
  shown.draw(stateOf(status([market()]), { fills }));
  expect(says()).toMatch(/▼ sold since \d\d:\d\d:\d\d$/);
});

test("fills stand in the blotter, the newest first, fees as costs; what an older life kept of one lacks some", async () => {
  const fill = (key: string, more: object) => ({
    kind: "fill",
    atMs: Date.UTC(2026, 10, 26, 15, 4, 5),
    place: "12/1",
    fill: { atMs: 0, side: "buy", price: 216.5, size: 0.5, key, ...more },
  });
  const shown = await openPage();
  const fills = [fill("a", {}), fill("b", { liquidity: "maker", fee: -0.0108, realizedPnl: 0.42 })];
  shown.draw(stateOf(status([market()]), { fills }));
  const rows = shown.rows();
  const place = ["12", "<b>M</b>", "▲ buy"];
  const at = rows.findIndex((row) => row[3] === place[2]);
  expect(rows.slice(at, at + 2).map((row) => row.slice(1))).toEqual([
    [...place, "maker", "216.50", "0.500", "−0.0108", "+0.4200"],
    [...place, "", "216.50", "0.500", "—", "—"],
  ]);
  expect(shown.html(), "and the other clock").toContain('title="2026-11-26 15:04:05 UTC"');
});

test("each day has a bar at the print and one at the mid, and both prices stand wherever PnL does", async () => {
  const shown = await openPage();
  shown.draw(stateOf(status([market()])));
  const words = shown.all("title").map(({ text }) => text);
  expect(words).toEqual([
    "2026-11-25: −1.00 at mid",
    "2026-11-25: +2.50 at print",
    "2026-11-26: −4.00 at mid",
    "2026-11-26: −3.00 at print",
  ]);
  expect(shown.all("th").map(({ text }) => text)).toEqual(expect.arrayContaining(["at print", "at mid"]));
  expect(shown.all("nav")[0]?.text).toMatch(/PnL at mid 0.00, at print 0.00/);
});

test("what the exchange calls a market is text, not markup", async () => {
  const shown = await openPage();
  shown.draw(stateOf(status([market()])));
  expect(shown.all("h2")[1]?.text).toContain("<b>M</b>");
  expect(shown.html()).not.toContain("<b>M</b>");
});

test("the book shows what is ours and what stands before it, times count down, a stale fact is named", async () => {
  const shown = await openPage();
  shown.draw(stateOf(status([market()])));
  const rows = shown.rows();
  expect(rows).toContainEqual(["bid", "99.00", "3.000", "● 1.000", "2.000"]);
  expect(rows).toContainEqual(["ask", "101.00", "4.000", "", ""]);
  expect(rows).toContainEqual(["oracle print expires", "in 4 s"]);
  expect(rows).toContainEqual(["3", "4", "−0.50", "—", "—", "—"]);
  expect(rows).toContainEqual(["book", "stale, 3 s old"]);
  expect(rows).toContainEqual(["10s", "", "−1.50", "2"]);
});

test("what would be lost stands beside the limits: a loss that reaches them, and a liquidation, stand out; what is not known is said", async () => {
  const shown = await openPage();
  const scenario = { kind: "scenario", accountId: "12", scenario: "printGap", deviations: -8, marginRatio: 0.9 };
  const account = {
    accountId: "12",
    lacks: null,
    equity: "1000",
    maxLoss: null,
    lines: [
      { ...scenario, loss: "600", liquidationDistanceBps: 0 },
      { ...scenario, loss: "400", deviations: 1, marginRatio: null, liquidationDistanceBps: null },
      { ...scenario, loss: "1", scenario: "fundingCap", deviations: null, liquidationDistanceBps: 90 },
      { kind: "var", accountId: "12", confidence: 0.99, loss: "123.4", assumed: false },
    ],
    markets: [
      {
        marketId: 1,
        name: "<i>M</i>",
        position: "20",
        maxLoss: "500",
        actsAtBps: 1153,
        printDeviationBps: 4.04,
        largestBelievedLoss: "69.4208",
      },
    ],
  };
  const unknown = { ...account, accountId: "13", lacks: "the facts of M are not known yet" };
  shown.draw(stateOf(status([market()])), "", "", { atMs: 0, accounts: [account, unknown] });
  const rows = shown.rows();
  expect(rows).toContainEqual(["print of −8 deviations", "600.00", "0.90", "LIQUIDATED"]);
  expect(rows).toContainEqual(["print of +1 deviation", "400.00", "no margin needed", "none"]);
  expect(rows).toContainEqual(["one settlement of funding at its cap", "1.00", "0.90", "90 bps"]);
  expect(rows).toContainEqual(["<i>M</i>", "20", "500.00", "1153 bps", "4.0 bps", "69.42"]);
  const bad = shown.all("td").filter(({ attributes }) => attributes === ` class="bad"`);
  expect(bad.map(({ text }) => text)).toEqual(expect.arrayContaining(["600.00", "LIQUIDATED"]));
  expect(bad.map(({ text }) => text)).not.toContain("400.00");
  const told = shown.all("p").map(({ text }) => text);
  expect(told).toContain("In 99 of 100 cases the next print of all markets together loses at most 123.40 USDC.");
  expect(told).toContain("Account 13: the facts of M are not known yet.");
  const assumed = {
    ...account,
    lines: account.lines.map((line) => ("assumed" in line ? { ...line, assumed: true } : line)),
  };
  shown.draw(stateOf(status([market()])), "", "", { atMs: 0, accounts: [assumed] });
  expect(shown.all("p").map(({ text }) => text)).toContain(
    "In 99 of 100 cases the next print of all markets together loses at most 123.40 USDC, assumed from the print deviation until enough moves of each index are known.",
  );
  shown.draw(stateOf(status([market()])), "", "", { failed: "the daemon does not answer" });
  expect(shown.all("p").map(({ text }) => text)).toContain("the daemon does not answer");
});

test("a market's premium book has a card: target, what it holds and earned, and why it stands still; without one there is none", async () => {
  const shown = await openPage();
  const titles = () => shown.all("h3").map(({ text }) => text);
  shown.draw(stateOf(status([market()])));
  expect(titles()).not.toContain("Premium book");
  const premium = {
    target: -3,
    held: -1.5,
    pnl: -5,
    spreadPnl: 7.25,
    lossLeft: 0,
    isStopped: true,
    reason: "it lost 5",
  };
  shown.draw(stateOf(status([market({ premium })])));
  expect(titles()).toContain("Premium book");
  const rows = shown.rows();
  expect(rows).toContainEqual(["target, contracts", "−3.000"]);
  expect(rows).toContainEqual(["held, contracts", "−1.500"]);
  expect(rows).toContainEqual(["its PnL at mid, USDC", "−5.00"]);
  expect(rows).toContainEqual(["all other PnL at mid, USDC", "+7.25"]);
  const said = shown.all("p").find(({ text }) => text === "it lost 5");
  expect(said?.attributes).toContain("bad");
});

test("a market's shadow has a card, with why it does not run, and so has a strategy on trial; without them there is none", async () => {
  const shown = await openPage();
  const titles = () => shown.all("h3").map(({ text }) => text);
  shown.draw(stateOf(status([market()])));
  expect(titles()).not.toContain("Shadow, on paper");
  const { pnl, pnlAtMid } = market();
  const shadow = {
    strategy: "ladder",
    state: "stopped",
    reason: "it threw",
    position: -1.5,
    bids: [],
    asks: [],
    fillCount: 12,
    pnl,
    pnlAtMid: { ...pnlAtMid, total: 2.5 },
  };
  shown.draw(stateOf(status([market({ shadow, trial: { from: "ladder", sinceMs: 0, fills: 7 } })])));
  expect(titles()).toEqual(expect.arrayContaining(["Shadow, on paper", "On trial"]));
  const rows = shown.rows();
  expect(rows).toContainEqual(["PnL at mid, USDC", "+2.50", "0.00"]);
  expect(shown.all("p").find(({ text }) => text === "it threw")?.attributes).toContain("bad");
});

test("why it is not ready stands in the header, and old data is named as such", async () => {
  const shown = await openPage();
  shown.draw(stateOf(status([market()], { reasons: ["the oracle is Stale"] })));
  expect(shown.all("header")[0]?.text).toContain("not ready: the oracle is Stale");
  shown.draw(stateOf(status([market()])), "", "the daemon has not answered for 5 s");
  expect(shown.all("header")[0]?.text).toContain("✗ the daemon has not answered for 5 s");
});

test("of two markets the chosen one is shown in full, each has its row", async () => {
  const shown = await openPage();
  shown.draw(stateOf(status([market(), market({ marketId: 2, name: "N" })])), "12/2");
  expect(shown.html().match(/<article[^>]*data-place="[^"]*"/g)).toEqual([
    expect.stringMatching(/data-place="12\/2"$/),
  ]);
  const pressed = elements(shown.all("nav")[0]?.html ?? "", "button").map(({ attributes }) => attributes);
  expect(pressed.map((of) => /aria-pressed="(\w+)"/.exec(of)?.[1])).toEqual(["false", "true"]);
});

test.each([
  ["venue-v4:devnet:chain-2", false, "DEVNET"],
  ["venue-v4:mainnet:chain-1", false, "LIVE"],
  ["venue-v4:testnet:chain-9", false, "TESTNET"],
  ["anything else", false, "LIVE"],
  ["venue-v4:mainnet:chain-1", true, "PAPER"],
])("whether it is real money stands on top: %s, paper %s: %s", async (chainId, isPaper, word) => {
  const shown = await openPage();
  const of = status([market()], { chainId });
  shown.draw(stateOf({ ...of, accounts: of.accounts.map((account) => ({ ...account, isPaper })) }));
  expect(shown.all("strong")[0]?.text).toBe(word);
});

test("a limit offers the way that is tighter, and says what it means", async () => {
  const shown = await openPage();
  const limits = { minMaintenanceRatio: { means: "equity over maintenance", tighter: "higher" } } as const;
  const changed = { ...detail, limits: { minMaintenanceRatio: "2" } };
  const state = stateOf(status([market()]));
  shown.draw({ ...state, detail: { ...state.detail, markets: [changed] } }, "", "", null, { limits, params: {} });
  expect(shown.rows()).toContainEqual(["min maintenance ratioequity over maintenance", "2", "tighten ↑"]);
});

test("of two accounts one is looked at: its badge, its markets; the other is a choice away", async () => {
  const shown = await openPage();
  const of = status([market()]);
  const [account] = of.accounts;
  const accounts = [account, { ...account, accountId: "13", isPaper: true, markets: [market({ name: "N" })] }];
  shown.draw(stateOf({ ...of, accounts } as unknown as Status), "13/1");
  expect(shown.all("strong")[0]?.text).toBe("PAPER");
  expect(shown.all("option").map(({ text, attributes }) => [text, attributes.includes("selected")])).toEqual([
    ["account 12", false],
    ["account 13, paper", true],
  ]);
  expect(shown.all("nav")[0]?.text).not.toContain("<b>M</b>");
  expect(shown.all("h2").at(-1)?.text).toContain("N market 1 of account 13 — PAPER: nothing is sent");
});
