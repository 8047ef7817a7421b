// Faults that come ten times a second are said once a minute, counted each time, and halt where nothing is known.

import { beforeEach, expect, test } from "vitest";
import { faultHandlers, readFailureReport } from "../../../../src/bot/decider/faults.ts";
import { QuoteFault } from "../../../../src/bot/strategy/checked-quotes.ts";
import { createLog, type Log } from "../../../../src/bot/telemetry/log.ts";
import { VenueError } from "../../../../src/bot/venue/port.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { World } from "../service/desks.ts";

let world: World;
let clock: VirtualClock;
let lines: string[];
let log: Log;
beforeEach(() => {
  world = new World();
  clock = createVirtualClock({ startMs: 1_790_000_000_000 });
  lines = [];
  log = createLog("info", { write: (line) => lines.push(line), terminal: false, wallMs: () => clock.wallMs() });
});
const marketOf = (marketId: number) => {
  const market = world.desk().markets.get(marketId);
  if (market === undefined) throw new RangeError(`market ${marketId} is quoted`);
  return market;
};
const said = (event: string) => lines.filter((line) => line.includes(`"event":"${event}"`)).length;

test("a strategy's fault is counted each time, and said once a minute per market, kind and line", () => {
  const { onStrategyFault } = faultHandlers({ log, clock, strategyFault: () => {} });
  const nothing = new QuoteFault("nothing", "returned nothing");
  let counted = 0;
  marketOf(1).metrics.strategyFaults.inc = () => {
    counted += 1;
  };
  for (let turn = 0; turn < 601; turn += 1) {
    onStrategyFault(marketOf(1), nothing);
    clock.advanceSync(100);
  }
  expect(counted).toBe(601);
  expect(said("strategy.fault")).toBe(2);
  onStrategyFault(marketOf(1), new QuoteFault("crossed", "returned a bid at or above an ask"));
  onStrategyFault(marketOf(2), nothing);
  expect(said("strategy.fault")).toBe(4);
  expect(lines.at(-1)).toContain(
    "market 2: strategy fixed-spread returned nothing; it has no quotes until it works again",
  );
  // What an edit breaks is said at once, whatever was broken before it.
  const threwAt = (line: number) =>
    new QuoteFault("threw", "threw: no", {
      cause: Object.assign(new Error("no"), { stack: `at quote (file:///own.ts?version=1:${line}:3)` }),
    });
  for (const line of [7, 7, 8]) onStrategyFault(marketOf(1), threwAt(line));
  expect(said("strategy.fault")).toBe(6);
});

test("quotes beyond what may rest are said once, and again by another strategy or other parameters", () => {
  const { onQuotesLeftOut } = faultHandlers({ log, clock, strategyFault: () => {} });
  const market = marketOf(1);
  for (let turn = 0; turn < 700; turn += 1) {
    onQuotesLeftOut(market, 380);
    clock.advanceSync(100);
  }
  expect(said("strategy.leftOut")).toBe(1);
  expect(lines[0]).toContain("strategy fixed-spread quotes 380 orders more than limits.maxOpenOrders, 20;");
  market.strategy = market.quoted.strategy.start();
  onQuotesLeftOut(market, 380);
  expect(said("strategy.leftOut")).toBe(2);
});

test("a turn that throws halts its market for good, and is said with its stack once a minute", () => {
  const { onTurnFault } = faultHandlers({ log, clock, strategyFault: () => {} });
  for (let turn = 0; turn < 20; turn += 1) onTurnFault(world.desk(), marketOf(1), new TypeError("no such tier"));
  expect(world.desk().latches).toMatchObject([
    { kind: "fault", marketId: 1, holds: "halted", reason: "a turn failed: no such tier" },
  ]);
  expect(said("turn.fault")).toBe(1);
  expect(lines[0]).toContain("faults.test.ts");
  world.start();
  expect(world.desk().latches).toHaveLength(1);
});

test.each(["implausible", "malformed"] as const)(
  "a %s answer is said once a minute per question, another failure is not said",
  (code) => {
    const report = readFailureReport({ log });
    const implausible = new VenueError(code, "GET /v1/markets/1: marginTiers: must begin with a row at floor 0");
    for (let read = 0; read < 5; read += 1) report({ kind: "market", marketId: 1 }, implausible);
    report({ kind: "market", marketId: 2 }, implausible);
    report({ kind: "oracle", marketId: 1 }, new VenueError("timeout", "no answer in time"));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("reading market failed: GET /v1/markets/1: marginTiers");
    clock.advanceSync(60_000);
    report({ kind: "market", marketId: 1 }, implausible);
    expect(lines).toHaveLength(3);
  },
);

test("that a read is turned down is said once", () => {
  const report = readFailureReport({ log });
  const refused = new VenueError("httpStatus", "GET /v1/fee-tiers: HTTP 404", { httpStatus: 404 });
  for (let read = 0; read < 3; read += 1) {
    report({ kind: "feeTiers" }, refused);
    clock.advanceSync(600_000);
  }
  report({ kind: "feeTiers" }, new VenueError("httpStatus", "HTTP 503", { httpStatus: 503 }));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("reading feeTiers failed: GET /v1/fee-tiers: HTTP 404");
});

test("that the history of a market cannot be read is said once, whatever the cause", () => {
  const report = readFailureReport({ log });
  for (let read = 0; read < 3; read += 1) {
    report({ kind: "oracleHistory", marketId: 1 }, new VenueError("httpStatus", "HTTP 404"));
    clock.advanceSync(600_000);
  }
  report({ kind: "oracleHistory", marketId: 2 }, new VenueError("implausible", "prices[3].time: must be later"));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain("reading oracleHistory failed: HTTP 404");
});
