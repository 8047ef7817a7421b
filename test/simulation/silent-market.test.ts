// One market's book falls silent while the connection lives: it closes that market alone and says so, costs the account one pause, and leaves
// it the budget to come back with.

import { describe, expect, test } from "vitest";
import { type Silence, silentWorld } from "./silent-world.ts";

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
const SILENT_MS = 75_000;
/** A side on which an order may only reduce the position quotes less than wanted. */
const SILENT = /^account 12, METRO-HPI, .*: (?:not quoting|quoting less than wanted) because the book .* \(book\)$/;

async function quoting(of: Parameters<typeof silentWorld>[0]) {
  const silent = await silentWorld(of);
  silent.world.daemon.boot();
  await silent.until("quotes", () => silent.isTwoSided(1) && silent.isTwoSided(2), 30_000);
  await silent.world.clock.advance(10_000);
  return silent;
}

describe.each<Silence>(["all", "updates"])("the book of one market falls silent, %s of it", (how) => {
  test.each(SEEDS)("seed %i: the other market goes on, and both quote within 40 s of the end", async (seed) => {
    const silent = await quoting({ seed });
    const before = { resyncs: silent.has("resync.began"), used: silent.used() };
    silent.silence([2], how);
    const said: (readonly string[])[] = [];
    const share = await silent.twoSided(1, SILENT_MS, () => said.push(silent.readiness().reasons));
    expect(share).toBeGreaterThanOrEqual(0.97);
    expect(silent.has("resync.began") - before.resyncs).toBeLessThanOrEqual(4);
    expect(silent.used() - before.used, "a night of it does not use up the budget").toBeLessThan(SILENT_MS / 1000);
    const closed = said.filter((reasons) => reasons.length > 0);
    expect(closed.length).toBeGreaterThan(20);
    expect(closed.flat().filter((reason) => !SILENT.test(reason))).toEqual([]);
    silent.silence([]);
    await silent.until("quotes", () => silent.isTwoSided(1) && silent.isTwoSided(2), 40_000);
    await silent.until("readiness", () => silent.readiness().status === 200, 5000);
  });
});

test("a long silence: the account pauses once in five minutes at most, and the budget is left alone", async () => {
  const silent = await quoting({ seed: 3 });
  silent.silence([2], "all");
  const resyncs = silent.has("resync.began");
  expect(await silent.twoSided(1, 620_000)).toBeGreaterThanOrEqual(0.97);
  expect(silent.has("resync.began") - resyncs).toBeLessThanOrEqual(3);
  expect(silent.readiness().reasons).toEqual([expect.stringMatching(SILENT)]);
  silent.silence([]);
  await silent.until("quotes", () => silent.isTwoSided(1) && silent.isTwoSided(2), 40_000);
}, 60_000);

test("the books of all markets fall silent: the account pauses once, not once a market", async () => {
  const silent = await quoting({ seed: 2 });
  const resyncs = silent.has("resync.began");
  silent.silence([1, 2]);
  await silent.twoSided(1, SILENT_MS);
  expect(silent.readiness().reasons).toHaveLength(2);
  expect(silent.has("resync.began") - resyncs).toBe(1);
  silent.silence([]);
  await silent.until("quotes", () => silent.isTwoSided(1) && silent.isTwoSided(2), 40_000);
});

test("a budget that is down to its reserve is a reason of its own, and what is kept of it brings the quotes back", async () => {
  const silent = await quoting({ seed: 1, actionBudget: 40 });
  const isShort = (): boolean => silent.readiness().reasons.some((reason) => reason.endsWith("(budget)"));
  await silent.until("the reason", isShort, 60_000);
  const { status, reasons } = silent.readiness();
  expect(status).toBe(503);
  expect(reasons.join()).toMatch(
    /not quoting because the request budget is nearly used: \d+ left, of which \d+ are kept/,
  );
  await silent.until("quotes", () => silent.isTwoSided(1) && silent.isTwoSided(2) && !isShort(), 60_000);
  await silent.world.clock.advance(5000);
  expect(silent.has("quoting.lacks")).toBeGreaterThan(0);
  expect(silent.lines.join("\n")).toMatch(/USA-HPI: .*not quoting because the request budget is nearly used/);
  const seconds = /quoin_not_quoting_seconds_total\{account="12",market="1",side="\w+",reason="budget"\} [\d.]+/;
  silent.world.daemon.ask("GET /metrics");
  expect(silent.world.daemon.metrics?.notQuoting.text()).toMatch(seconds);
});
