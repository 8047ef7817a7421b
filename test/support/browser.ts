// Debian's chromium, driven by playwright-core, where the machine has one.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe, { type AxeResults } from "axe-core";
import { type BrowserContext, chromium, type Page } from "playwright-core";

const executable = process.env.QUOIN_CHROMIUM ?? "/usr/bin/chromium";

export const hasBrowser = existsSync(executable);
if (!hasBrowser)
  console.warn(`skipped: there is no browser at ${executable}; apt-get install chromium, or set QUOIN_CHROMIUM`);

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export type Browser = { readonly context: BrowserContext; readonly close: () => Promise<void> };

/** A browser with an empty profile that ends with it. `flags`: of its command line. */
export async function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), "quoin-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: executable,
    headless: true,
    args: [...FLAGS, ...flags],
    viewport: { width: 1180, height: 1400 },
  });
  return {
    context,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];

/** Rules of WCAG 2.1 AA and best practices that the page breaks, each with the element and why. */
export async function axeFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(RULES)} })`)) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(" ")}: ${failureSummary}`),
  );
}
