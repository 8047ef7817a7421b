// Why orders are denied is logged when it changes and the change lasts: once, soon, and never as a flood.

import { beforeEach, describe, expect, it } from "vitest";
import { gateIds } from "../../../../../src/bot/risk/gates/gate.ts";
import { DenialReport } from "../../../../../src/bot/service/desks/denial-report.ts";
import { createLog } from "../../../../../src/bot/telemetry/log.ts";
import { accountId, size } from "../../../../../src/domain/units.ts";
import { healthyView, market, now } from "../../risk/healthy.ts";

const TURN_MS = 100;

type Line = { readonly level: string; readonly msg: string; readonly reasons: readonly string[] };

let report: DenialReport;
let lines: Line[];
let nowMs: number;

beforeEach(() => {
  lines = [];
  nowMs = 0;
  const log = createLog("info", {
    write: (text) => lines.push(JSON.parse(text)),
    terminal: false,
    wallMs: () => nowMs,
  });
  report = new DenialReport({ accountId: accountId(12n), marketId: 1 }, log);
});

/** Ten turns a second for so long; `closed` are gates, `denied` other reasons, of each turn. */
function pass(
  ms: number,
  { closed = [], denied = [] }: { readonly closed?: readonly string[]; readonly denied?: readonly string[] } = {},
): void {
  for (const endMs = nowMs + ms; nowMs < endMs; ) {
    nowMs += TURN_MS;
    const numbers = { status: "Paused", worst: size(20_500_000n), maxPosition: size(20_000_000n) };
    report.look({
      view: { ...healthyView, market: now({ ...market, name: "USA-HPI" }), nowMs },
      readings: gateIds.map((gate) => ({ gate, closed: closed.includes(gate) ? numbers : null })),
      verdict: { approved: [], denied: [{ denials: denied.map((reason) => ({ reason, numbers })) }] },
    } as unknown as Parameters<DenialReport["look"]>[0]);
  }
}
const logged = () => lines.map(({ reasons }) => reasons.join("+"));

describe("a line", () => {
  it("says what is wrong once it has lasted for two seconds", () => {
    pass(2000, { closed: ["marketStatus"] });
    expect(lines).toEqual([]);
    pass(100, { closed: ["marketStatus"] });
    expect(lines).toMatchObject([
      {
        level: "warn",
        msg: "USA-HPI: orders denied: the market is Paused",
        account: "12",
        market: 1,
        reasons: ["marketStatus"],
      },
    ]);
  });

  it("comes once, however long it lasts and however its numbers move", () => {
    pass(600_000, { closed: ["marketStatus"] });
    expect(logged()).toEqual(["marketStatus"]);
  });

  it("says when orders are allowed again", () => {
    pass(20_000, { closed: ["oracleStatus"] });
    pass(20_000);
    expect(lines.at(-1)).toMatchObject({ level: "info", msg: "USA-HPI: orders are allowed again" });
    expect(logged()).toEqual(["oracleStatus", ""]);
  });

  it("names a denial that comes again, also when not every turn asks", () => {
    for (let second = 0; second < 30; second += 1) {
      pass(100, { denied: ["worstPosition"] });
      pass(800);
    }
    expect(logged()).toEqual(["worstPosition"]);
  });

  it("names all of them together", () => {
    pass(5000, { closed: ["stream", "book"], denied: ["margin"] });
    expect(logged()).toEqual(["book+margin+stream"]);
  });

  it("comes again when another one joins", () => {
    pass(20_000, { closed: ["stream"] });
    pass(20_000, { closed: ["stream", "clock"] });
    expect(logged()).toEqual(["stream", "clock+stream"]);
  });
});

describe("no line", () => {
  it("for what closes for a moment, and none for its end", () => {
    pass(900, { closed: gateIds });
    pass(60_000);
    expect(lines).toEqual([]);
  });

  it("more than one in ten seconds, of what comes and goes", () => {
    for (let minute = 0; minute < 10; minute += 1) {
      pass(3000, { closed: ["volatility"] });
      pass(3000, { denied: ["selfTrade"] });
    }
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.length).toBeLessThanOrEqual(6);
  });
});
