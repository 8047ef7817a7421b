// A strategy whose memory grows is named once it is large, and again each time that it has doubled.

import { expect, test } from "vitest";
import { StrategyMemory } from "../../../../../src/bot/service/lifecycle/strategy-memory.ts";
import { createLog } from "../../../../../src/bot/telemetry/log.ts";
import { noQuotes } from "../../../../../src/domain/quotes.ts";
import { World } from "../desks.ts";

test("0.3 MB a turn are named after half a minute of turns, and each doubling", () => {
  const world = new World();
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => lines.push(line), terminal: false, wallMs: () => 0 });
  const watched = new StrategyMemory({ desks: world.desks, log });
  const kept: number[][] = [];
  const [market] = world.desk().markets.values();
  if (market === undefined) throw new RangeError("a market is quoted");
  market.strategy.running = { memory: { kept }, quote: () => noQuotes("a test") };
  const said: number[] = [];
  for (let turn = 1; turn <= 240; turn += 1) {
    kept.push(new Array(40_000).fill(0));
    if (turn % 10 !== 0) continue;
    watched.look();
    if (lines.length > said.length) said.push(turn);
  }
  expect(said).toEqual([30, 70, 150]);
  expect(lines[0]).toMatch(
    /"event":"strategy.memory".*market 1: strategy fixed-spread remembers about 9\.\d MB, and 8\.0 MB is a lot/,
  );
});
