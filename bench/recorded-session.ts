// Runs and records the demo in virtual time: bot, exchange and crowd, optionally with a kill, a restart and strategy swaps.

import { startInVirtualTime } from "../src/backtest/run.ts";
import type { BotConfig } from "../src/bot/config/config.ts";
import { agentKeyOf } from "../src/bot/execution/agent-key.ts";
import { MemoryDisk } from "../src/bot/ledger/memory/memory.ts";
import { recordingFilesAtOnce } from "../src/bot/recording/files.ts";
import { FILE_BYTES_MAX, Recorder } from "../src/bot/recording/recorder.ts";
import type { Bot } from "../src/bot/service/lifecycle/bot.ts";
import { createMetrics, type Metrics } from "../src/bot/telemetry/metrics.ts";
import type { Configuration } from "../src/configuration.ts";
import type { AccountId } from "../src/domain/units.ts";
import { HOUR_MS, macrotask, microtasks } from "../src/kernel/clock.ts";
import { createPrng } from "../src/kernel/prng.ts";
import { createVirtualClock } from "../src/kernel/virtual-clock.ts";
import { createSimulatedExchange, type SimulatedExchange } from "../src/sim/exchange.ts";
import { createInProcessVenue } from "../src/sim/in-process-venue.ts";
import { latencyOnly, sameLatency } from "../src/sim/network/network-conditions.ts";
import { ProcessRun } from "../src/sim/process-run.ts";
import { keyedHashSigner, keyedHashVerifier } from "../src/wire/signing-simulated.ts";

/** Events for the bot, each at an hour of the session. */
export type SessionEvent =
  | { readonly atHour: number; readonly kind: "kill" | "stop" }
  | { readonly atHour: number; readonly kind: "swap"; readonly to: BotConfig };

export type Session = {
  readonly bot: BotConfig;
  readonly hours: number;
  readonly seed: bigint;
  /** Null: no recording. */
  readonly folder: string | null;
  readonly events?: readonly SessionEvent[];
  /** Unix ms of its start, if it is not the usual one. */
  readonly startMs?: number;
  /** Gets the exchange before anything happens on it. */
  readonly watch?: (exchange: SimulatedExchange) => void;
};

export const START_MS = 1_790_000_000_000;
const DELAY_MS = 40;

/** Resolves with the metrics of the last run. After a kill or a stop the bot restarts at once. */
export async function recordSession(devnet: NonNullable<Configuration["devnet"]>, session: Session): Promise<Metrics> {
  const { bot: config, seed, folder } = session;
  const prng = createPrng(seed);
  const world = createVirtualClock({ startMs: session.startMs ?? START_MS, settle: microtasks });
  const keys = new Map(
    config.accounts.map(({ accountId }, at) => [
      accountId,
      agentKeyOf(keyedHashSigner(new Uint8Array(32).fill(at + 1))),
    ]),
  );
  const agentsOf = (accountId: AccountId) => {
    const key = keys.get(accountId);
    return key === undefined ? [] : [{ pubkey: key.publicKey, name: "quoin", expiresAtSec: null }];
  };
  const accounts = devnet.accounts.map((account) => ({ ...account, agents: agentsOf(account.accountId) }));
  const exchange = createSimulatedExchange(
    { config: { ...devnet, seed, clock: { mode: "real" }, accounts } },
    { clock: world, verifier: keyedHashVerifier, signerOf: keyedHashSigner, log: () => {} },
  );
  session.watch?.(exchange);
  const disk = new MemoryDisk();
  let metrics = createMetrics();
  let processRun = new ProcessRun({ world, view: world.viewOf({ skewMs: 0, driftPpm: 0 }) });
  const start = (running: BotConfig): Promise<Bot> => {
    processRun = new ProcessRun({ world, view: world.viewOf({ skewMs: 0, driftPpm: 0 }) });
    metrics = createMetrics();
    const own = processRun;
    const venue = createInProcessVenue(
      {},
      { world, processRun, exchange, conditions: latencyOnly(sameLatency(() => DELAY_MS)), prng: prng.fork("venue") },
    );
    const record = (): Recorder =>
      new Recorder({
        clock: own.clock,
        files: recordingFilesAtOnce(folder ?? ""),
        version: "0.1.0",
        fileBytesMax: FILE_BYTES_MAX,
        onFailed: (why) => {
          throw new Error(why);
        },
        onWritten: () => {},
      });
    const recorded = folder === null ? {} : { record };
    return startInVirtualTime(running, keys, {
      venue,
      world: own.clock,
      prng,
      metrics,
      ledger: disk.open(),
      ...recorded,
    });
  };
  const pass = async (untilHour: number): Promise<void> => {
    while (world.elapsedMs() < untilHour * HOUR_MS) {
      await world.advance(Math.min(60_000, untilHour * HOUR_MS - world.elapsedMs()));
      await macrotask();
    }
  };
  /** Lets time pass until the promise settles. */
  const during = async <T>(waited: Promise<T>): Promise<T> => {
    let isOver = false;
    const end = waited.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await world.advance(100);
      await macrotask();
    }
    return end;
  };
  let bot = await during(start(config));
  for (const event of session.events ?? []) {
    await pass(event.atHour);
    if (event.kind === "swap")
      await during(bot.reload({ by: "signal", asked: bot.configVersion, read: async () => event.to }));
    else {
      const running = bot.config;
      if (event.kind === "stop") await during(bot.stop());
      processRun.end();
      disk.killProcess();
      bot = await during(start(running));
    }
  }
  await pass(session.hours);
  await during(bot.stop());
  await exchange.close();
  return metrics;
}
