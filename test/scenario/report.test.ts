// The report in a real browser, opened from disk as its reader does: its charts answer, it fits a phone, and without scripts it still says all.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "../../src/backtest/outcome.ts";
import { reportHtml } from "../../src/backtest/report/page.ts";
import { axeFaults, type Browser, hasBrowser, openBrowser } from "../support/browser.ts";
import { until } from "../support/until.ts";
import { aboutOf, outcomeOf } from "../unit/backtest/report/outcome.ts";

const SHOTS = join(tmpdir(), "quoin-report");

/** Of one seed, the same world for each setting, which earns more of it by this. */
function runOf(seed: number, set: Readonly<Record<string, unknown>>, more: number): Outcome {
  const outcome = outcomeOf(seed, set);
  return { ...outcome, line: { ...outcome.line, pnl: `${Number(outcome.line.pnl) + more}` } };
}

const seeds = [1, 2, 3];
/** A month, in samples of half an hour. */
function monthOf(seed: number): Outcome {
  const outcome = outcomeOf(seed, {}, 1440);
  return { ...outcome, curves: { ...outcome.curves, hours: outcome.curves.hours.map((_, nth) => (nth + 1) / 2) } };
}

const grids = {
  month: seeds.map(monthOf),
  one: seeds.map((seed) => outcomeOf(seed)),
  several: [2, 8].flatMap((bps) => seeds.map((seed) => runOf(seed, { halfSpreadBps: bps }, seed / bps))),
  map: [1, 2, 3].flatMap((size) =>
    ["print", "mid"].flatMap((center) => seeds.map((seed) => runOf(seed, { size, center }, size))),
  ),
};

