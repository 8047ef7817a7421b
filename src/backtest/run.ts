// One run: the bot as it runs live against the devnet and its crowd, in process, under virtual time, with latency between them.

import type { BotConfig } from "../bot/config/config.ts";
import type { PremiumLine } from "../bot/dashboard/status.ts";
import { type AgentKey, agentKeyOf } from "../bot/execution/agent-key.ts";
import { forgetfulEngine } from "../bot/ledger/memory/forgetful.ts";
import type { LedgerEngine } from "../bot/ledger/store.ts";
import type { Recorder as SessionRecorder } from "../bot/recording/recorder.ts";
import { type Bot, startBot } from "../bot/service/lifecycle/bot.ts";
import { createLog } from "../bot/telemetry/log.ts";
import { createMetrics, type Metrics } from "../bot/telemetry/metrics.ts";
import type { Venue } from "../bot/venue/port.ts";
import { type Configuration, datedByPrints } from "../configuration.ts";
import type { DevnetConfig } from "../devnet/config/config.ts";
import { type AccountId, AMOUNT_SCALE, native, usdc } from "../domain/units.ts";
import { type Clock, DAY_MS, macrotask, microtasks } from "../kernel/clock.ts";
import { formatDecimal, parseDecimal } from "../kernel/decimal.ts";
import { createPrng, type Prng } from "../kernel/prng.ts";
import { createVirtualClock } from "../kernel/virtual-clock.ts";
import { createSimulatedExchange } from "../sim/exchange.ts";
import { createInProcessVenue } from "../sim/in-process-venue.ts";
import { latencyOnly } from "../sim/network/network-conditions.ts";
import { undisturbed } from "../sim/process-run.ts";
import { keyedHashSigner, keyedHashVerifier } from "../wire/signing-simulated.ts";
import { FaultRecord } from "./faults.ts";
import type { BacktestJob, MarketLine, Outcome } from "./outcome.ts";
import { Recorder } from "./recorder.ts";
import { worldOf } from "./world.ts";

/** Counting begins at midnight, so that days of the run are days of the calendar. */
export const START_MS = 1_790_035_200_000;
/** Interval of progress reports, in simulated time: about one real second with the demo's markets. */
const TELL_EVERY_MS = 60_000;
export type Tell = (share: number) => void;

/** `tell` gets the finished share; `metrics` are the bot's. Rejects with RangeError without a devnet, and where the bot does not start. */
export async function runConfigured(
  { bot: configured, devnet }: Configuration,
  job: Omit<BacktestJob, "sources">,
  tell: Tell = () => {},
  metrics: Metrics = createMetrics(),
): Promise<Outcome> {
  if (devnet === null) throw new RangeError(`${job.file}: venue.embedded is missing: a backtest needs a devnet`);
  const startMs = START_MS - Math.round(job.warmUpDays * DAY_MS);
  const signals = datedByPrints(configured.signals, { bot: configured, devnet }, startMs);
  const bot = withNobodyOnPaper({ ...configured, signals });
  const prng = createPrng(job.seed).fork("backtest");
  const keys = keysOf(bot, prng.fork("keys"));
  const warmUpMs = Math.round(job.warmUpDays * DAY_MS);
  const world = createVirtualClock({ startMs: START_MS - warmUpMs, settle: microtasks });
  const { line, devnet: drawn, latencies } = worldOf(devnet, job.world === "drawn", prng.fork("world"));
  const exchange = createSimulatedExchange(
    { config: seeded(withPaperAccounts(drawn, configured), job.seed, keys), shortcuts: job.shortcuts },
    { clock: world, verifier: keyedHashVerifier, signerOf: keyedHashSigner, log: () => {} },
  );
  const recorder = new Recorder(bot, exchange.chain, { startMs: START_MS, keepsFills: job.keepsFills });
  const conditions = latencyOnly(latencies(prng.fork(`latency${job.latencyDraw ?? ""}`)));
  const links = { world, processRun: undisturbed(world), exchange, conditions, prng: prng.fork("venue") };
  const faults = new FaultRecord();
  const venue = createInProcessVenue({}, links);
  const started = startInVirtualTime(bot, keys, { venue, world, prng, metrics, onLine: faults.line });
  const untilMs = warmUpMs + job.days * DAY_MS;
  let before: PremiumLines = new Map();
  const begin = (bot: Bot): void => {
    before = premiumsOf(bot);
  };
  world.after(warmUpMs, () => void started.then(begin, () => {}));
  // Waiting for an answer means advancing time.
  const advance = async (): Promise<void> => {
    while (world.elapsedMs() < untilMs) {
      await world.advance(Math.min(TELL_EVERY_MS, untilMs - world.elapsedMs()));
      tell(world.elapsedMs() / untilMs);
      // The thread handles messages only here while the run goes on.
      await macrotask();
    }
  };
  const [running] = await Promise.all([started, advance()]);
  const outcome = withPremiums(recorder.end(job, line), before, premiumsOf(running));
  await exchange.close();
  return faults.addedTo(outcome, metrics);
}

