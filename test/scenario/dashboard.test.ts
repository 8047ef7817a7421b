// The dashboard in a real browser: it loads, moves, survives the daemon's restart, halts with the token and not without it.

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFaults, type Browser, hasBrowser, openBrowser } from "../support/browser.ts";
import { PROJECT, quoinDone } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { endScenes, type Scene, startDaemon, startScene } from "./daemon.ts";
import { configBeside, stateOf } from "./operator.ts";

const SHOTS = join(tmpdir(), "quoin-dashboard");

// chromium comes with the system, not with npm: .ci/run installs it, and elsewhere these are skipped.
describe.skipIf(!hasBrowser)("the dashboard", () => {
  let scene: Scene;
  let daemon: Awaited<ReturnType<typeof startDaemon>>;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];
  /** A port that a restart takes again: the page stays at its address. */
  let config: string;

  beforeAll(async () => {
    mkdirSync(SHOTS, { recursive: true });
    scene = await startScene();
    daemon = await startDaemon(scene);
    config = configBeside(scene, daemon.url);
    browser = await openBrowser();
    page = await browser.context.newPage();
    page.on("pageerror", ({ message }) => errors.push(message));
  });
  afterAll(async () => {
    await browser.close();
    await endScenes();
  });

  const icon = () => page.locator("link[rel=icon]").getAttribute("href");
  const text = (selector: string) => page.locator(selector).first().innerText();
  const seen = (what: string, pattern: RegExp, selector = "main") =>
    until(what, async () => pattern.test(await text(selector)));

  it("loads with a snapshot within a second or two of a loaded machine, and counts on", async () => {
    await page.goto(daemon.url);
    await page.locator("article").waitFor();
    await seen("two orders a side in the book", /●/);
    await until("the title", async () => (await page.title()) === "Quoin: ready, DEVNET");
    expect(await icon()).toBe("icon.svg");
    const before = await text("header");
    await until("an update", async () => (await text("header")) !== before);
    const sizes = await page.evaluate(
      "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map((of) => of.encodedBodySize)",
    );
    const bytes = (sizes as readonly number[]).reduce((sum, size) => sum + size, 0);
    expect(bytes, "of compressed script").toBeGreaterThan(50_000);
    expect(bytes, "of compressed script").toBeLessThan(150_000);
  });

  it("answers in the first fold what it is, whether it is real money, what it earns, and whether it quotes", async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await text(".badge")).toBe("DEVNET");
    const glance = (name: string) => page.getByRole("region", { name, exact: true }).innerText();
    expect(await glance("The account at a glance")).toMatch(
      /^Account 12\s+Equity.*PnL today at mid.*at print [^A-Z]*$/s,
    );
    expect(await glance("The market at a glance")).toMatch(
      /^USA-HPI\s+Position.*worst.*of ±20.*quoted.*Open orders\s+4 of 20.*Next print/s,
    );
    await seen("a sentence for the market", /quotes both sides/, "nav");
    const chart = await page.locator(".canvas").boundingBox();
    expect((chart?.y ?? 900) + (chart?.height ?? 0), "the chart's end").toBeLessThanOrEqual(900);
  });

  it("tells what the chart shows where it is not seen, and changes its range", async () => {
    const label = () => page.locator(".canvas").getAttribute("aria-label");
    expect(await label()).toMatch(
      /fair value 21\d\.\d\d, mid 21\d\.\d\d, oracle 216\.94, our quotes 21\d\.\d\d \/ 21\d\.\d\d/,
    );
    expect(await page.locator(".canvas canvas").count()).toBeGreaterThan(3);
    for (const range of ["15 m", "7 d", "1 h"]) {
      await page.getByRole("button", { name: range, exact: true }).click();
      expect(await page.locator(".ranges button[aria-pressed=true]").first().innerText()).toBe(range);
    }
    const box = await page.locator(".canvas").boundingBox();
    let left = (box?.x ?? 0) + (box?.width ?? 0) - 60;
    await until("both clocks of a moment that the chart knows", async () => {
      left -= 8;
      await page.mouse.move(left, (box?.y ?? 0) + 60);
      return /UTC/.test(await text(".moment"));
    });
    await page.mouse.move(5, 5);
    await seen("the present", /^now/, ".moment");
  });

  it.each([
    ["on a phone, every market's", 360, ".says"],
    ["on a desk, the chosen market's", 1440, '[aria-pressed="true"] .says'],
  ])("a long sentence is whole %s", async (_, width, selector) => {
    await page.setViewportSize({ width, height: 900 });
    const isWhole = await page.evaluate(`(() => {
      const says = document.querySelector(\`nav ${selector}\`);
      const kept = says.firstChild.data;
      says.firstChild.data = "bids 1 half-spread further away ".repeat(20);
      const isWhole = says.scrollHeight <= says.clientHeight;
      says.firstChild.data = kept;
      return isWhole;
    })()`);
    expect(isWhole).toBe(true);
  });

  it("shows no word of others that hides or turns the reading direction around", async () => {
    const shown =
      await page.evaluate(`Promise.all([import("/html.js"), import("/lib/preact.js")]).then(([{ html }, { render }]) => {
      const box = document.createElement("div");
      render(html\`<p title=\${"t\\u202e"}>\${"x\\u202ey"}<b>\${["\\u200b", "<i>"]}</b></p>\`, box);
      return box.innerHTML;
    })`);
    expect(shown).toBe('<p title="t\\u202e">x\\u202ey<b>\\u200b&lt;i&gt;</b></p>');
  });

  it("a selection survives updates", async () => {
    await page.locator("article h2").selectText();
    const selected = () => page.evaluate("String(getSelection())");
    const before = await selected();
    const header = await text("header");
    await until("an update", async () => (await text("header")) !== header);
    expect([before !== "", await selected()]).toEqual([true, before]);
  });

  it.each([
    [390, 800],
    [820, 1180],
    [1440, 900],
  ])("is readable in both themes on a screen of %i pixels: nothing is wider", async (width, height) => {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      await page.screenshot({ path: join(SHOTS, `${width}-${colorScheme}.png`), fullPage: true });
    }
  });

  it("every button has a name and is reached by keyboard", async () => {
    const names = await page
      .locator("main button")
      .evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label") ?? button.textContent));
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => name === "")).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.locator("h1").click();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Halt everything");
  });

  it("works out what would be lost when it is asked to: what `quoin risk` prints", async () => {
    const card = page.getByRole("region", { name: "What would be lost" });
    expect(await card.innerText()).not.toContain("deviation");
    await card.getByRole("button", { name: "Work it out" }).click();
    await until("the scenarios", async () => (await card.innerText()).includes("print of −8 deviations"));
    const { stdout } = await quoinDone(["risk", "--config", config]);
    const told = /in 99 of 100 cases .* at most ([\d.]+) USDC/.exec(stdout)?.[1];
    const shown = await card.innerText();
    expect(shown).toContain(`loses at most ${told} USDC`);
    const gaps = [...stdout.matchAll(/print of -(\d) deviations? +([\d.]+)/g)];
    expect(gaps.length).toBe(3);
    for (const [, deviations, loss] of gaps)
      expect(shown).toMatch(new RegExp(`print of −${deviations} deviations?\\s+${loss}\\s`));
    const header = await text("header");
    await until("an update", async () => (await text("header")) !== header);
    expect(await card.innerText(), "and it stays").toContain("print of −8 deviations");
    await card.screenshot({ path: join(SHOTS, "risk.png") });
  });

  async function act(button: string, fields: Readonly<Record<string, string>>): Promise<void> {
    await page.getByRole("button", { name: button, exact: true }).first().click();
    for (const [name, value] of Object.entries(fields)) await page.locator(`dialog input[name=${name}]`).fill(value);
    await page.locator("dialog button[type=submit]").click();
  }

  it("refuses without the right token, and nothing is halted", async () => {
    await act("Halt", { reason: "a drill", token: "a-wrong-token" });
    await seen("the refusal", /the token is wrong/, "#ask-answer");
    expect(await stateOf(daemon.url)).toBe("active");
    await page.keyboard.press("Escape");
  });

  it("halts with token and reason, shows both, and resumes", async () => {
    await page.getByRole("button", { name: "Halt", exact: true }).click();
    const command = await page.locator("dialog code").innerText();
    expect(command).toBe(`npx quoin token --config ${scene.botConfig}`);
    const token = (await quoinDone(command.split(" ").slice(2))).stdout.trim();
    await page.keyboard.press("Escape");
    await act("Halt", { reason: "a drill of the page", token });
    await until("the title", async () => (await page.title()) === "Quoin: halted, DEVNET");
    expect(await icon()).toBe("icon-alarm.svg");
    expect((await fetch(`${daemon.url}/icon-alarm.svg`)).status).toBe(200);
    await seen("the halt", /operator \(market 1\): a drill of the page/);
    expect(await stateOf(daemon.url)).toBe("halted");
    await page.locator("dialog[open]").waitFor({ state: "hidden" });
    await page.screenshot({ path: join(SHOTS, "halted.png"), fullPage: true });
    await act("Resume", { reason: "the drill is over" });
    await until("quotes", async () => (await stateOf(daemon.url)) === "active");
    await page.locator("dialog[open]").waitFor({ state: "hidden" });
  });

  it("the tab keeps the token over a reload", async () => {
    await page.reload();
    await page.locator("article").waitFor();
    await page.getByRole("button", { name: "Halt everything" }).click();
    await page.locator("dialog[open]").waitFor();
    expect(await page.locator("dialog input[name=token]").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.locator("dialog[open]").waitFor({ state: "hidden" });
  });

  it("halts everything without a reason; a market's Resume says that it lifts nothing alone, and lifts the account's halt", async () => {
    await act("Halt everything", {});
    await seen("the halt", /operator: no reason given/, ".banner");
    await page.locator("dialog[open]").waitFor({ state: "hidden" });
    const looks = (name: string) =>
      page
        .getByRole("button", { name, exact: true })
        .first()
        .evaluate((button) => button.className);
    expect([await looks("Resume everything"), await looks("Resume")], "they stand out").toEqual(["main", "main"]);
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    expect(await text("#ask-words")).toMatch(/a resume of USA-HPI alone would lift nothing/);
    await page.locator("dialog input[name=reason]").fill("on");
    await page.keyboard.press("Enter");
    await until("quotes", async () => (await stateOf(daemon.url)) === "active");
    await page.locator("dialog[open]").waitFor({ state: "hidden" });
    await until("no Resume", async () => (await page.getByRole("button", { name: /^Resume/ }).count()) === 0);
  });

  it("cancels the one order that its button names, by keyboard, while rows come and go", async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const button = page.getByRole("button", { name: /^cancel the bid/ }).first();
    const order = (await button.getAttribute("data-order")) ?? "";
    await button.focus();
    const header = await text("header");
    await until("an update", async () => (await text("header")) !== header);
    expect(await page.evaluate("document.activeElement.dataset.order"), "the focus stays").toBe(order);
    await page.keyboard.press("Enter");
    expect(await text("#ask-words")).toMatch(
      new RegExp(
        `^Cancel the bid 0\\.\\d+ at 21\\d\\.\\d+ of USA-HPI \\(order ${order}\\)\\. The strategy may place another one`,
      ),
    );
    await page.screenshot({ path: join(SHOTS, "cancel.png") });
    await page.locator("dialog button[type=submit]").press("Enter");
    await seen("the answer", /Done/, "#ask-answer");
    await page.locator("dialog[open]").waitFor({ state: "hidden" });
    await until("the order gone", async () => (await page.locator(`button[data-order="${order}"]`).count()) === 0);
    await until("another one", async () => (await page.getByRole("button", { name: /^cancel the bid/ }).count()) === 2);
  });

  it("a menu closes at Escape, which gives the focus back, and when a click or the focus goes elsewhere", async () => {
    const menu = page.locator(".top details.menu");
    const summary = menu.locator("summary");
    const isOpen = () => menu.evaluate((element) => element.hasAttribute("open"));
    const opens = async () => {
      await summary.press("Enter");
      expect(await isOpen()).toBe(true);
    };
    await opens();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Flatten");
    expect(await isOpen(), "while the focus is in it").toBe(true);
    await page.keyboard.press("Escape");
    expect([await isOpen(), await page.evaluate("document.activeElement.textContent")]).toEqual([false, "More"]);
    await opens();
    await page.locator("h1").click();
    expect(await isOpen(), "after a click elsewhere").toBe(false);
    await opens();
    await page.keyboard.press("Shift+Tab");
    expect(await isOpen(), "after the focus left").toBe(false);
  });

  // With a note in the log.
  it.each(["light", "dark"] as const)(
    "breaks no rule of WCAG 2.1 AA or best practice that axe can check, contrast among them: %s",
    async (scheme) => {
      await page.emulateMedia({ colorScheme: scheme });
      expect(await axeFaults(page)).toEqual([]);
    },
  );

  it("sets a parameter within its bounds, after a look at what that would do; a raised limit is refused in words", async () => {
    await seen("what it means", /half spread bps\s*Distance of the first level from the center/, ".settings");
    await page.getByRole("button", { name: "change half spread bps" }).click();
    await page.locator("dialog input[name=value]").fill("4");
    await page.getByRole("button", { name: "Preview", exact: true }).click();
    await seen(
      "what it would do",
      /Market 1 of account 12 \(.*halfSpreadBps 2 -> 4\) would keep \d orders, cancel \d, modify \d, place \d; worst case −?-?\d/,
      "dialog",
    );
    await page.keyboard.press("Escape");
    await act("change half spread bps", { value: "4", reason: "wider" });
    const changed = page.getByRole("button", { name: "change half spread bps" });
    await until("the new value", async () => (await changed.getAttribute("data-value")) === "4");
    await page.locator("dialog[open]").waitFor({ state: "hidden" });
    await page.getByText("Limits (you can only tighten them here)").click();
    expect(await page.getByRole("button", { name: "tighten min maintenance ratio" }).innerText()).toBe("tighten ↑");
    await act("tighten max position", { value: "21", reason: "more" });
    await seen("the refusal", /you can only tighten limits here/, "#ask-answer");
    await page.keyboard.press("Escape");
  });

  it("tightens a limit of the whole account, where there was none, and loosens none", async () => {
    const account = page.getByRole("region", { name: "account 12", exact: true });
    await account.getByText("Limits over all markets (you can only tighten them here)").click();
    const maxLoss = account.getByRole("button", { name: "tighten max loss" });
    expect(await maxLoss.innerText()).toBe("tighten ↓");
    expect(await account.innerText()).toMatch(/max loss\s*USDC since the start of the day over all markets.*\s+none/);
    const ask = async (value: string) => {
      await maxLoss.click();
      expect(await text("#ask-words")).toMatch(/^Tighten max loss of account 12, which is (none|400)\.$/);
      await page.locator("dialog input[name=value]").fill(value);
    };
    await ask("400");
    await page.getByRole("button", { name: "Preview", exact: true }).click();
    await seen(
      "what it would do",
      /Market 1 of account 12 would keep \d orders.*\s+account 12: maxLoss unset -> 400/,
      "dialog",
    );
    await page.locator("dialog input[name=reason]").fill("a quiet week");
    await page.locator("dialog button[type=submit]").click();
    await until("the new limit", async () => (await maxLoss.getAttribute("data-value")) === "400");
    await page.locator("dialog[open]").waitFor({ state: "hidden" });
    await ask("500");
    await page.locator("dialog input[name=reason]").fill("more");
    await page.locator("dialog button[type=submit]").click();
    await seen("the refusal", /maxLoss.* you can only tighten limits here/, "#ask-answer");
    await page.keyboard.press("Escape");
  });

  it("says in what the saved file differs from what runs, and previews it", async () => {
    const notice =
      /The saved file differs from what runs: .*halfSpreadBps was set to 4 by an operator; the file does not have it/;
    await seen("what an operator set", notice, "main");
    const saved = readFileSync(scene.botConfig, "utf8");
    writeFileSync(scene.botConfig, saved.replace(/maxPosition: \d+/, "maxPosition: 40"));
    await seen("what waits", /maxPosition of market 1 unchanged: a looser limit waits for SIGHUP/, "main");
    await page.getByRole("button", { name: "Preview the saved file" }).click();
    expect(await page.locator("dialog input[name=reason]").count()).toBe(0);
    await page.locator("dialog button[type=submit]").click();
    await seen(
      "what it would do",
      /Market 1 of account 12 \(.*maxPosition 20 -> 40, waits for SIGHUP.*\) would keep \d orders/,
      "dialog",
    );
    await page.keyboard.press("Escape");
    writeFileSync(scene.botConfig, saved.replace(/halfSpreadBps: \d+/, "halfSpreadBps: wide"));
    await seen(
      "that it is wrong",
      /differs from what runs: the configuration is wrong, the running one stays: .*halfSpreadBps/,
      "main",
    );
    writeFileSync(scene.botConfig, saved);
    await seen(
      "what waits still",
      /differs from what runs: maxLoss, maxDrawdown of account 12 unchanged: a looser limit waits for SIGHUP/,
      "main",
    );
  });

  it("while the daemon is away it says so and greys; when it is back the history is still there", async () => {
    await seen("a note of the drill", /a drill of the page/, ".log");
    await daemon.process.end();
    await until("the title", async () => (await page.title()) === "Quoin: stale");
    expect(await page.locator("main.outdated").count()).toBe(1);
    daemon = await startDaemon({ ...scene, botConfig: config });
    await until("the title", async () => /^Quoin: (ready|not ready), DEVNET$/.test(await page.title()));
    await seen("the old note", /a drill of the page/, ".log");
    expect(errors).toEqual([]);
  });

  it("`npm run screenshots` takes its pictures of the demo and ends", async () => {
    const run = promisify(execFile)(process.execPath, [join(PROJECT, "test/support/screenshots.ts"), SHOTS, "0"]);
    await run;
    expect(run.child.exitCode).toBe(0);
  });
});
