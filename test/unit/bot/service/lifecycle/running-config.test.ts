// The version rule: what was read against one configuration applies to no other, and what an operator has set since is the later word.

import { beforeEach, expect, test } from "vitest";
import type { BotConfig, QuotedMarket } from "../../../../../src/bot/config/config.ts";
import { marketHash } from "../../../../../src/bot/config/market-hash.ts";
import type { Setting } from "../../../../../src/bot/config/setting.ts";
import { DeskSeries } from "../../../../../src/bot/live/desk-series.ts";
import { marketLimitsSchema } from "../../../../../src/bot/risk/limits/limits.ts";
import type { BotModules, BotParts } from "../../../../../src/bot/service/lifecycle/build.ts";
import type { ReloadTrigger } from "../../../../../src/bot/service/lifecycle/reload.ts";
import { RunningConfig } from "../../../../../src/bot/service/lifecycle/running-config.ts";
import type { ParamsRequest } from "../../../../../src/bot/service/operator/params.ts";
import { createLog } from "../../../../../src/bot/telemetry/log.ts";
import { createMetrics } from "../../../../../src/bot/telemetry/metrics.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import { account as accountId, botConfig, MARKET_LIMITS, quotedAccount, quotedMarket, World } from "../desks.ts";

let world: World;
let running: RunningConfig;
/** What the file holds, and with which settings it was read. */
let file: BotConfig;
let readings: (readonly Setting[])[];
/** Before a reading ends. */
let whileRead: () => Promise<unknown>;
/** Before the exchange says that it has a market that comes. */
let whileAsked: () => Promise<unknown>;

const withMarkets = (...markets: readonly QuotedMarket[]): BotConfig =>
  botConfig([{ ...quotedAccount(accountId, [1]), markets }]);
const marketWith = (limits: object = {}): QuotedMarket => {
  const market = {
    ...quotedMarket(1),
    limits: marketLimitsSchema.parse({ ...MARKET_LIMITS, ...limits }),
  };
  return { ...market, hash: marketHash(market) };
};

const read = async (settings: readonly Setting[]): Promise<BotConfig> => {
  readings.push(settings);
  const config = { ...file, settings };
  await whileRead();
  return config;
};
const reload = (by: ReloadTrigger, asked = running.version) => running.reload({ by, asked, read });
const request = (of: Partial<ParamsRequest>): ParamsRequest => ({
  reason: "a test",
  accountId,
  marketId: 1 as ParamsRequest["marketId"],
  params: {},
  limits: {},
  ...of,
});
const lower = (limits: Readonly<Record<string, unknown>>) => running.change(request({ limits }));
const limitsNow = () => world.desk().markets.get(1)?.quoted.limits;
const never = () => new Promise<never>(() => {});

/** Once, the first time; nothing later. */
function once(act: () => Promise<unknown>): () => Promise<unknown> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    isDone = true;
    await act();
  };
}

beforeEach(() => {
  world = new World();
  readings = [];
  whileRead = async () => {};
  whileAsked = async () => {};
  file = withMarkets(marketWith());
  const log = createLog("error", { write: () => {}, terminal: false, wallMs: () => 0 });
  const reads = {
    node: async () => ({ chainId: file.venue.chainId }),
    market: async () => {
      await whileAsked();
      return {};
    },
  };
  const parts = {
    desks: world.desks,
    driver: world.driver,
    ledger: world.ledger,
    readsOfLedger: () => world.ledger.read,
    executions: new Map(),
    keys: new Map(),
    metrics: createMetrics(),
    series: new DeskSeries(createMetrics(), []),
    state: world.state,
    venue: { reads },
    shadows: { follow: () => {} },
  } as unknown as BotParts;
  const modules = { log, clock: systemClock, readConfig: read } as unknown as BotModules;
  running = new RunningConfig(file, parts, modules, { phase: () => "trading", onApplied: () => {} });
});

test("a signal that was asked for before a tightening reads again, and leaves it; what else it loosens is loose", async () => {
  file = withMarkets(marketWith({ maxLoss: 900 }));
  whileRead = once(() => lower({ maxPosition: 3 }));
  await reload("signal");
  expect(readings).toHaveLength(2);
  expect(limitsNow()).toMatchObject({ maxPosition: 3_000_000n, maxLoss: 900_000_000n });
  expect(running.fileDifferences).toEqual(["maxPosition of market 1 unchanged: a looser limit waits for SIGHUP"]);
});