/** By account and market, for those with a premium book. */
type PremiumLines = ReadonlyMap<string, PremiumLine>;

const premiumsOf = (bot: Pick<Bot, "status">): PremiumLines =>
  new Map(
    bot
      .status()
      .accounts.flatMap(({ accountId, markets }) =>
        markets.flatMap(({ marketId, premium }) =>
          premium === null ? [] : [[`${accountId} ${marketId}`, premium] as const],
        ),
      ),
  );

/** Adds what premium books earned since counting began, as the bot books it. */
function withPremiums({ line, ...rest }: Outcome, before: PremiumLines, now: PremiumLines): Outcome {
  const markets = line.markets.map((market): MarketLine => {
    const name = `${market.accountId} ${market.marketId}`;
    const end = now.get(name);
    if (end === undefined) return market;
    const earned = BigInt(Math.round((end.pnl - (before.get(name)?.pnl ?? 0)) * 10 ** AMOUNT_SCALE));
    const left = parseDecimal(market.pnl.total, AMOUNT_SCALE) - earned;
    const [pnl, spreadPnl] = [earned, left].map((amount) => formatDecimal(amount, AMOUNT_SCALE)) as [string, string];
    return { ...market, premium: { pnl, spreadPnl, target: end.target, held: end.held } };
  });
  return { ...rest, line: { ...line, markets } };
}

type Around = {
  readonly venue: Venue;
  readonly world: Clock;
  /** Default: nothing outlives the bot. */
  readonly ledger?: LedgerEngine;
  readonly prng: Prng;
  readonly metrics: Metrics;
  /** Takes the log's lines, from warnings on. */
  readonly onLine?: (line: string) => void;
  readonly record?: () => SessionRecorder;
};

/** Starts the bot as it runs live, in virtual time, without a disk and without HTTP. Throws StartError. */
export const startInVirtualTime = (
  bot: BotConfig,
  keys: ReadonlyMap<AccountId, AgentKey>,
  { venue, world, ledger = forgetfulEngine(), prng, metrics, onLine, record }: Around,
): Promise<Bot> =>
  startBot(
    bot,
    {
      venue,
      keys,
      reloadKey: async (_, running) => running,
      ledger,
      prng: prng.fork("bot"),
      release: () => {},
    },
    {
      clock: world,
      log: createLog(onLine === undefined ? "error" : "warn", {
        write: (line) => onLine?.(`${line}`),
        terminal: false,
        wallMs: world.wallMs,
      }),
      metrics,
      serve: async () => ({ url: "http://backtest.invalid", close: async () => {} }),
      version: "backtest",
      commit: "backtest",
      ...(record === undefined ? {} : { record }),
    },
  );

/** Makes a key per account, for this run only. */
export const keysOf = ({ accounts }: BotConfig, prng: Prng): ReadonlyMap<AccountId, AgentKey> =>
  new Map(
    accounts.map(({ accountId }) => {
      const own = prng.fork(`${accountId}`);
      const seed = Uint8Array.from({ length: 32 }, () => own.below(256));
      return [accountId, agentKeyOf(keyedHashSigner(seed))];
    }),
  );

/** The exchange is simulated, so a paper account becomes one of its accounts. */
const withNobodyOnPaper = (bot: BotConfig): BotConfig => ({
  ...bot,
  accounts: bot.accounts.map((account) => ({ ...account, paper: null })),
});

function withPaperAccounts(devnet: DevnetConfig, { accounts }: BotConfig): DevnetConfig {
  const added = accounts.flatMap(({ accountId, paper }) =>
    paper === null || devnet.accounts.some((account) => account.accountId === accountId)
      ? []
      : [{ ...NEW_ACCOUNT, accountId, collateral: paper.collateral }],
  );
  return { ...devnet, accounts: [...devnet.accounts, ...added] };
}

const NEW_ACCOUNT = {
  owner: "00".repeat(32),
  native: native(0n),
  masterAccountId: null,
  agents: [],
  volume30d: usdc(0n),
} as const;

/** Returns the devnet's configuration with the run's seed and time, and its keys approved from the start. */
export function seeded(devnet: DevnetConfig, seed: bigint, keys: ReadonlyMap<AccountId, AgentKey>): DevnetConfig {
  return {
    ...devnet,
    seed,
    clock: { mode: "real" },
    accounts: devnet.accounts.map((account) => {
      const key = keys.get(account.accountId);
      const agents = key === undefined ? [] : [{ pubkey: key.publicKey, name: "quoin", expiresAtSec: null }];
      return { ...account, agents: [...account.agents, ...agents] };
    }),
  };
}
