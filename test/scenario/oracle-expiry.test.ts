// A daemon at a devnet whose prints expire before the next one comes: it quotes while it may, pulls its quotes
// while it may not, is filled on both sides, and leaves nothing behind.

import { afterEach, describe, expect, it } from "vitest";
import { until } from "../support/until.ts";
import { endScenes, metricsOf, openOrdersOf, startDaemon, startScene } from "./daemon.ts";

afterEach(endScenes);

/** On a loaded machine the test may look too seldom between two prints to have seen the quotes go; then it judges nothing. */
const LOOKS_MIN = 5;
const at = (name: string, labels: string) => `${name}{account="12",market="1",${labels}}`;
const gate = (name: string) => at("quoin_gate_open", `gate="${name}"`);
const fills = (side: string) => at("quoin_fills_total", `side="${side}",liquidity="maker"`);

async function isOpen(url: string): Promise<boolean> {
  const metrics = await metricsOf(url);
  return metrics.get(gate("oracleExpiry")) === 1 && metrics.get(gate("oracleStatus")) === 1;
}

const hasFills = async (url: string, side: string) => ((await metricsOf(url)).get(fills(side)) ?? 0) > 0;

describe("prints that expire after a second, the next one a second and a half later", () => {
  it("closes and opens, is filled on both sides, and rests nothing after SIGTERM", async () => {
    const scene = await startScene({
      oracle: "{ source: synthetic, price: 216.94, printEverySecs: 2.5, validForSecs: 1 }",
      flow: "{ enabled: true, noiseTakersPerSec: 8, informedShare: 0.05, makers: 1, takerSize: 0.5 }",
    });
    const { validatorUrl } = scene;
    const { process, url } = await startDaemon(scene);
    const seen = { opened: 0, closed: 0, outlived: 0 };
    let wasOpen: boolean | undefined;
    let looks = 0;
    let cleared = true;
    await until("four prints that open and expire, and fills on both sides", async () => {
      const before = await isOpen(url);
      // What only reduces may stay while a print is stale (S7); what adds must be gone at some time before the next print.
      const adding = (await openOrdersOf(validatorUrl)).filter(({ reduceOnly }) => !reduceOnly);
      const open = await isOpen(url);
      if (open !== wasOpen) {
        seen[open ? "opened" : "closed"] += 1;
        if (open && !cleared && looks >= LOOKS_MIN) seen.outlived += 1;
        looks = 0;
        cleared = open;
      }
      if (!before && !open) {
        looks += 1;
        cleared ||= adding.length === 0;
      }
      wasOpen = open;
      return seen.opened >= 4 && seen.closed >= 4 && (await hasFills(url, "buy")) && (await hasFills(url, "sell"));
    });
    expect(seen.outlived, "quotes that outlived their print").toBe(0);
    expect(await process.end("SIGTERM")).toBe(0);
    expect(await openOrdersOf(validatorUrl)).toEqual([]);
  });
});
