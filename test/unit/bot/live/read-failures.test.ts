// Reads that fail come again and again: each kind is said once a minute, and what stays so is said once.

import { beforeEach, expect, test } from "vitest";
import { readFailureReport } from "../../../../src/bot/live/read-failures.ts";
import { createLog, type Log } from "../../../../src/bot/telemetry/log.ts";
import { ReadError } from "../../../../src/bot/venue/port.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";

let clock: VirtualClock;
let lines: string[];
let log: Log;
beforeEach(() => {
  clock = createVirtualClock({ startMs: 1_790_000_000_000 });
  lines = [];
  log = createLog("info", { write: (line) => lines.push(line), terminal: false, wallMs: () => clock.wallMs() });
});

test.each(["implausible", "malformed"] as const)(
  "a %s answer is said once a minute per question, another failure is not said",
  (code) => {
    const report = readFailureReport({ log });
    const implausible = new ReadError(code, "GET /v1/markets/1: marginTiers: must begin with a row at floor 0");
    for (let read = 0; read < 5; read += 1) report({ kind: "market", marketId: 1 }, implausible);
    report({ kind: "market", marketId: 2 }, implausible);
    report({ kind: "oracle", marketId: 1 }, new ReadError("timeout", "no answer in time"));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("reading market failed: GET /v1/markets/1: marginTiers");
    clock.advanceSync(60_000);
    report({ kind: "market", marketId: 1 }, implausible);
    expect(lines).toHaveLength(3);
  },
);

test("that a read is turned down is said once", () => {
  const report = readFailureReport({ log });
  const refused = new ReadError("httpStatus", "GET /v1/fee-tiers: HTTP 404", { httpStatus: 404 });
  for (let read = 0; read < 3; read += 1) {
    report({ kind: "feeTiers" }, refused);
    clock.advanceSync(600_000);
  }
  report({ kind: "feeTiers" }, new ReadError("httpStatus", "HTTP 503", { httpStatus: 503 }));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("reading feeTiers failed: GET /v1/fee-tiers: HTTP 404");
});

test("that the history of a market cannot be read is said once, whatever the cause", () => {
  const report = readFailureReport({ log });
  for (let read = 0; read < 3; read += 1) {
    report({ kind: "oracleHistory", marketId: 1 }, new ReadError("httpStatus", "HTTP 404"));
    clock.advanceSync(600_000);
  }
  report({ kind: "oracleHistory", marketId: 2 }, new ReadError("implausible", "prices[3].time: must be later"));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain("reading oracleHistory failed: HTTP 404");
});
