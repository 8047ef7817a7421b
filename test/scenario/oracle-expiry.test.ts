// Twenty seconds of a daemon at a devnet whose prints expire before the next one comes: it quotes while it may, pulls its quotes
// while it may not, is filled on both sides, and leaves nothing behind.

import { afterEach, describe, expect, it } from "vitest";
import { endAll } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { metricsOf, openOrdersOf, removeScene, type Scene, startDaemon, startScene } from "./daemon.ts";

let scene: Scene | undefined;

afterEach(async () => {
  await endAll();
  if (scene !== undefined) removeScene(scene);
});

const SPAN_MS = 20_000;
const at = (name: string, labels: string) => `${name}{account="12",market="1",${labels}}`;
const gate = (name: string) => at("quoin_gate_open", `gate="${name}"`);
const fills = (side: string) => at("quoin_fills_total", `side="${side}",liquidity="maker"`);

async function isOpen(url: string): Promise<boolean> {
  const metrics = await metricsOf(url);
  return metrics.get(gate("oracleExpiry")) === 1 && metrics.get(gate("oracleStatus")) === 1;
}

describe("prints that expire after a second, the next one a second and a half later", () => {
  it("closes and opens, is filled on both sides, and rests nothing after SIGTERM", async () => {
    scene = await startScene({
      oracle: "{ source: synthetic, price: 216.94, printEverySecs: 2.5, validForSecs: 1 }",
      flow: "{ enabled: true, noiseTakersPerSec: 8, informedShare: 0.05, makers: 1, takerSize: 0.5 }",
    });
    const { validatorUrl } = scene;
    const { process, url } = await startDaemon(scene);
    const seen = { opened: 0, closed: 0, neverCleared: 0 };
    let wasOpen: boolean | undefined;
    let cleared = true;
    const endMs = performance.now() + SPAN_MS;
    await until(
      "twenty seconds of trading",
      async () => {
        const before = await isOpen(url);
        // What only reduces may stay while a print is stale (S7); what adds must be gone at some time before the next print.
        const adding = (await openOrdersOf(validatorUrl)).filter(({ reduceOnly }) => !reduceOnly);
        const open = await isOpen(url);
        if (!before && !open && adding.length === 0) cleared = true;
        if (open !== wasOpen) {
          seen[open ? "opened" : "closed"] += 1;
          if (open && !cleared) seen.neverCleared += 1;
          if (!open) cleared = adding.length === 0;
        }
        wasOpen = open;
        return performance.now() >= endMs;
      },
      SPAN_MS + 10_000,
    );
    const metrics = await metricsOf(url);
    expect(seen.opened, "gates opened").toBeGreaterThanOrEqual(4);
    expect(seen.closed, "gates closed").toBeGreaterThanOrEqual(4);
    expect(seen.neverCleared, "quotes that outlived their print").toBe(0);
    expect(metrics.get(fills("buy")), "fills of our bids").toBeGreaterThan(0);
    expect(metrics.get(fills("sell")), "fills of our asks").toBeGreaterThan(0);
    expect(await process.end("SIGTERM")).toBe(0);
    expect(await openOrdersOf(validatorUrl)).toEqual([]);
  });
});
