// Real desks over a ledger in memory whose disk can be made to fail.

import type { BotConfig, QuotedAccount, QuotedMarket } from "../../../../src/bot/config/config.ts";
import type { AccountDesk } from "../../../../src/bot/decider/desks/account-desk.ts";
import { makeDesks, type StartCauses } from "../../../../src/bot/decider/desks/desks.ts";
import { Ledger } from "../../../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../../../src/bot/ledger/memory/memory.ts";
import { accountLimitsSchema, marketLimitsSchema } from "../../../../src/bot/risk/limits/limits.ts";
import { LiveEntries } from "../../../../src/bot/service/loop/entries.ts";
import { loadStrategy } from "../../../../src/bot/strategy/loader.ts";
import { createLog } from "../../../../src/bot/telemetry/log.ts";
import { createMetrics } from "../../../../src/bot/telemetry/metrics.ts";
import { unknownDialect } from "../../../../src/domain/dialect.ts";
import { type AccountId, accountId, usdc } from "../../../../src/domain/units.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";

export const account = accountId(12n);
export const other = accountId(13n);

const strategy = await loadStrategy("fixed-spread", { halfSpreadBps: 10, size: 1, levels: 1, stepBps: 5 });

export const MARKET_LIMITS = {
  maxPosition: 20,
  maxOrderSize: 2,
  maxOpenOrders: 20,
  maxLoss: 500,
  maxPrintMoveBps: 1000,
};

export const quotedMarket = (marketId: number): QuotedMarket => ({
  marketId,
  strategy,
  premiumBook: null,
  printSchedule: null,
  shadow: null,
  requoteDepths: 0.5,
  queueTicks: 0,
  limits: marketLimitsSchema.parse(MARKET_LIMITS),
  hash: "0123456789ab",
});

export const quotedAccount = (id: AccountId, markets: readonly number[]): QuotedAccount => ({
  accountId: id,
  paper: null,
  agentKeyFile: null,
  formerKeyFiles: [],
  watchdogKeyFile: null,
  foreignOrders: "keep",
  maxAwayLossRatio: 0.5,
  limits: accountLimitsSchema.parse({}),
  markets: markets.map(quotedMarket),
});

export const botConfig = (accounts: readonly QuotedAccount[]): BotConfig => ({
  file: "/etc/quoin/bot.yaml",
  venue: {
    kind: "embedded",
    chainId: "venue-v4:devnet:chain-2",
    live: false,
    tooManyRequestsMeans: "rejected",
    landingBoundMs: 90_000,
    readLagMaxMs: 3000,
    dialect: unknownDialect,
  },
  accounts,
  server: { host: "127.0.0.1", port: 0, tokenFile: null, hosts: [] },
  watchdog: { silenceMs: 10_000, pollMs: 250, daemonUrl: null, host: "127.0.0.1", port: null },
  ledger: { file: null, archiveAfterDays: 7, maxBytes: 2 ** 30 },
  fleet: null,
  log: { level: "info" },
  settings: [],
  recording: null,
  webhook: null,
  hash: "one",
});

/** A process that may die and start over on the same disk. */
export class World {
  failure: string | null = null;
  readonly disk = new MemoryDisk({ failing: () => this.failure, flush: () => Promise.resolve() });
  readonly lines: string[] = [];
  ledger!: Ledger;
  desks!: Map<AccountId, AccountDesk>;

  constructor() {
    this.start();
  }

  /** What was committed is there, and nothing else. */
  start(causes: StartCauses = {}, markets: readonly number[] = [1, 2], changes: Partial<QuotedMarket> = {}): void {
    this.disk.killProcess();
    this.ledger = new Ledger({}, { engine: this.disk.open(), clock: systemClock });
    const first = {
      ...quotedAccount(account, []),
      markets: markets.map((id) => ({ ...quotedMarket(id), ...changes })),
    };
    const accounts = [first, quotedAccount(other, [1])];
    const log = createLog("info", { write: (line) => this.lines.push(line), terminal: false, wallMs: () => 0 });
    this.desks = makeDesks(accounts, causes, {
      metrics: createMetrics(),
      clock: systemClock,
      entries: new LiveEntries(systemClock, null),
      log,
      ledger: this.ledger,
      chainId: "chain-2",
      prng: createPrng(1n),
    });
  }

  desk(id: AccountId = account): AccountDesk {
    const desk = this.desks.get(id);
    if (desk === undefined) throw new RangeError(`no desk ${id}`);
    return desk;
  }
}

export const money = usdc;
