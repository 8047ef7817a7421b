// `quoin report` of a real daemon's ledger: beside the daemon and after it, a live account and one on paper, as text, as JSON, and as a page in a
// real browser, on a phone and on a screen, light and dark.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFaults, type Browser, hasBrowser, openBrowser } from "../support/browser.ts";
import { jsonLines } from "../support/json-lines.ts";
import { quoinDone, type Running } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, rest, take } from "./counterparty.ts";
import { startDaemon } from "./daemon.ts";
import { configBeside, operator, post, statusOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const PAPER = `  - accountId: 99
    paper: true
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: { halfSpreadBps: 10, size: 0.2 }
        limits: { maxEventLoopLagMs: 60000, maxPosition: 5, maxOrderSize: 1, maxOpenOrders: 4, maxLoss: 500 }
server:`;

type Market = {
  readonly accountId: string;
  readonly paper: boolean;
  readonly fills: number;
  readonly quoteUptime: number;
  readonly watched: number;
  readonly positionMax: string;
  readonly pnl: Record<"mid" | "print", Record<string, string>>;
};
type Report = {
  readonly from: string;
  readonly seconds: number;
  readonly markets: readonly Market[];
  readonly halts: readonly { readonly what: string; readonly reason: string }[];
  readonly changes: readonly { readonly by: string; readonly what: string; readonly why: string }[];
};

const scene = sceneForAll({ params: "{ halfSpreadBps: 10, size: 0.2 }", accounts: counterpartyRow });
let daemon: Running;
let url: string;

const report = (...args: readonly string[]) => quoinDone(["report", "--config", scene.botConfig, ...args]);
const json = async (...args: readonly string[]) => JSON.parse((await report("--json", ...args)).stdout) as Report;
const fillsOf = async (account: string) =>
  (await statusOf(url)).accounts.find(({ accountId }) => accountId === account)?.markets[0]?.fillCount ?? 0;

beforeAll(async () => {
  writeFileSync(scene.botConfig, readFileSync(scene.botConfig, "utf8").replace("server:", PAPER));
  await rest(scene.validatorUrl, { side: "buy", contracts: 50, usd: 216.5 });
  await rest(scene.validatorUrl, { side: "sell", contracts: 50, usd: 217.5 });
  ({ process: daemon, url } = await startDaemon(scene));
  await until("both accounts are filled", async () => {
    await take(scene.validatorUrl, { side: "sell", contracts: 0.9 });
    return (await fillsOf("12")) > 0 && (await fillsOf("99")) > 0;
  });
  await post(url, "/halt", { reason: "an odd book" });
  await post(url, "/resume", { reason: "it was the index" });
  const wider = { reason: "it fills too often", account: "12", market: 1, params: { halfSpreadBps: 12 } };
  expect((await post(url, "/params", wider)).status).toBe(200);
  await until("the change", async () => (await json()).changes.some(({ what }) => what === "configChanged"));
});

describe("quoin report", () => {
  it("tells beside the running daemon what both accounts did, how they were quoted, and who changed what", async () => {
    const { markets, halts, changes, seconds } = await until("hours of quoting", async () => {
      const found = await json();
      return found.markets.every(({ quoteUptime }) => quoteUptime > 0) && found;
    });
    expect(markets.map(({ accountId, paper }) => [accountId, paper])).toEqual([
      ["12", false],
      ["99", true],
    ]);
    for (const { fills, watched, positionMax, pnl } of markets) {
      expect(fills).toBeGreaterThan(0);
      expect(watched).toBeGreaterThan(0);
      expect(watched).toBeLessThanOrEqual(1);
      expect(Number(positionMax)).toBeGreaterThan(0);
      const { total, ...of } = pnl.mid;
      expect(Object.values(of).reduce((sum, each) => sum + Number(each), 0)).toBeCloseTo(Number(total), 6);
    }
    expect(seconds).toBeGreaterThan(0);
    expect(halts).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ what: "halted: operator", reason: "an odd book" }),
        expect.objectContaining({ what: "resumed: every halt", reason: "it was the index" }),
      ]),
    );
    expect(changes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ by: "127.0.0.1", what: "POST /halt", why: "an odd book" }),
        expect.objectContaining({
          by: "daemon",
          what: "configChanged",
          why: "account 12, market 1: halfSpreadBps 10 -> 12",
        }),
      ]),
    );
  });

  it("has the very PnL of `quoin pnl`, with the daemon stopped", async () => {
    expect(await daemon.end()).toBe(0);
    const { stdout } = await quoinDone(["pnl", "--config", scene.botConfig, "--json"]);
    const rows = jsonLines<Record<string, string>>(stdout);
    for (const { accountId, pnl } of (await json()).markets)
      for (const valuation of ["mid", "print"] as const) {
        const days = rows.filter((row) => row.accountId === accountId && row.valuation === valuation);
        expect(days).not.toEqual([]);
        for (const source of ["spread", "inventory", "fees", "total"])
          expect(Number(pnl[valuation][source]), source).toBeCloseTo(
            days.reduce((sum, day) => sum + Number(day[source]), 0),
            6,
          );
      }
    expect(await report()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/The period (made|lost) .* USDC at mid, .*USA-HPI of account 99/s),
    });
  });

  it("refuses periods that cannot be, and says what an empty one is", async () => {
    const said = async (...args: readonly string[]) => {
      const { code, stderr } = await report(...args);
      return [code, stderr.trim()];
    };
    expect(await said("--from", "2026-01-02", "--to", "2026-01-01")).toEqual([
      2,
      expect.stringContaining("--from must be before --to"),
    ]);
    expect(await said("--from", "2999-01-01")).toEqual([
      2,
      expect.stringMatching(/--from 2999-01-01T00:00:00.000Z lies in the future; it is \d{4}-/),
    ]);
    expect(await said("--from", "2001-01-01", "--to", "2001-01-02")).toEqual([
      0,
      expect.stringMatching(
        /nothing is recorded of this period; the ledger holds \d{4}-\d\d-\d\d \d\d:\d\d:\d\d to .* UTC/,
      ),
    ]);
    expect(await said("--market", "7")).toEqual([2, expect.stringContaining("knows market 7; they know 1")]);
    expect(await said("--from", "yesterday")).toEqual([2, expect.stringContaining("ISO 8601")]);
    expect(await said("--out", scene.botConfig)).toEqual([2, expect.stringContaining("is not overwritten")]);
    const { from } = await json("--from", "2001-01-01");
    expect(from).toBe((await json()).from);
  });

  // chromium comes with the system, not with npm: .ci/run installs it, and elsewhere this is skipped.
  describe.skipIf(!hasBrowser)("as a page", () => {
    let browser: Browser;
    const file = () => join(scene.folder, "report.html");
    beforeAll(async () => {
      browser = await openBrowser();
      expect(await report("--out", file())).toMatchObject({ code: 0, stdout: "" });
    });
    afterAll(() => browser.close());

    it.each([360, 1440])(
      "is whole in both themes at %i pixels: nothing is wider, axe finds nothing, it asks for nothing",
      async (width) => {
        const page = await browser.context.newPage();
        const said: string[] = [];
        page.on("pageerror", ({ message }) => said.push(message));
        page.on("console", (message) => said.push(message.text()));
        page.on("request", (request) => {
          if (!/^(file|data):/.test(request.url())) said.push(`asks for ${request.url()}`);
        });
        await page.setViewportSize({ width, height: 900 });
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await page.goto(pathToFileURL(file()).href);
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
          expect(await axeFaults(page)).toEqual([]);
        }
        const text = await page.locator("body").innerText();
        for (const part of [
          "PnL by source",
          "Markouts",
          "Reasons of silence",
          "Worst hours",
          "Limits neared",
          "Denials",
        ])
          expect(text).toContain(part);
        expect(text).toMatch(/USA-HPI of account 99 \(paper\)/);
        expect(text).toMatch(/an odd book/);
        const box = await page.locator("#over-time .canvas").boundingBox();
        await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 80);
        await until("a moment of the period", async () =>
          / \d\d:\d\d UTC$/.test(await page.locator("#over-time .moment").innerText()),
        );
        expect(said).toEqual([]);
        await page.close();
      },
    );
  });
});

it("a ledger that is not there ends with what is wrong, and nothing is written", async () => {
  const elsewhere = configBeside(scene, "http://127.0.0.1:9", (yaml) =>
    yaml.replace("var/quoin.sqlite", "none.sqlite"),
  );
  const { code, stderr } = await operator("report", elsewhere, "--out", join(scene.folder, "none.html"));
  expect([code, stderr]).toEqual([1, expect.stringContaining("none.sqlite")]);
});
