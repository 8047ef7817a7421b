// A strategy is swapped under load, with a fill each second and orders in flight. What its shadow does on paper changes nothing, orders that fit
// stay, and what may come of those that rest is never more than the limits allow.

import { expect, test } from "vitest";
import { recordedIn } from "../../src/bot/recording/reader.ts";
import { replay } from "../../src/bot/service/replay/replay.ts";
import { scratchFolder } from "../support/scratch.ts";
import { type Act, START_MS, type SwapOptions, swapRun } from "../support/swap-run.ts";

const params = (more: string): string => `{ halfSpreadBps: 3, size: 0.5, stepBps: 3, maxInventory: 6, ${more} }`;
const LIVE = `strategy: fixed-spread\n        params: ${params("levels: 2")}`;
const base: Omit<SwapOptions, "seed" | "shadow" | "promoteAtMs"> = { live: LIVE, maxPosition: 6, untilMs: 40_000 };
/** Somewhere between two turns, so that orders are under way. */
const momentOf = (seed: bigint): number => 25_000 + Number((seed * 7_919n) % 5_000n);

const during = (acts: readonly Act[], fromMs: number, toMs: number) =>
  acts.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
const seeds = [1n, 2n];

test.each(seeds)(
  "seed %d: one that quotes the same takes over without a trace, and its shadow left none",
  async (seed) => {
    const run = (shadow: string | null) => swapRun({ ...base, seed, shadow, promoteAtMs: momentOf(seed) });
    const without = await run(null);
    const swapped = await run(`strategy: ./same.ts, params: ${params("levels: 2")}`);
    expect(during(without.acts, 10_000, 40_000).filter(({ what }) => what === "filled").length).toBeGreaterThan(30);
    expect(swapped.promoted).toMatchObject({ from: "fixed-spread", to: "same", canceled: 0 });
    expect(swapped.acts).toEqual(without.acts);
  },
);

test.each(seeds)(
  "seed %d: a level more is placed beside those that rest, and nothing is canceled for it",
  async (seed) => {
    const promoteAtMs = momentOf(seed);
    const shadow = `strategy: fixed-spread, params: ${params("levels: 3")}`;
    const { promoted, acts, worst, text } = await swapRun({ ...base, seed, shadow, promoteAtMs });
    expect(promoted).toMatchObject({ from: "fixed-spread", to: "fixed-spread", canceled: 0 });
    expect(during(acts, promoteAtMs, promoteAtMs + 1500).filter(({ what }) => what === "canceled")).toEqual([]);
    expect(Math.max(worst.buy, worst.sell)).toBeLessThanOrEqual(6);
    expect(text).toContain("levels: 3");
  },
);

test.each(seeds)("seed %d: whatever takes over, the worst case stays within the limits", async (seed) => {
  const shadow = "strategy: glft, params: { size: 2, levels: 3, maxInventory: 6 }";
  const { promoted, worst, bot } = await swapRun({ ...base, seed, shadow, promoteAtMs: momentOf(seed) });
  expect(promoted).toMatchObject({ from: "fixed-spread", to: "glft" });
  expect(bot.status().accounts[0]?.markets[0]?.strategy).toBe("glft");
  expect(Math.max(worst.buy, worst.sell)).toBeGreaterThan(1);
  expect(Math.max(worst.buy, worst.sell)).toBeLessThanOrEqual(6);
});

test.each(seeds)(
  "seed %d: with a stricter limit in the new file no instant exceeds the old one, and soon none the new one",
  async (seed) => {
    const promoteAtMs = momentOf(seed);
    const live = "strategy: glft\n        params: { size: 1, levels: 3, maxInventory: 2 }";
    const run = { ...base, seed, shadow: null, promoteAtMs, reloaded: { live, maxPosition: 3 } };
    const { exposures, bot } = await swapRun(run);
    expect(bot.status().accounts[0]?.markets[0]?.strategy).toBe("glft");
    expect(Math.max(...exposures.map(({ worst }) => worst))).toBeLessThanOrEqual(6);
    // An order that was under way may still land; then what exceeds it is canceled, but for what is held.
    const after = exposures.filter(({ atMs }) => atMs > promoteAtMs + 1000);
    expect(after.length).toBeGreaterThan(10);
    expect(after.filter(({ worst, held }) => worst > Math.max(3, held))).toEqual([]);
  },
);

const quotedAt = (acts: readonly Act[], fromMs: number, toMs: number): readonly string[] =>
  during(acts, fromMs, toMs).flatMap(({ what, text }) =>
    what === "placed" || what === "modified" ? [(JSON.parse(text) as { readonly price: string }).price] : [],
  );

test.each(seeds)(
  "seed %d: one whose fills are worse is rolled back, within a second the quotes are the old ones, and a recording tells all of it again",
  async (seed) => {
    const near = `strategy: fixed-spread, params: ${params("levels: 1").replace("halfSpreadBps: 3", "halfSpreadBps: 0.1")}`;
    const folder = scratchFolder("swap");
    const run = { ...base, seed, shadow: near, promoteAtMs: 60_000, untilMs: 180_000, folder };
    const { acts, bot, text, lines, worst } = await swapRun(run);
    const said = lines.map((line) => JSON.parse(line) as { event: string; time: number; msg: string });
    const back = said.find(({ event }) => event === "promotion.rolledBack");
    expect(back?.msg).toMatch(
      /rolled back to fixed-spread, .* its \d+ fills are worth \S+ bps after 10 s, below \S+ by more than 4 x/,
    );
    const atMs = (back?.time ?? 0) - START_MS;
    expect(quotedAt(acts, atMs, atMs + 1000).length).toBeGreaterThan(0);
    expect(bot.status().accounts[0]?.markets[0]).toMatchObject({ trial: null, shadow: { state: "running" } });
    expect(text).toMatch(
      /# quoin: fixed-spread, promoted \S+, was rolled back .*\n {8}shadow: \{ strategy: fixed-spread/,
    );
    expect(text).toContain(LIVE);
    expect(Math.max(worst.buy, worst.sell)).toBeLessThanOrEqual(6);
    const differences: unknown[] = [];
    const { turns } = await replay(recordedIn(folder), null, (difference) => differences.push(difference) < 1);
    expect(differences).toEqual([]);
    expect(turns).toBeGreaterThan(500);
  },
);