// chromium comes with the system, not with npm: .ci/run installs it, and elsewhere these are skipped.
describe.skipIf(!hasBrowser)("the report", () => {
  const folder = mkdtempSync(join(tmpdir(), "quoin-report-"));
  let browser: Browser;
  let page: Page;
  const said: string[] = [];
  const address = (name: keyof typeof grids) => pathToFileURL(join(folder, `${name}.html`)).href;
  const open = (name: keyof typeof grids) => page.goto(address(name));

  beforeAll(async () => {
    mkdirSync(SHOTS, { recursive: true });
    for (const [name, outcomes] of Object.entries(grids))
      writeFileSync(join(folder, `${name}.html`), reportHtml(aboutOf(), outcomes));
    browser = await openBrowser();
    page = await browser.context.newPage();
    page.on("pageerror", ({ message }) => said.push(message));
    page.on("console", (message) => said.push(message.text()));
    page.on("request", (request) => {
      if (!/^(file|data):/.test(request.url())) said.push(`asks for ${request.url()}`);
    });
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Names of tiles with something over their padding. */
  const overPadding = () =>
    page.evaluate(`[...document.querySelectorAll(".tile")].filter((tile) => {
      const end = tile.getBoundingClientRect().right - parseFloat(getComputedStyle(tile).paddingRight);
      return [...tile.querySelectorAll("*")].some((each) => each.getBoundingClientRect().right > end);
    }).map((tile) => tile.querySelector("h3").textContent)`);
  const text = (selector: string) => page.locator(selector).first().innerText();

  it("answers in the first fold what was run, what it earns, at what risk, and which configuration is better", async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await open("several");
    expect(await text(".badge")).toBe("SIMULATED MARKET");
    expect(await text(".verdict")).toMatch(/USDC a day at mid .* ahead of halfSpreadBps=8 on the same 3 seeds/s);
    expect(await text(".tiles")).toMatch(
      /PnL a day at mid.*by source.*Worst day.*drawdown.*Largest position.*Both sides quoted/s,
    );
    for (const part of ["#compared .canvas", ".configurations"]) {
      const box = await page.locator(part).boundingBox();
      expect((box?.y ?? 900) + (box?.height ?? 0), part).toBeLessThanOrEqual(900);
    }
  });

  it("a chart tells the values under the crosshair, and those of the end without one", async () => {
    await open("several");
    const value = () => text("#compared [data-line='0'] dd");
    const end = await value();
    expect(await text("#compared .moment")).toBe("at the end of the run");
    const box = await page.locator("#compared .canvas").boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 3, (box?.y ?? 0) + 80);
    await until("another moment", async () => /^day \d, \d\d:\d\d of the run$/.test(await text("#compared .moment")));
    expect(await value()).not.toBe(end);
    await page.mouse.move(2, 2);
    await until("the end", async () => (await value()) === end);
  });

  it("buttons and keys zoom and pan, and the whole run is one key away", async () => {
    await open("one");
    const picture = () => page.locator("#seeds .canvas").screenshot();
    await page.locator("#seeds .canvas").focus();
    const whole = await picture();
    const differs = async (what: string, from: Buffer, isEqual = false) =>
      until(what, async () => (await picture()).equals(from) === isEqual);
    await page.keyboard.press("+");
    await differs("nearer", whole);
    const near = await picture();
    await page.keyboard.press("ArrowLeft");
    await differs("elsewhere", near);
    await page.keyboard.press("End");
    await differs("all of it", whole, true);
    await page.locator("#seeds").getByRole("button", { name: "zoom in" }).click();
    await page.locator("#seeds .canvas").focus();
    await differs("nearer again", whole);
    await page.locator("#seeds").getByRole("button", { name: "whole run" }).click();
    await page.locator("#seeds .canvas").focus();
    await differs("all of it again", whole, true);
  });

  it.each([
    ["one", /^\d\d:\d\d$/],
    ["month", /^day \d+$/],
  ] as const)("the time axis says when: %s", async (name, pattern) => {
    const fresh = await browser.context.newPage();
    await fresh.addInitScript(`{
      const draw = CanvasRenderingContext2D.prototype.fillText;
      window.written = new Set();
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        window.written.add(text);
        return draw.call(this, text, ...rest);
      };
    }`);
    await fresh.goto(address(name));
    await until("labels", async () => {
      const written = (await fresh.evaluate("[...window.written]")) as readonly string[];
      return written.filter((label) => pattern.test(label)).length > 2;
    });
    await fresh.close();
  });

  it("forbidden: a label of a price axis that the edge of its pane cuts", async () => {
    const fresh = await browser.context.newPage();
    await fresh.addInitScript(`{
      const draw = CanvasRenderingContext2D.prototype.fillText;
      window.labels = [];
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
        const { actualBoundingBoxAscent: above, actualBoundingBoxDescent: below } = this.measureText(text);
        const at = (place) => this.getTransform().transformPoint({ x, y: place }).y;
        if (/^−?\\d+\\.\\d\\d$/.test(text)) window.labels.push([text, at(y - above) >= 0 && at(y + below) <= this.canvas.height]);
        return draw.call(this, text, x, y, ...rest);
      };
    }`);
    await fresh.goto(address("one"));
    // Where labels lie moves with the height.
    for (let height = 800; height < 860; height += 4) {
      await fresh.setViewportSize({ width: 1440, height });
      await fresh.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }
    const labels = (await fresh.evaluate("window.labels")) as readonly [string, boolean][];
    expect(labels.length).toBeGreaterThan(100);
    expect(labels.filter(([, isWhole]) => !isWhole)).toEqual([]);
    await fresh.close();
  });

  it("another seed is looked at by choosing it", async () => {
    await open("one");
    expect(await text("#seeds .legend")).toMatch(/seed 3\s.*drawdown of seed 3\s/s);
    await page.locator("#seeds select").selectOption({ label: "1" });
    const legend = await text("#seeds .legend");
    expect(legend).toMatch(/seed 1\s.*drawdown of seed 1\s/s);
    expect(legend).not.toContain("seed 3");
  });

  it.each([
    [360, 800],
    [820, 1180],
    [1440, 900],
  ])(
    "is whole in both themes on a screen of %i pixels: nothing is wider, tiles included, and axe finds nothing",
    async (width, height) => {
      await page.setViewportSize({ width, height });
      for (const name of ["several", "map"] as const) {
        await open(name);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
          expect(await overPadding()).toEqual([]);
          await page.screenshot({ path: join(SHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: true });
          if (name === "several") expect(await axeFaults(page)).toEqual([]);
        }
      }
    },
  );

  it("on paper pictures stand in the place of the charts", async () => {
    await open("several");
    expect(await page.locator("#compared .picture").isVisible()).toBe(false);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("#compared .picture").isVisible()).toBe(true);
    expect(await page.locator("#compared .canvas").isVisible()).toBe(false);
    await page.emulateMedia({ media: null });
  });

  it("without scripts the pictures and all numbers are there, and nothing that would not answer", async () => {
    const cdp = await browser.context.newCDPSession(page);
    await cdp.send("Emulation.setScriptExecutionDisabled", { value: true });
    await page.setViewportSize({ width: 390, height: 800 });
    await open("several");
    expect(await page.locator("#seeds .picture svg").count()).toBe(3);
    expect(await page.locator("#seeds .picture").isVisible()).toBe(true);
    expect(await page.locator("button:visible, select:visible, .canvas:visible").count()).toBe(0);
    await page.locator("#seeds summary").click();
    expect(await page.getByRole("columnheader", { name: "equity at the start" }).isVisible()).toBe(true);
    await page.screenshot({ path: join(SHOTS, "no-script.png"), fullPage: true });
    await cdp.send("Emulation.setScriptExecutionDisabled", { value: false });
  });

  it("each of its regions has a name of its own", async () => {
    await open("several");
    const names = (await page.evaluate(
      `[...document.querySelectorAll("[role=region], section[aria-label]")].map((region) => region.getAttribute("aria-label"))`,
    )) as readonly string[];
    expect(names.length).toBeGreaterThan(5);
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
  });

  it("asked for nothing and complained of nothing", () => {
    expect(said).toEqual([]);
  });
});
