// `npm run screenshots`: the demo's dashboard after four minutes, for docs/.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { hasBrowser, openBrowser } from "./browser.ts";
import { PROJECT, quoin } from "./quoin.ts";

const SETTLED_MS = 1000;
const SHOWN_AFTER_MS = 240_000;

async function takeScreenshots(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "quoin-screenshots-"));
  const config = join(folder, "demo.yaml");
  const demo = readFileSync(join(PROJECT, "config/demo.yaml"), "utf8");
  const devnet = join(PROJECT, "config/devnet.yaml");
  writeFileSync(
    config,
    `${demo.replace(/embedded: [^\s,}]+/, `embedded: ${devnet}`).replace(/^server:.*\n/m, "")}\nserver: { port: 0 }\n`,
  );
  const daemon = quoin(["run", "--config", config]);
  const url = await daemon.seen("the daemon's address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
  const browser = await openBrowser();
  try {
    const page = await browser.context.newPage();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(url);
    await page.getByRole("button", { name: "15 m", exact: true }).click();
    await pause(SHOWN_AFTER_MS);
    await page.screenshot({ path: join(PROJECT, "docs/status-page.png") });
    await page.setViewportSize({ width: 390, height: 1400 });
    await page.emulateMedia({ colorScheme: "light" });
    // The chart takes its new size and colors.
    await pause(SETTLED_MS);
    await page.screenshot({ path: join(PROJECT, "docs/status-page-phone.png") });
  } finally {
    await browser.close();
    await daemon.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (hasBrowser) await takeScreenshots();
