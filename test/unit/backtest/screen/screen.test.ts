// A screening: the same bytes each time, alone or beside other settings; PnL that its fills explain to the base unit; and what it cannot do is refused.

import { describe, expect, test } from "vitest";
import { recordingOf } from "../../../../src/backtest/recorded/recording.ts";
import { readSession } from "../../../../src/backtest/recorded/session.ts";
import { tapeOfDevnet, tapeOfSession } from "../../../../src/backtest/screen/record-tape.ts";
import { type Screening, screen } from "../../../../src/backtest/screen/screen.ts";
import { ScreenError } from "../../../../src/backtest/screen/screen-exchange.ts";
import { play, type TapeEvent } from "../../../../src/backtest/screen/tape.ts";
import { worldOf } from "../../../../src/backtest/world.ts";
import type { BotConfig } from "../../../../src/bot/config/config.ts";
import { loadConfiguration } from "../../../../src/configuration.ts";
import { usdc } from "../../../../src/domain/units.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { systemFiles } from "../../../../src/kernel/yaml/files.ts";
import { backtestFiles } from "../scene.ts";
import { bookOf, level, MARKET, market, oracle, START_MS, tapeOf } from "./scene.ts";

const DAYS = 0.004;
const { bot, devnet } = await loadConfiguration(backtestFiles(), systemFiles);
if (devnet === null) throw new Error("the scene has no devnet");
const world = worldOf(devnet, false, createPrng(1n)).line;
const tapeFrom = (seed: bigint) => tapeOfDevnet({ ...devnet, seed }, [1, 2], { startMs: START_MS, days: DAYS });
const tape = await tapeFrom(7n);

const screening = (changed: Partial<Screening> = {}): Screening => ({
  bot,
  job: {
    file: "bot.yaml",
    name: null,
    settings: [],
    seed: 7n,
    days: DAYS,
    warmUpDays: 0,
    world: "fixed",
    shortcuts: true,
    keepsFills: true,
  },
  account: { collateral: usdc(100_000_000_000n), volume30d: usdc(0n) },
  model: "riskAverse",
  world,
  ...changed,
});

/** Orders may be further from their quotes before they move. */
const lazy = (requoteDepths: number): BotConfig => ({
  ...bot,
  accounts: bot.accounts.map((account) => ({
    ...account,
    markets: account.markets.map((market) => ({
      ...market,
      requoteDepths,
    })),
  })),
});

describe("a market of a seed", () => {
  test("is the same tape each time, and another one for another seed", async () => {
    expect(await tapeFrom(7n)).toEqual(tape);
    expect(await tapeFrom(8n)).not.toEqual(tape);
  });

  test("has books, trades, prints and settlements of both markets, in order", () => {
    const kinds = new Set<string>();
    let lastMs = 0;
    play(tape, (atMs, events) => {
      expect(atMs).toBeGreaterThanOrEqual(lastMs);
      lastMs = atMs;
      for (const event of events) kinds.add(event.kind === "book" ? `book ${event.book.marketId}` : event.kind);
    });
    for (const kind of ["book 1", "book 2", "trade", "oracleUpdate", "fundingUpdate", "marketRead"])
      expect(kinds).toContain(kind);
  });
});

describe("a run on it", () => {
  const [outcome] = screen(tape, [screening()]);
  const line = outcome?.line;

  test("quotes and fills in both markets, and its fills explain the PnL to the base unit", () => {
    expect(line?.residual).toBe("0");
    for (const market of line?.markets ?? []) {
      expect(market.fills).toBeGreaterThan(3);
      expect(market.quoteUptime).toBeGreaterThan(0.5);
      expect(market.faults).toBeUndefined();
    }
  });

  test("is the same alone, beside others, and again", () => {
    const [first, other, again] = screen(tape, [screening(), screening({ bot: lazy(3) }), screening()]);
    expect(first).toEqual(outcome);
    expect(again).toEqual(outcome);
    expect(other).not.toEqual(outcome);
  });

  test("fills no less by a model that is kinder to our place in the queue", () => {
    const fillsOf = (model: Screening["model"]): number =>
      screen(tape, [screening({ model })])[0]?.line.markets.reduce((sum, { fills }) => sum + fills, 0) ?? 0;
    expect(fillsOf("optimistic")).toBeGreaterThanOrEqual(fillsOf("riskAverse"));
  });

  test("halts when it has lost what it may", () => {
    const poor = bot.accounts.map((account) => ({ ...account, limits: { ...account.limits, maxLoss: usdc(1n) } }));
    const [halted] = screen(tape, [screening({ bot: { ...bot, accounts: poor } })]);
    const uptime = halted?.line.markets[0]?.quoteUptime ?? 1;
    expect(uptime).toBeLessThan(line?.markets[0]?.quoteUptime ?? 0);
  });
});

