// Why a market is not quoted is logged when it changes and the change lasts: once, soon, and never as a flood.

import { beforeEach, describe, expect, it } from "vitest";
import { QuotingReport } from "../../../../../src/bot/decider/desks/quoting-report.ts";
import type { NotQuotingReason, SideStanding } from "../../../../../src/bot/decider/desks/standing.ts";
import { createLog } from "../../../../../src/bot/telemetry/log.ts";
import { accountId } from "../../../../../src/domain/units.ts";

const TURN_MS = 100;

type Line = { readonly level: string; readonly msg: string; readonly buy: string; readonly sell: string };

let report: QuotingReport;
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
  report = new QuotingReport({ accountId: accountId(12n), marketId: 1 }, log);
});

const side = (reasons: readonly NotQuotingReason[], rests = reasons.length === 0): SideStanding => ({
  rests,
  why: reasons.map((reason) => ({ reason, numbers: { status: "Paused", kind: "loss", why: "too much" } })),
  isReady: reasons.length === 0,
});

/** Ten turns a second for so long. */
function pass(ms: number, buy: readonly NotQuotingReason[] = [], sell = buy): void {
  for (const endMs = nowMs + ms; nowMs < endMs; ) {
    nowMs += TURN_MS;
    report.look({ buy: side(buy), sell: side(sell) }, "USA-HPI", nowMs);
  }
}
const logged = () => lines.map(({ buy, sell }) => `${buy} ${sell}`);

describe("a line", () => {
  it("says what is wrong once it has lasted for two seconds", () => {
    pass(2000, ["marketStatus"]);
    expect(lines).toEqual([]);
    pass(100, ["marketStatus"]);
    expect(lines).toMatchObject([
      { level: "warn", msg: "USA-HPI: not quoting because the market is Paused", account: "12", market: 1 },
    ]);
  });

  it("says which side where they differ", () => {
    pass(12_000, [], ["marketStatus"]);
    pass(12_000, ["halted"], ["marketStatus"]);
    expect(lines.map(({ msg }) => msg)).toEqual([
      "USA-HPI: sell: not quoting because the market is Paused",
      "USA-HPI: buy: not quoting because halted (loss): too much; sell: not quoting because the market is Paused",
    ]);
  });

  it("comes once, however long it lasts", () => {
    pass(600_000, ["marketStatus"]);
    expect(logged()).toEqual(["marketStatus marketStatus"]);
  });

  it("comes again every hour while a gate stays closed", () => {
    pass(2 * 3_600_000 + 10_000, ["dailyPnl"]);
    expect(logged()).toEqual(["dailyPnl dailyPnl", "dailyPnl dailyPnl", "dailyPnl dailyPnl"]);
  });

  it("comes although two reasons take turns at every turn", () => {
    for (let turn = 0; turn < 400; turn += 1) pass(TURN_MS, turn % 2 === 0 ? ["dailyPnl"] : ["dailyPnl", "book"]);
    expect(lines).toHaveLength(1);
  });

  it("comes again when for the same reason nothing rests any longer", () => {
    const standing = (rests: boolean) => ({ buy: side(["cannotAct"], rests), sell: side(["cannotAct"], rests) });
    for (; nowMs < 4000; nowMs += TURN_MS) report.look(standing(true), "USA-HPI", nowMs);
    for (; nowMs < 60_000; nowMs += TURN_MS) report.look(standing(false), "USA-HPI", nowMs);
    expect(lines.map(({ msg }) => msg.split(" because")[0])).toEqual([
      "USA-HPI: quoting less than wanted",
      "USA-HPI: not quoting",
    ]);
  });

  it("says when all quotes rest again", () => {
    pass(20_000, ["marketStatus"]);
    pass(20_000);
    expect(lines.at(-1)).toMatchObject({ level: "info", msg: "USA-HPI: all quotes rest" });
  });

  it("names all reasons together, and comes again when another one joins", () => {
    pass(20_000, ["stream", "book"]);
    pass(20_000, ["stream", "book", "clock"]);
    expect(logged()).toEqual(["stream+book stream+book", "stream+book+clock stream+book+clock"]);
  });
});

describe("no line", () => {
  it("for what closes for a moment, and none for its end", () => {
    pass(1900, ["stream"]);
    pass(60_000);
    expect(lines).toEqual([]);
  });

  it("more than one in ten seconds, of what comes and goes", () => {
    for (let minute = 0; minute < 10; minute += 1) {
      pass(3000, ["volatility"]);
      pass(3000, ["selfTrade"]);
    }
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.length).toBeLessThanOrEqual(6);
  });
});
