// One run: the bot as it runs live against the devnet and its crowd, in process, under virtual time, with latency between them.

import type { BotConfig } from "../bot/config/config.ts";
import { type AgentKey, agentKeyOf } from "../bot/execution/agent-key.ts";
import { forgetfulEngine } from "../bot/ledger/memory/forgetful.ts";
import { startBot } from "../bot/service/lifecycle/bot.ts";
import { createLog } from "../bot/telemetry/log.ts";
import { createMetrics } from "../bot/telemetry/metrics.ts";
import type { DevnetConfig } from "../devnet/config/config.ts";
import type { AccountId } from "../domain/units.ts";
import { DAY_MS, macrotask, microtasks } from "../kernel/clock.ts";
import { createPrng, type Prng } from "../kernel/prng.ts";
import { createVirtualClock, type VirtualClock } from "../kernel/virtual-clock.ts";
import { filesOf } from "../kernel/yaml/files.ts";
import { type Configuration, loadConfiguration } from "../sim/configuration.ts";
import { createSimulatedExchange, type SimulatedExchange } from "../sim/exchange.ts";
import { createInProcessVenue } from "../sim/in-process-venue.ts";
import { undisturbed } from "../sim/life.ts";
import { latencyOnly, type NetworkConditions } from "../sim/network/network-conditions.ts";
import { keyedHashSigner, keyedHashVerifier } from "../wire/signing-simulated.ts";
import type { BacktestJob, Outcome } from "./outcome.ts";
import { Recorder } from "./recorder.ts";
import { worldOf } from "./world.ts";

/** Where counting begins: a midnight, so that days of the run are days of the calendar. */
const START_MS = 1_790_035_200_000;
/** How often a run tells how far it has come. */
const TELL_EVERY_MS = 3_600_000;
type Tell = (share: number) => void;

/**
 * What JSON holds of the outcome, since files and queues hold no more: -0 would show in a report. Throws ConfigError, SettingError, and
 * what `runConfigured` throws.
 */
export async function runBacktest(job: BacktestJob, tell?: Tell): Promise<Outcome> {
  const configuration = await loadConfiguration(
    job.file,
    filesOf(new Map(job.sources.map(({ path, text }) => [path, text]))),
    job.settings,
  );
  return JSON.parse(JSON.stringify(await runConfigured(configuration, job, tell)));
}

/** `tell` hears the share that is done. Rejects with RangeError without a devnet, and where the bot does not start. */
export async function runConfigured(
  { bot, devnet }: Configuration,
  job: Omit<BacktestJob, "sources">,
  tell: Tell = () => {},
): Promise<Outcome> {
  if (devnet === null) throw new RangeError(`${job.file}: venue.embedded is missing: a backtest needs a devnet`);
  const prng = createPrng(job.seed).fork("backtest");
  const keys = keysOf(bot, prng.fork("keys"));
  const warmUpMs = Math.round(job.warmUpDays * DAY_MS);
  const world = createVirtualClock({ startMs: START_MS - warmUpMs, settle: microtasks });
  const { line, devnet: drawn, latencies } = worldOf(devnet, job.world === "drawn", prng.fork("world"));
  const exchange = createSimulatedExchange(
    { config: seeded(drawn, job.seed, keys), shortcuts: job.shortcuts },
    { clock: world, verifier: keyedHashVerifier, signerOf: keyedHashSigner, log: () => {} },
  );
  const recorder = new Recorder(bot, exchange.chain, { startMs: START_MS });
  const conditions = latencyOnly(latencies(prng.fork("latency")));
  const started = start(bot, keys, { world, exchange, conditions, prng });
  const untilMs = warmUpMs + job.days * DAY_MS;
  // Whoever waits for an answer waits for time to pass.
  const advance = async (): Promise<void> => {
    while (world.elapsedMs() < untilMs) {
      await world.advance(Math.min(TELL_EVERY_MS, untilMs - world.elapsedMs()));
      tell(world.elapsedMs() / untilMs);
      // The thread hears of nothing else while the run goes on.
      await macrotask();
    }
  };
  await Promise.all([started, advance()]);
  const outcome = recorder.end(job, line);
  await exchange.close();
  return outcome;
}

type Around = {
  readonly world: VirtualClock;
  readonly exchange: SimulatedExchange;
  readonly conditions: NetworkConditions;
  readonly prng: Prng;
};

async function start(
  bot: BotConfig,
  keys: ReadonlyMap<AccountId, AgentKey>,
  { world, exchange, conditions, prng }: Around,
) {
  const venue = createInProcessVenue(
    {},
    { world, life: undisturbed(world), exchange, conditions, prng: prng.fork("venue") },
  );
  await startBot(
    bot,
    {
      venue,
      keys,
      reloadKey: async (_, running) => running,
      ledger: forgetfulEngine(),
      prng: prng.fork("bot"),
      release: () => {},
    },
    {
      clock: world,
      log: createLog("error", { write: () => {}, terminal: false, wallMs: world.wallMs }),
      metrics: createMetrics(),
      serve: async () => ({ url: "http://backtest.invalid", close: async () => {} }),
      version: "backtest",
      commit: "backtest",
    },
  );
}

/** A key per account, of the run alone. */
const keysOf = ({ accounts }: BotConfig, prng: Prng): ReadonlyMap<AccountId, AgentKey> =>
  new Map(
    accounts.map(({ accountId }) => {
      const own = prng.fork(`${accountId}`);
      const seed = Uint8Array.from({ length: 32 }, () => own.below(256));
      return [accountId, agentKeyOf(keyedHashSigner(seed))];
    }),
  );

/** The run's seed is the devnet's; its time is the run's; the keys are approved from the start. */
function seeded(devnet: DevnetConfig, seed: bigint, keys: ReadonlyMap<AccountId, AgentKey>): DevnetConfig {
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