test("a read that halts the market is acted on at once, one that repeats what is known changes nothing", () => {
  const one = {
    ...bot,
    accounts: bot.accounts.map((each) => ({
      ...each,
      markets: each.markets.filter(({ marketId }) => marketId === MARKET),
    })),
  };
  const levels = (ticks: readonly number[]) => ticks.map((tick) => level(tick, 5));
  const book = bookOf(levels([21_690, 21_680, 21_670]), levels([21_710, 21_720, 21_730]));
  const read = { askedMs: 25_000, receivedMs: 25_000 };
  const run = (event: TapeEvent | null) => {
    const written = tapeOf((writer) => {
      writer.take(0, { kind: "book", book, receivedMs: 0 });
      if (event !== null) writer.take(25_000, event);
    });
    return screen(written, [screening({ bot: one })])[0]?.line;
  };
  const quiet = run(null);
  expect(quiet?.markets[0]?.quoteUptime).toBeGreaterThan(0.9);
  expect(run({ kind: "marketRead", market, ...read })).toEqual(quiet);
  expect(run({ kind: "oracleRead", oracle, ...read })).toEqual(quiet);
  // The next look would be at half of the minute.
  expect(
    run({ kind: "marketRead", market: { ...market, status: "Paused" }, ...read })?.markets[0]?.quoteUptime,
  ).toBeLessThan(0.45);
});

describe("what it cannot do is refused", () => {
  const [account] = bot.accounts;
  if (account === undefined) throw new Error("the scene has no account");
  const [market] = account.markets;
  if (market === undefined) throw new Error("the scene has no market");
  const withMarket = (changed: Partial<typeof market>): BotConfig => ({
    ...bot,
    accounts: [{ ...account, markets: [{ ...market, ...changed }] }],
  });
  test.each([
    ["two accounts", { ...bot, accounts: [account, account] }, "one account"],
    ["no account", { ...bot, accounts: [] }, "has 0"],
    ["outside facts", withMarket({ signals: [{ name: "desk", maxAgeMs: 1000, parts: [] } as never] }), "outside facts"],
    ["another market", withMarket({ marketId: 3 }), "not on the tape"],
  ] as const)("%s", (_, refused, why) => {
    expect(() => screen(tape, [screening({ bot: refused })])).toThrow(ScreenError);
    expect(() => screen(tape, [screening({ bot: refused })])).toThrow(why);
  });
});

test("the shipped session is screened by the same code", async () => {
  const path = "docs/sample-session.qrec";
  const session = readSession(recordingOf(path));
  const recorded = tapeOfSession(recordingOf(path), session);
  const demo = await loadConfiguration("config/demo.yaml", systemFiles);
  const days = (session.toMs - session.fromMs) / 86_400_000;
  const only = {
    ...demo.bot,
    accounts: demo.bot.accounts.map((each) => ({
      ...each,
      markets: each.markets.filter(({ marketId }) => session.markets.some((has) => has.market.marketId === marketId)),
    })),
  };
  const [outcome] = screen(recorded, [screening({ bot: only, job: { ...screening().job, days } })]);
  expect(outcome?.line.residual).toBe("0");
  expect(outcome?.line.markets[0]?.fills).toBeGreaterThan(20);
});
