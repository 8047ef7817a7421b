// The dashboard's chart in a real browser, over a week of history that the daemon finds beside its ledger: ranges, zoom, pan, crosshair, markers
// that stand for several fills, and labels of the time axis. What a canvas shows is read from what is written on it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HistoryEntry } from "../../src/bot/dashboard/history.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/kernel/clock.ts";
import { type Browser, hasBrowser, openBrowser } from "../support/browser.ts";
import { until } from "../support/until.ts";
import { endScenes, type Scene, startDaemon, startScene } from "./daemon.ts";

const STEP_MS = 10_000;
const FILLS = 200;

/** A fair value that says the minute of the hour. */
const fairAt = (atMs: number): number => 216 + (Math.floor(atMs / MINUTE_MS) % 60) / 100;

/** A week, as fine as the daemon keeps it: a sample each ten seconds, minute, ten minutes; and a fill every ten seconds of the last half hour. */
function historyUntil(nowMs: number): readonly HistoryEntry[] {
  const times = [
    ...steps(nowMs - 7 * DAY_MS, nowMs - DAY_MS, 10 * MINUTE_MS),
    ...steps(nowMs - DAY_MS, nowMs - 4 * HOUR_MS, MINUTE_MS),
    ...steps(nowMs - 4 * HOUR_MS, nowMs, STEP_MS),
  ];
  const samples = times.map((atMs): HistoryEntry => {
    const fair = fairAt(atMs);
    return {
      kind: "sample",
      atMs,
      markets: { "12/1": [216.94, fair, fair, fair - 0.1, fair + 0.1, 1, 2, 3] },
      equity: { "12": 100_000 },
    };
  });
  const fills = steps(nowMs - FILLS * STEP_MS, nowMs, STEP_MS).map((atMs): HistoryEntry => {
    const fill = { side: "buy", liquidity: "maker", price: 216.5, size: 0.25, fee: null, realizedPnl: null };
    return { kind: "fill", atMs, place: "12/1", fill: { atMs, ...fill, key: `seeded ${atMs}` } };
  });
  return [...samples, ...fills];
}

const steps = (fromMs: number, toMs: number, stepMs: number): readonly number[] =>
  Array.from({ length: Math.ceil((toMs - fromMs) / stepMs) }, (_, at) => fromMs + at * stepMs);

/** Keeps for each canvas what was last written on it, with places in the window. A canvas is cleared, or a color is copied over all of it. */
const LISTENS = `{
  const written = (window.written = new Map());
  const { clearRect, fillText, fillRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    written.set(this.canvas, []);
    return clearRect.apply(this, box);
  };
  CanvasRenderingContext2D.prototype.fillRect = function (...box) {
    if (this.globalCompositeOperation === "copy") written.set(this.canvas, []);
    return fillRect.apply(this, box);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const place = this.getTransform().transformPoint(new DOMPoint(x, y));
    if (!written.has(this.canvas)) written.set(this.canvas, []);
    written.get(this.canvas).push({ text, x: place.x, y: place.y });
    return fillText.call(this, text, x, y);
  };
}`;
const WRITTEN = `[...window.written].flatMap(([canvas, texts]) => {
  const { left, top } = canvas.getBoundingClientRect();
  return canvas.isConnected ? texts.map(({ text, x, y }) => ({ text, x: left + x, y: top + y })) : [];
})`;

type Written = { readonly text: string; readonly x: number; readonly y: number };

