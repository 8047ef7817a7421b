// `npm run screenshots`: the demo's dashboard after four minutes, and the sample report, for docs/. `node test/support/screenshots.ts FOLDER SECONDS` says otherwise.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { hasBrowser, openBrowser } from "./browser.ts";
import { PROJECT, quoinProcess } from "./quoin.ts";

const SETTLED_MS = 1000;
const [folder = join(PROJECT, "docs"), seconds = "240"] = process.argv.slice(2);

async function takeScreenshots(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "quoin-screenshots-"));
  const config = join(scratch, "demo.yaml");
  const demo = readFileSync(join(PROJECT, "config/demo.yaml"), "utf8");
  const devnet = join(PROJECT, "config/devnet.yaml");
  writeFileSync(
    config,
    `${demo.replace(/embedded: [^\s,}]+/, `embedded: ${devnet}`).replace(/^server:.*\n/m, "")}\nserver: { port: 0 }\n`,
  );
  const daemon = quoinProcess(["run", "--config", config]);
  const url = await daemon.seen("the daemon's address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
  const browser = await openBrowser();
  try {
    const page = await browser.context.newPage();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(pathToFileURL(join(PROJECT, "docs/sample-report.html")).href);
    await page.screenshot({ path: join(folder, "sample-report.png") });
    await page.goto(url);
    await page.getByRole("button", { name: "15 m", exact: true }).click();
    await pause(1000 * Number(seconds));
    await page.screenshot({ path: join(folder, "status-page.png") });
    await page.setViewportSize({ width: 390, height: 1400 });
    await page.emulateMedia({ colorScheme: "light" });
    // The chart takes its new size and colors.
    await pause(SETTLED_MS);
    await page.screenshot({ path: join(folder, "status-page-phone.png") });
  } finally {
    await browser.close();
    await daemon.end();
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (hasBrowser) await takeScreenshots();