test("one that was asked for after it loosens", async () => {
  await lower({ maxPosition: 3 });
  await reload("signal");
  expect(limitsNow()?.maxPosition).toBe(20_000_000n);
  expect(running.fileDifferences).toEqual([]);
});

test("one that waited for another holds to when it was asked for, and a limit of the file that is tighter holds", async () => {
  const asked = running.version;
  await lower({ maxPosition: 3 });
  await reload("signal", asked);
  await reload("signal", asked);
  expect(limitsNow()?.maxPosition).toBe(3_000_000n);
  file = withMarkets(marketWith({ maxPosition: 2 }));
  await reload("signal", asked);
  expect(limitsNow()?.maxPosition).toBe(2_000_000n);
});

test("a loss that was lowered brings its drawdown along, and both stay", async () => {
  whileRead = once(() => lower({ maxLoss: 100 }));
  await reload("signal");
  expect(limitsNow()).toMatchObject({ maxLoss: 100_000_000n, maxDrawdown: 100_000_000n });
});

test("a parameter that was set since it was asked for is read with; one from before goes with the file", async () => {
  await running.change(request({ params: { stepBps: 6 } }));
  const asked = running.version;
  await running.change(request({ params: { levels: 2 } }));
  await reload("signal", asked);
  const path = "accounts.12.markets.1.params.levels";
  expect(readings.at(-1)).toEqual([{ path, value: 2 }]);
  expect(running.fileDifferences).toEqual([`${path} was set to 2 by an operator; the file does not have it`]);
});

test("a change of parameters is read again too, and does not bring back what is tighter by now", async () => {
  whileRead = once(() => lower({ maxPosition: 3 }));
  await running.change(request({ params: { levels: 2 } }));
  expect(readings.map((settings) => settings.map(({ value }) => value))).toEqual([[2], [3, 2]]);
  expect(limitsNow()?.maxPosition).toBe(3_000_000n);
});

test("a tightening waits neither for a reading nor for an exchange that is asked, and what was asked then is asked again", async () => {
  whileRead = never;
  void reload("signal");
  void running.change(request({ params: { levels: 2 } }));
  expect(await lower({ maxPosition: 4 })).not.toHaveProperty("kind");
  const { promise, resolve } = Promise.withResolvers<void>();
  whileRead = async () => {};
  whileAsked = () => promise;
  file = withMarkets(marketWith(), quotedMarket(2));
  const reloaded = reload("signal");
  expect(await lower({ maxPosition: 3 })).not.toHaveProperty("kind");
  resolve();
  await reloaded;
  expect(limitsNow()?.maxPosition).toBe(3_000_000n);
  expect([...world.desk().markets.keys()]).toEqual([1, 2]);
});

test("forbidden: a limit alone that is looser, unknown, taken away, or denies what trades; the version stays", async () => {
  const before = running.version;
  for (const limits of [{ maxPosition: 21 }, { maxPos: 1 }, { maxLoss: null }, { maxOrderSize: 0.5 }])
    expect(await lower(limits)).toMatchObject({ kind: "malformed" });
  expect(running.version).toBe(before);
  expect(readings).toEqual([]);
});

test("an approved change applies only to the configuration, and the file, on which it was judged", async () => {
  const tighter = request({ limits: { maxPosition: 3 } });
  const judged = await running.judge(tighter);
  if ("kind" in judged) throw new Error(judged.why);
  expect(judged).toMatchObject({
    running: running.hash,
    difference: ["market 1 of account 12: maxPosition 20 -> 3"],
  });
  expect(limitsNow()?.maxPosition).toBe(20_000_000n);
  await lower({ maxLoss: 300 });
  expect(await running.change(tighter, judged)).toMatchObject({ kind: "closed" });
  expect(limitsNow()?.maxPosition).toBe(20_000_000n);

  const again = await running.judge(tighter);
  if ("kind" in again) throw new Error(again.why);
  expect(await running.change(tighter, { ...again, makes: judged.makes })).toMatchObject({ kind: "closed" });
  expect(await running.change(tighter, again)).toMatchObject({ hash: expect.any(String) });
  expect(limitsNow()?.maxPosition).toBe(3_000_000n);
});
