// A reload: which change of a limit waits for the operator's signal, and that nobody reads the configuration of the start afterwards.

import { beforeEach, describe, expect, test } from "vitest";
import type { BotConfig, QuotedAccount, QuotedMarket } from "../../../../../src/bot/config/config.ts";
import { DeskSeries } from "../../../../../src/bot/live/desk-series.ts";
import { accountLimitsSchema, marketLimitsSchema } from "../../../../../src/bot/risk/limits/limits.ts";
import { channelsOf } from "../../../../../src/bot/service/lifecycle/build.ts";
import {
  applyReload,
  prepareReload,
  type Reloaded,
  type ReloadParts,
  type ReloadTrigger,
} from "../../../../../src/bot/service/lifecycle/reload.ts";
import { premiumSchema } from "../../../../../src/bot/strategy/premium.ts";
import { createLog, type Log } from "../../../../../src/bot/telemetry/log.ts";
import { createMetrics } from "../../../../../src/bot/telemetry/metrics.ts";
import { ReadError } from "../../../../../src/bot/venue/port.ts";
import { unknownDialect } from "../../../../../src/domain/dialect.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import { account as accountId, botConfig, quotedAccount, quotedMarket, World } from "../desks.ts";

const market = (changes: object) =>
  marketLimitsSchema.parse({ maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500, ...changes });
const account = (changes: object) => accountLimitsSchema.parse(changes);

