// A page that stays open for an hour (QUOIN_DASHBOARD_MINUTES says otherwise) grows neither itself nor the daemon, and a line a minute says
// what both hold. In a run of less than half an hour the daemon still warms up, so that only the page is judged.

import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endScenes, metricsOf, type Scene, startDaemon, startScene } from "../scenario/daemon.ts";
import { type Browser, hasBrowser, openBrowser } from "../support/browser.ts";

const MINUTES = Number(process.env.QUOIN_DASHBOARD_MINUTES ?? 60);
const MINUTE_MS = 60_000;
/** The first share of the run fills caches and history. */
const WARM_UP = 0.2;
const GROWTH_BYTES_MAX = 20 * 2 ** 20;
/** Nodes of the document that are in it no longer, as a share of those that are. */
const LEFT_MAX = 0.3;
const LIVE_NODES = `(() => {
  const all = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
  let count = 0;
  while (all.nextNode()) count += 1;
  return count;
})()`;

// chromium comes with the system, not with npm: .ci/run installs it, and elsewhere these are skipped.
describe.skipIf(!hasBrowser)("an open dashboard", () => {
  let scene: Scene;
  let daemon: Awaited<ReturnType<typeof startDaemon>>;
  let browser: Browser;
  beforeAll(async () => {
    scene = await startScene({
      flow: "{ enabled: true }",
    });
    daemon = await startDaemon(scene);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await endScenes();
  });

  it(`for ${MINUTES} minutes: less than 20 MB on either side`, { timeout: (MINUTES + 5) * MINUTE_MS }, async () => {
    const page = await browser.context.newPage();
    const session = await browser.context.newCDPSession(page);
    await session.send("Performance.enable");
    await page.goto(daemon.url);
    await page.locator("article").waitFor();
    const measure = async () => {
      // What the first finds unused may hold more.
      for (let turns = 0; turns < 2; turns += 1) await session.send("HeapProfiler.collectGarbage");
      const { metrics } = await session.send("Performance.getMetrics");
      const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
      const daemonBytes = (await metricsOf(daemon.url)).get("process_resident_memory_bytes") ?? Number.NaN;
      const liveNodes = (await page.evaluate(LIVE_NODES)) as number;
      return {
        pageBytes: of("JSHeapUsedSize"),
        nodes: of("Nodes"),
        liveNodes,
        listeners: of("JSEventListeners"),
        scriptSeconds: of("ScriptDuration"),
        daemonBytes,
      };
    };
    type Measured = Awaited<ReturnType<typeof measure>>;
    const samples: Measured[] = [];
    for (let minute = 1; minute <= MINUTES; minute += 1) {
      await pause(MINUTE_MS);
      const sample = await measure();
      samples.push(sample);
      console.log(JSON.stringify({ minute, ...sample }));
    }
    const later = samples.slice(Math.floor(samples.length * WARM_UP));
    const grown = (of: keyof Measured) => (later.at(-1)?.[of] ?? 0) - (later[0]?.[of] ?? 0);
    expect(grown("pageBytes")).toBeLessThan(GROWTH_BYTES_MAX);
    expect(grown("listeners")).toBe(0);
    const left = later.slice(later.length >> 1).map(({ nodes, liveNodes }) => nodes / liveNodes - 1);
    expect(Math.min(...left), "of nodes that left the document").toBeLessThan(LEFT_MAX);
    // Resident memory is a sawtooth of the collector: its peaks count.
    const half = samples.length >> 1;
    const peakOf = (some: readonly Measured[]) => Math.max(...some.map(({ daemonBytes }) => daemonBytes));
    const daemonGrown = peakOf(samples.slice(half)) - peakOf(samples.slice(0, half));
    if (MINUTES >= 30) expect(daemonGrown).toBeLessThan(GROWTH_BYTES_MAX);
    expect(await page.title()).toMatch(/^Quoin/);
    expect(await page.title()).not.toContain("stale");
  });
});