// chromium comes with the system, not with npm: .ci/run installs it, and elsewhere these are skipped.
describe.skipIf(!hasBrowser)("the dashboard's chart", () => {
  let scene: Scene;
  let daemon: Awaited<ReturnType<typeof startDaemon>>;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    scene = await startScene({
      flow: "{ enabled: true }",
    });
    const lines = historyUntil(Date.now()).map((entry) => JSON.stringify(entry));
    writeFileSync(join(scene.folder, "var/quoin.sqlite.history"), `${lines.join("\n")}\n`);
    daemon = await startDaemon(scene);
    browser = await openBrowser();
    page = await browser.context.newPage();
    // Days begin where the reader's do.
    const session = await browser.context.newCDPSession(page);
    await session.send("Emulation.setTimezoneOverride", { timezoneId: "America/New_York" });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.addInitScript(LISTENS);
    await page.goto(daemon.url);
    await page.locator("article").waitFor();
  });
  afterAll(async () => {
    await browser.close();
    await endScenes();
  });

  const choose = (range: string) => page.getByRole("button", { name: range, exact: true }).click();
  const written = async () => (await page.evaluate(WRITTEN)) as readonly Written[];

  /** The canvas without the prices at its right. */
  async function plot() {
    const box = await page.locator(".canvas").boundingBox();
    if (box === null) throw new Error("there is no canvas");
    const axis = await page.locator(".canvas td:last-child canvas").first().boundingBox();
    return { left: box.x, right: axis?.x ?? 0, top: box.y, bottom: box.y + box.height };
  }

  /** The moment that the crosshair names at this place, wall ms; null where the chart knows none. */
  async function momentAt(x: number): Promise<number | null> {
    await page.mouse.move(x, (await plot()).top + 60);
    const utc = /([\d-]+ [\d:]+) UTC/.exec(await page.locator(".moment").innerText())?.[1];
    return utc === undefined ? null : Date.parse(`${utc.replace(" ", "T")}Z`);
  }

  /** From when until when it shows. */
  async function shown(): Promise<{ readonly fromMs: number; readonly toMs: number }> {
    const { left, right } = await plot();
    const fromMs = await until("a moment at the left", () => momentAt(left + 2));
    // The last of it is ahead of the present.
    let x = right;
    const toMs = await until("a moment at the right", () => {
      x -= 4;
      return momentAt(x);
    });
    return { fromMs, toMs };
  }
  const spanMs = async () => {
    const { fromMs, toMs } = await shown();
    return toMs - fromMs;
  };

  /** Labels of the time axis, from left to right. */
  async function labels(): Promise<readonly Written[]> {
    await page.mouse.move(5, 5);
    const { bottom } = await plot();
    const all = (await written()).filter(({ text, y }) => y > bottom - 30 && /\d\d:\d\d|[A-Z][a-z]{2}/.test(text));
    return all.toSorted((a, b) => a.x - b.x);
  }

  it.each([
    ["15 m", 15 * MINUTE_MS],
    ["1 h", HOUR_MS],
    ["4 h", 4 * HOUR_MS],
    ["24 h", DAY_MS],
    ["7 d", 7 * DAY_MS],
  ])("shows %s, with labels at even distances, no two alike side by side, no day twice", async (range, wantedMs) => {
    await choose(range);
    expect((await spanMs()) / wantedMs).toBeCloseTo(1, 1);
    const found = await labels();
    const texts = found.map(({ text }) => text);
    expect(texts.length, texts.join(", ")).toBeGreaterThan(4);
    const days = texts.filter((text) => !text.includes(":"));
    expect(new Set(days).size, texts.join(", ")).toBe(days.length);
    expect(
      texts.filter((text, at) => text === texts[at + 1]),
      texts.join(", "),
    ).toEqual([]);
    const gaps = found.slice(1).map(({ x }, at) => x - (found[at]?.x ?? 0));
    expect(Math.max(...gaps) / Math.min(...gaps), texts.join(", ")).toBeLessThan(1.1);
  });

  it("labels days by the reader's clock: a day begins at midnight in New York", async () => {
    await choose("7 d");
    const first = (await labels()).find(({ text }) => !text.includes(":"));
    // A pixel is ten minutes.
    const atMs = ((await momentAt(first?.x ?? 0)) ?? 0) + 20 * MINUTE_MS;
    const text = new Intl.DateTimeFormat("en-GB", {
      timeZone: "America/New_York",
      day: "numeric",
      month: "short",
      hour: "2-digit",
      hourCycle: "h23",
    }).format(atMs);
    expect(text).toBe(`${first?.text}, 00`);
  });

  it("zooms by the wheel and by keys, pans by keys and by dragging, and goes back to now", async () => {
    await choose("1 h");
    const whole = await spanMs();
    const { left, right, top } = await plot();
    await page.mouse.move((left + right) / 2, top + 100);
    for (let turns = 0; turns < 3; turns += 1) await page.mouse.wheel(0, -100);
    await until("a shorter span", async () => (await spanMs()) < 0.9 * whole);
    const zoomed = await spanMs();
    await page.locator(".canvas").focus();
    await page.keyboard.press("+");
    await until("a span shorter again", async () => (await spanMs()) < 0.95 * zoomed);
    const closer = await spanMs();
    await page.keyboard.press("-");
    await page.keyboard.press("-");
    await until("a longer span", async () => (await spanMs()) > 1.05 * closer);
    const before = await shown();
    await page.keyboard.press("ArrowLeft");
    await until("an earlier time", async () => (await shown()).fromMs < before.fromMs - MINUTE_MS);
    const { fromMs } = await shown();
    await page.mouse.move(left + 300, top + 100);
    await page.mouse.down();
    await page.mouse.move(left + 600, top + 100, { steps: 5 });
    await page.mouse.up();
    await until("an earlier time by dragging", async () => (await shown()).fromMs < fromMs - MINUTE_MS);
    await page.locator(".canvas").focus();
    await page.keyboard.press("End");
    await until("the last hour", async () => Math.abs((await spanMs()) / whole - 1) < 0.05);
    await page.getByText("?", { exact: true }).click();
    expect(await page.locator(".help").innerText()).toMatch(/zoom\s+wheel.*\+ and −\s+pan\s+drag.*back to now\s+End/s);
    await page.getByText("?", { exact: true }).click();
  });

  it("shows the same range in a window of another size", async () => {
    await choose("1 h");
    const whole = await spanMs();
    await page.setViewportSize({ width: 820, height: 900 });
    await until("the same hour", async () => Math.abs((await spanMs()) / whole - 1) < 0.05, 5000);
    await page.setViewportSize({ width: 1440, height: 900 });
    await until("the same hour", async () => Math.abs((await spanMs()) / whole - 1) < 0.05, 5000);
  });

  it("names the values of the moment under the crosshair, in the reader's time and in UTC", async () => {
    await choose("1 h");
    const { left, right } = await plot();
    const atMs = (await momentAt(left + (right - left) / 3)) ?? 0;
    const local = new Date(atMs).toLocaleTimeString("en-GB", { timeZone: "America/New_York" });
    expect(await page.locator(".moment").innerText()).toContain(
      `${local} · ${new Date(atMs).toISOString().slice(0, 10)}`,
    );
    const legend = await page.locator(".legend").innerText();
    const near = [atMs - STEP_MS, atMs, atMs + STEP_MS].map((of) => fairAt(of).toFixed(2));
    expect(near).toContain(/fair value\s+([\d.]+)/.exec(legend)?.[1]);
    expect(legend).toMatch(/position\s+\+1\.000/);
  });

  it("merges fills that lie close, and the marker tells how many, how much and at what price", async () => {
    await choose("1 h");
    await page.mouse.move(5, 5);
    const { bottom } = await plot();
    const marks = (await written()).filter(({ text, y }) => /^\d+$/.test(text) && y < bottom - 200);
    expect(marks.length).toBeGreaterThan(5);
    expect(marks.length).toBeLessThan(FILLS / 2);
    const [mark] = marks.toSorted((a, b) => a.x - b.x).slice(2);
    const tip = page.locator(".tip");
    let y = mark?.y ?? 0;
    await until("the marker's fills", async () => {
      y -= 2;
      await page.mouse.move(mark?.x ?? 0, y);
      return (await tip.count()) > 0;
    });
    const size = (0.25 * Number(mark?.text)).toFixed(3);
    expect(await tip.innerText()).toBe(`▲ bought ${size} at 216.50 on average, in ${mark?.text} fills`);
  });

  it("shows what each fill paid and earned, though trades announce it without", async () => {
    await until("a fill", async () => Number((await page.locator(".fills tbody tr").first().innerText()) !== "") === 1);
    const newest = page.locator(".fills tbody tr").first();
    await until("its fee and its profit", async () => /−?0\.\d{4}\s+[+−]?\d+\.\d{4}$/.test(await newest.innerText()));
  });
});