describe("after a reload nobody reads the configuration of the start", () => {
  let world: World;
  let log: Log;
  let lines: string[];
  const running = botConfig([quotedAccount(accountId, [1, 2])]);
  beforeEach(() => {
    world = new World();
    listed = [1, 2, 3];
    lines = [];
    log = createLog("info", { write: (line) => lines.push(line), terminal: false, wallMs: () => 0 });
  });

  /** Lists what `listed` has; undefined: it does not answer. */
  let listed: readonly number[] | undefined;
  const reads = {
    node: async () => {
      if (listed === undefined) throw new ReadError("unreachable", "away");
      return { chainId: running.venue.chainId };
    },
    market: async (marketId: number) => {
      if (listed?.includes(marketId) !== true) throw new ReadError("httpStatus", "no such market", { httpStatus: 404 });
    },
  } as unknown as ReloadParts["venue"]["reads"];

  const reload = async (changes: Partial<BotConfig>, by: ReloadTrigger = "signal"): Promise<Reloaded> => {
    const unused = {} as ReloadParts;
    const parts: ReloadParts = {
      ...unused,
      desks: world.desks,
      driver: world.driver,
      ledger: world.ledger,
      readsOfLedger: () => world.ledger.read,
      executions: new Map(),
      keys: new Map(),
      series: new DeskSeries(createMetrics(), []),
      state: world.state,
      venue: { reads } as ReloadParts["venue"],
    };
    const wanted = { ...running, ...changes };
    await prepareReload(running, wanted, parts, { log, clock: systemClock });
    return applyReload(running, wanted, { by }, parts, { log, clock: systemClock });
  };
  const withAccount = (changes: Partial<QuotedAccount>) => ({
    accounts: [{ ...quotedAccount(accountId, [1, 2]), ...changes }],
  });
  const withMarket = (changes: Partial<QuotedMarket>) =>
    withAccount({ markets: [{ ...quotedMarket(1), hash: "other", ...changes }, quotedMarket(2)] });

  test("the limits of a market: guard, gauges, flatten and the end of the key read them at its desk", async () => {
    const limits = market({ maxPosition: 5, agentExpiryMarginMs: 1_200_000 });
    await reload(withMarket({ limits }));
    expect(world.desk().markets.get(1)?.quoted.limits).toEqual(limits);
  });

  test("the limits of the markets as the account lists them: nonces read the clock's there", async () => {
    await reload(withMarket({ limits: market({ maxClockOffsetMs: 4000 }) }));
    expect(world.desk().quoted.markets.map(({ limits }) => limits.maxClockOffsetMs)).toEqual([4000, 1000]);
  });

  test("the limits of the account", async () => {
    await reload(withAccount({ limits: account({ maxLoss: 7 }) }));
    expect(world.desk().quoted.limits.maxLoss).toBe(7_000_000n);
  });

  test("what becomes of foreign orders", async () => {
    await reload(withAccount({ foreignOrders: "cancel" }));
    expect(world.desk().quoted.foreignOrders).toBe("cancel");
  });

  test("the strategy", async () => {
    const strategy = { ...quotedMarket(1).strategy, name: "another" };
    await reload(withMarket({ strategy }));
    expect(world.desk().markets.get(1)?.quoted.strategy.name).toBe("another");
  });

  test("the markets: the stream subscribes to those that came", async () => {
    const { accounts } = (await reload(withAccount({ markets: [1, 2, 3].map(quotedMarket) }))).config;
    expect([...world.desk().markets.keys()]).toEqual([1, 2, 3]);
    expect(channelsOf(accounts)).toContainEqual({ channel: "orderbook", marketId: 3 });
  });

  test.each([
    ["that the exchange does not list", [1, 2], /no market 99; correct marketId/],
    ["while the exchange does not answer", undefined, /does not say now whether it has market 99/],
  ])("forbidden: a market %s, and nothing else of the file is applied", async (_, has, why) => {
    listed = has;
    const limits = market({ maxPosition: 5 });
    const typo = withAccount({ markets: [{ ...quotedMarket(1), limits, hash: "other" }, quotedMarket(99)] });
    await expect(reload(typo)).rejects.toThrow(why);
    expect([...world.desk().markets.keys()]).toEqual([1, 2]);
    expect(world.desk().quoted.markets[0]?.limits.maxPosition).toBe(20_000_000n);
  });

  test("parameters that need a looser limit wait for SIGHUP with it", async () => {
    const strategy = { ...quotedMarket(1).strategy, params: { size: 5_000_000n } };
    const wanted = withMarket({ strategy, limits: market({ maxOrderSize: 10 }) });
    await reload(wanted, "file");
    expect(world.desk().quoted.markets[0]?.strategy.params).toEqual(quotedMarket(1).strategy.params);
    expect(lines.join("")).toMatch(/5 is above maxOrderSize, 2; .*waits for SIGHUP/);
    await reload(wanted, "signal");
    expect(world.desk().quoted.markets[0]).toMatchObject({ strategy, limits: { maxOrderSize: 10_000_000n } });
  });

  test("the level of the log", async () => {
    await reload({ log: { level: "debug" } });
    log.debug({ event: "seen" }, "seen");
    expect(lines.join("")).toContain('"event":"seen"');
  });

  test("forbidden: a file alone loosens no limit, at the desk either", async () => {
    await reload(withMarket({ limits: market({ maxPosition: 40 }) }), "file");
    expect(world.desk().markets.get(1)?.quoted.limits.maxPosition).toBe(20_000_000n);
    expect(world.desk().quoted.markets[0]?.limits.maxPosition).toBe(20_000_000n);
  });

  test("a shock of 500 bps taken away waits for SIGHUP; a larger one does not", async () => {
    const wanted = withMarket({ limits: market({ marginShockBps: 0 }) });
    const { unapplied } = await reload(wanted, "file");
    expect(unapplied).toEqual(["marginShockBps of market 1 unchanged: a looser limit waits for SIGHUP"]);
    expect(world.desk().quoted.markets[0]?.limits.marginShockBps).toBe(500);
    expect(lines.join("")).toContain("marginShockBps of market 1 unchanged: a looser limit waits for SIGHUP");
    expect((await reload(withMarket({ limits: market({ marginShockBps: 800 }) }), "file")).unapplied).toEqual([]);
    expect(world.desk().quoted.markets[0]?.limits.marginShockBps).toBe(800);
  });

  test("a tighter and a looser value in one change: the tighter one applies at once, the other waits", async () => {
    const wanted = withMarket({ limits: market({ maxPosition: 5, marginShockBps: 0 }) });
    await reload(wanted, "file");
    expect(world.desk().quoted.markets[0]?.limits).toMatchObject({ maxPosition: 5_000_000n, marginShockBps: 500 });
    await reload(wanted, "signal");
    expect(world.desk().quoted.markets[0]?.limits).toMatchObject({ maxPosition: 5_000_000n, marginShockBps: 0 });
  });

  test("a premium book, or more of one, waits for the signal; its end does not", async () => {
    const premiumBook = premiumSchema.parse({ capital: 100, maxContracts: 2, maxLoss: 10 });
    const book = () => world.desk().quoted.markets[0]?.premiumBook;
    const wanted = withMarket({ premiumBook, hash: "with a book" });
    await reload(wanted, "file");
    expect(book()).toBeNull();
    expect(lines.join("")).toMatch(/premiumBook.*waits for SIGHUP/);
    await reload(wanted, "signal");
    expect(book()).toEqual(premiumBook);
    await reload(withMarket({ premiumBook: null, hash: "without" }), "file");
    expect(book()).toBeNull();
  });

  test("the account's limits likewise", async () => {
    await reload(withAccount({ limits: account({ maxLoss: 7, maxOpenOrders: 3 }) }));
    await reload(withAccount({ limits: account({ maxLoss: 5 }) }), "file");
    expect(world.desk().quoted.limits).toMatchObject({ maxLoss: 5_000_000n, maxOpenOrders: null });
  });

  test.each<[string, Partial<BotConfig["venue"]>]>([
    ["what HTTP 429 means", { tooManyRequestsMeans: "unknown" }],
    ["the exchange's dialect", { dialect: { ...unknownDialect, emptyList: "404" } }],
  ])("what only a restart changes stays as it was, and the log says so: %s", async (_what, change) => {
    const { config, unapplied } = await reload({ venue: { ...running.venue, ...change } as BotConfig["venue"] });
    expect(config.venue).toEqual(running.venue);
    expect(lines.join("")).toMatch(/venue.*restart/);
    expect(unapplied).toEqual(["a change of venue needs a restart; it was not applied"]);
  });
});
