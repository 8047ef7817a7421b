// Faults that come ten times a second are said once a minute, counted each time, and halt where nothing is known.

import { beforeEach, expect, test } from "vitest";
import { faultHandlers } from "../../../../src/bot/decider/faults.ts";
import { QuoteFault } from "../../../../src/bot/strategy/checked-quotes.ts";
import { createLog, type Log } from "../../../../src/bot/telemetry/log.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { Desks } from "../service/desks.ts";

let world: Desks;
let clock: VirtualClock;
let lines: string[];
let log: Log;
beforeEach(() => {
  world = new Desks();
  clock = createVirtualClock({ startMs: 1_790_000_000_000 });
  lines = [];
  log = createLog("info", { write: (line) => lines.push(line), terminal: false, wallMs: () => clock.wallMs() });
});
const said = (event: string) => lines.filter((line) => line.includes(`"event":"${event}"`)).length;

test("a strategy's fault is counted each time, and said once a minute per market, kind and line", () => {
  let counted = 0;
  const { onStrategyFault } = faultHandlers({
    log,
    clock,
    put: ({ kind }) => {
      if (kind === "strategyFault") counted += 1;
    },
  });
  const nothing = new QuoteFault("nothing", "returned nothing");
  for (let turn = 0; turn < 601; turn += 1) {
    onStrategyFault(world.market(1), nothing);
    clock.advanceSync(100);
  }
  expect(counted).toBe(601);
  expect(said("strategy.fault")).toBe(2);
  onStrategyFault(world.market(1), new QuoteFault("crossed", "returned a bid at or above an ask"));
  onStrategyFault(world.market(2), nothing);
  expect(said("strategy.fault")).toBe(4);
  expect(lines.at(-1)).toContain(
    "market 2: strategy fixed-spread returned nothing; it has no quotes until it works again",
  );
  // What an edit breaks is said at once, whatever was broken before it.
  const threwAt = (line: number) =>
    new QuoteFault("threw", "threw: no", {
      cause: Object.assign(new Error("no"), { stack: `at quote (file:///own.ts?version=1:${line}:3)` }),
    });
  for (const line of [7, 7, 8]) onStrategyFault(world.market(1), threwAt(line));
  expect(said("strategy.fault")).toBe(6);
});

test("quotes beyond what may rest are said once, and again by another strategy or other parameters", () => {
  const { onQuotesLeftOut } = faultHandlers({ log, clock, put: () => {} });
  const market = world.market(1);
  for (let turn = 0; turn < 700; turn += 1) {
    onQuotesLeftOut(market, 380);
    clock.advanceSync(100);
  }
  expect(said("strategy.leftOut")).toBe(1);
  expect(lines[0]).toContain("strategy fixed-spread quotes 380 orders more than limits.maxOpenOrders, 20;");
  market.strategy.running = market.quoted.strategy.start();
  onQuotesLeftOut(market, 380);
  expect(said("strategy.leftOut")).toBe(2);
});

test("a turn that throws halts its market for good, and is said with its stack once a minute", () => {
  const { onTurnFault } = faultHandlers({ log, clock, put: () => {} });
  for (let turn = 0; turn < 20; turn += 1) onTurnFault(world.desk(), world.market(1), new TypeError("no such tier"));
  expect(world.desk().latches).toMatchObject([
    { kind: "fault", marketId: 1, holds: "halted", reason: "a turn failed: no such tier" },
  ]);
  expect(said("turn.fault")).toBe(1);
  expect(lines[0]).toContain("faults.test.ts");
  world.start();
  expect(world.desk().latches).toHaveLength(1);
});
