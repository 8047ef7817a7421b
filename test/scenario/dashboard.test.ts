// The dashboard in a real browser: it loads, moves, survives the daemon's restart, halts with the token and not without it.

import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, hasBrowser, openBrowser } from "../support/browser.ts";
import { quoinDone } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { removeScene, type Scene, startDaemon, startScene } from "./daemon.ts";
import { configBeside, stateOf } from "./operator.ts";

const SHOTS = join(tmpdir(), "quoin-dashboard");

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];

/** Rules that the page breaks, each with the element and why. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(RULES)} })`)) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(" ")}: ${failureSummary}`),
  );
}

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
    scene = await startScene({ oracle: "{ source: fixed, price: 216.94, validForSecs: 86400 }" });
    daemon = await startDaemon(scene);
    config = configBeside(scene, daemon.url);
    browser = await openBrowser();
    page = await browser.context.newPage();
    page.on("pageerror", ({ message }) => errors.push(message));
  });
  afterAll(async () => {
    await browser.close();
    await daemon.process.end();
    await scene.devnet.end();
    removeScene(scene);
  });

  const text = (selector: string) => page.locator(selector).first().innerText();
  const seen = (what: string, pattern: RegExp, selector = "main") =>
    until(what, async () => pattern.test(await text(selector)));

  it("loads with a snapshot within a second or two of a loaded machine, and counts on", async () => {
    await page.goto(daemon.url);
    await page.locator("article").waitFor();
    await seen("two orders a side in the book", /●/);
    expect(await page.title()).toBe("Quoin");
    const before = await text("header");
    await until("an update", async () => (await text("header")) !== before);
    await page.screenshot({ path: join(SHOTS, "light.png"), fullPage: true });
  });

  it("a selection survives updates", async () => {
    await page.locator("article h2").selectText();
    const selected = () => page.evaluate("String(getSelection())");
    const before = await selected();
    const header = await text("header");
    await until("an update", async () => (await text("header")) !== header);
    expect([before !== "", await selected()]).toEqual([true, before]);
  });

  it("is readable on a phone and in the dark: nothing is wider than the screen", async () => {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.screenshot({ path: join(SHOTS, "phone-dark.png"), fullPage: true });
    await page.setViewportSize({ width: 1180, height: 1400 });
  });

  it("every button has a name and is reached by keyboard", async () => {
    const names = await page
      .locator("main button")
      .evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label") ?? button.textContent));
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => name === "")).toEqual([]);
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
    await page.getByRole("button", { name: "Confirm" }).click();
  }

  it("refuses without the right token, and nothing is halted", async () => {
    await act("Pause", { reason: "a drill", token: "a-wrong-token" });
    await seen("the refusal", /the token is wrong/, "#ask-answer");
    expect(await stateOf(daemon.url)).toBe("active");
    await page.keyboard.press("Escape");
  });

  it("halts with token and reason, shows both, and resumes", async () => {
    const token = (await quoinDone(["token", "--config", config])).stdout.trim();
    await act("Pause", { reason: "a drill of the page", token });
    await seen("the halt", /operator \(market 1\): a drill of the page/);
    expect(await stateOf(daemon.url)).toBe("halted");
    await page.locator("dialog[open]").waitFor({ state: "hidden" });
    await page.screenshot({ path: join(SHOTS, "halted.png"), fullPage: true });
    await act("Resume", { reason: "the drill is over" });
    await until("quotes", async () => (await stateOf(daemon.url)) === "active");
    await page.locator("dialog[open]").waitFor({ state: "hidden" });
  });

  // With a note in the log.
  it.each(["light", "dark"] as const)(
    "breaks no rule of WCAG 2.1 AA that axe can check, contrast among them: %s",
    async (scheme) => {
      await page.emulateMedia({ colorScheme: scheme });
      expect(await faultsOf(page)).toEqual([]);
    },
  );

  it("sets a parameter within its bounds; a raised limit is refused in words", async () => {
    await act("change half spread bps", { value: "4", reason: "wider" });
    await seen("the new value", /half spread bps\s+4/);
    await page.locator("dialog[open]").waitFor({ state: "hidden" });
    await page.locator("summary").click();
    await act("change max position", { value: "21", reason: "more" });
    await seen("the refusal", /you can only tighten limits here/, "#ask-answer");
    await page.keyboard.press("Escape");
  });

  it("while the daemon is away it says so and greys; when it is back the history is still there", async () => {
    await seen("a note of the drill", /a drill of the page/, ".log");
    await daemon.process.end();
    await until("the title", async () => (await page.title()) === "Quoin: stale");
    expect(await page.locator("main.outdated").count()).toBe(1);
    daemon = await startDaemon({ ...scene, botConfig: config });
    await until("the title", async () => (await page.title()) === "Quoin");
    await seen("the old note", /a drill of the page/, ".log");
    expect(errors).toEqual([]);
  });
});
