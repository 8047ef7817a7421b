// The fleet's page in a real browser, as the scene of a fleet looks at it.

import { expect } from "vitest";
import { axeFaults, type Browser, openBrowser } from "../support/browser.ts";
import { until } from "../support/until.ts";

export type FleetPage = {
  /** Waits until the page's text is so. */
  readonly seen: (what: string, pattern: RegExp) => Promise<unknown>;
  readonly title: () => Promise<string>;
  /** Presses a button and fills in what it asks for, by keyboard alone. */
  readonly press: (button: string, fields: Readonly<Record<string, string>>) => Promise<void>;
  /** Waits until what the node answered is so. */
  readonly answered: (pattern: RegExp) => Promise<unknown>;
  /** Waits until an operator may press these and no others. */
  readonly offers: (...buttons: readonly string[]) => Promise<unknown>;
  readonly dismiss: () => Promise<void>;
  /** Rules of WCAG 2.1 AA and best practices that axe finds broken, in light and in the dark, and what is wider than a phone. */
  readonly faults: () => Promise<readonly string[]>;
  readonly open: (path: string) => Promise<void>;
  /** What the page's scripts threw. */
  readonly errors: readonly string[];
  readonly close: () => Promise<void>;
};

export async function openFleetPage(url: string): Promise<FleetPage> {
  const browser: Browser = await openBrowser();
  const page = await browser.context.newPage();
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  await page.goto(url);
  return {
    seen: (what, pattern) => until(what, async () => pattern.test(await page.locator("main").innerText())),
    title: () => page.title(),
    async press(name, fields) {
      await page.locator("dialog[open]").waitFor({ state: "hidden" });
      await page.getByRole("button", { name, exact: true }).press("Enter");
      for (const [field, value] of Object.entries(fields)) {
        await page.keyboard.type(value);
        expect(await page.evaluate("document.activeElement.name")).toBe(field);
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Enter");
    },
    answered: (pattern) =>
      until(`the answer ${pattern}`, async () => {
        // It stays readable here when the dialog has closed.
        const status = page.locator("dialog").getByRole("status", { includeHidden: true });
        return pattern.test((await status.textContent()) ?? "");
      }),
    offers: (...buttons) =>
      until(`the buttons ${buttons}`, async () => {
        const shown = await page.getByRole("main").getByRole("button").allInnerTexts();
        return `${shown}` === `${buttons}`;
      }),
    dismiss: () => page.keyboard.press("Escape"),
    async faults() {
      const found: string[] = [];
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        found.push(...(await axeFaults(page)));
      }
      await page.setViewportSize({ width: 390, height: 800 });
      const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
      if (width > 390) found.push(`on a phone the page is ${width} px wide`);
      return found;
    },
    async open(path) {
      await page.goto(`${url}/${path}`);
    },
    errors,
    close: () => browser.close(),
  };
}
