// Reads a configuration and tries its strategies in a thread of its own, so that no file and no strategy's code can hold up the trading
// thread. Strategies that passed are loaded again in this thread, from the same texts. What the thread does is in reader.ts.

import { fileURLToPath } from "node:url";
import { isMainThread, workerData } from "node:worker_threads";
import { SettingError } from "../../bot/config/setting.ts";
import type { Configuration } from "../../configuration.ts";
import type { DevnetConfig } from "../../devnet/config/config.ts";
import type { Host, Thread } from "../../host/host.ts";
import { assert } from "../../kernel/assert.ts";
import { ConfigError, type Fault } from "../../kernel/yaml/fault.ts";
import type { Asked, Message, Reading, ReadResult, WorkerData } from "./reader.ts";
import type { Judged, Trial } from "./validate.ts";

/** Processor time of one trial turn: a thousand times what a shipped strategy needs. */
const TRIAL_CPU_MS = 1000;
/** Processor time for parsing the file, and again for loading and trying all strategies. */
const PHASE_CPU_MS = 10_000;
/** The same on the clock, for code that waits forever. Longer, since a busy machine gives a thread little processor time. */
const PHASE_MS = 30_000;
const LOOK_MS = 50;
/** Enough for a configuration of 1 MiB with thousands of markets. */
const MEMORY_MB = 512;

type ThreadHost = Pick<Host, "clock" | "startThread">;

/** Returns a bot's configuration that has no fault. Rejects with ConfigError, which names every fault, and with SettingError. */
export async function readConfiguration(reading: Reading, host: ThreadHost): Promise<Configuration> {
  const judged = await judgeConfiguration(reading, host);
  refuse(judged);
  return judged.configuration;
}

/** Returns a readable configuration together with its faults. Rejects with ConfigError and SettingError when it cannot be read. */
export async function judgeConfiguration(
  { texts = new Map(), ...reading }: Reading,
  host: ThreadHost,
): Promise<Judged> {
  // Start the thread first: it takes longer than the import.
  const [result, { loadAgain, StrategyFault }] = await Promise.all([
    readApart({ ...reading, texts }, host),
    import("../../bot/strategy/loader.ts"),
  ]);
  assert(result.kind === "bot", "only readEither reads a devnet's");
  const { judged, strategies } = result;
  const { configuration } = judged;
  const { bot } = configuration;
  const readText = (url: URL): string => {
    const text = texts.get(fileURLToPath(url)) ?? null;
    if (text === null) throw new Error(`${fileURLToPath(url)} was not read`);
    return text;
  };
  const accounts = await Promise.all(
    bot.accounts.map(async (account, index) => ({
      ...account,
      markets: await Promise.all(
        account.markets.map(async (market, position) => {
          const of = strategies[index]?.[position];
          if (of === undefined) return market;
          const strategy = await loadAgain(of.strategy, readText);
          const { shadow } = market;
          if (shadow === null || of.shadow === null) return { ...market, strategy };
          return { ...market, strategy, shadow: { ...shadow, strategy: await loadAgain(of.shadow, readText) } };
        }),
      ),
    })),
  ).catch((error: unknown) => {
    if (!(error instanceof StrategyFault)) throw error;
    throw new ConfigError([{ file: reading.file, line: 1, column: 1, path: "", message: error.message }]);
  });
  return { ...judged, configuration: { ...configuration, bot: { ...bot, accounts } } };
}

/** Throws ConfigError when there is any fault. */
function refuse({ keyFaults, faults }: Judged): void {
  if (keyFaults.length + faults.length > 0) throw new ConfigError([...keyFaults, ...faults]);
}

type Either = (Configuration & Pick<Judged, "warnings">) | { readonly bot: null; readonly devnet: DevnetConfig };

/**
 * Reads a bot's configuration or a devnet's, whichever the file is. Does not load strategies in this thread. Rejects as `readConfiguration`
 * does.
 */
export async function readEither(file: string, host: ThreadHost): Promise<Either> {
  const result = await readApart({ file, orDevnet: true }, host);
  if (result.kind === "devnet") return { bot: null, devnet: result.devnet };
  refuse(result.judged);
  const { configuration, warnings } = result.judged;
  return { ...configuration, warnings };
}

function readApart(
  { file, settings = [], instead = new Map(), texts, orDevnet = false }: Asked,
  { clock, startThread }: ThreadHost,
): Promise<ReadResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadResult>();
  const worker = startThread(new URL(import.meta.url), {
    workerData: { reads: { file, settings, instead, orDevnet } } satisfies WorkerData,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  /** Place of the code that is running now, and the faults found before it. */
  let at: Fault = { file, line: 1, column: 1, path: "", message: "" };
  let found: readonly Fault[] = [];
  let trial: { readonly trial: Trial; readonly cpuMs: number } | null = null;
  let deadlineMs = clock.monotonicMs() + PHASE_MS;
  let areStrategies = false;
  let right: ReadResult | null = null;
  const fail = (message: string): void => reject(new ConfigError([...found, { ...at, message }]));
  const failSlow = (bound: string): void =>
    fail(
      areStrategies
        ? `is not ${trial === null ? "loaded" : "tried"} within ${bound}`
        : `cannot be read within ${bound}`,
    );
  const look = async (): Promise<void> => {
    if (clock.monotonicMs() > deadlineMs) return failSlow(`${PHASE_MS / 1000} s`);
    const tried = trial;
    const usedMs = await cpuMsOf(worker);
    if (usedMs === null) return;
    if (usedMs > (areStrategies ? 2 : 1) * PHASE_CPU_MS) return failSlow(`${PHASE_CPU_MS / 1000} s of processor time`);
    if (tried === null || tried !== trial || usedMs - tried.cpuMs <= TRIAL_CPU_MS) return;
    const { quoteAt, triedOn } = tried.trial;
    const where = quoteAt === null ? "" : ` at ${quoteAt}`;
    fail(`has not returned after ${TRIAL_CPU_MS / 1000} s of processor time${where}, tried on ${triedOn}`);
  };
  const looking = clock.every(LOOK_MS, () => void look());
  const startStrategies = (): void => {
    if (areStrategies) return;
    areStrategies = true;
    deadlineMs = clock.monotonicMs() + PHASE_MS;
  };
  worker.on("message", (message: Message) => {
    if (message.kind === "loading") {
      startStrategies();
      at = message.at;
    } else if (message.kind === "trying") {
      startStrategies();
      ({ at, found } = message);
      trial = message;
    } else if (message.kind === "texts") for (const [path, text] of message.texts) texts?.set(path, text);
    else if (message.kind === "right") right = message.result;
    else if (message.kind === "wrong") reject(new ConfigError(message.faults));
    else reject(message.isSetting ? new SettingError("setting_unknown", message.message) : new Error(message.message));
  });
  worker.on("error", (error: Error & { readonly code?: string }) =>
    fail(
      error.code === "ERR_WORKER_OUT_OF_MEMORY"
        ? `needs more than ${MEMORY_MB} MiB of memory`
        : `left an error that nothing caught: ${error.message}`,
    ),
  );
  // The thread exits when it has nothing left to do, so a promise that a strategy did not await has settled by now.
  worker.on("exit", () => (right === null ? fail("ended the thread that tried it") : resolve(right)));
  return promise.finally(() => {
    looking.cancel();
    worker.removeAllListeners();
    // An error while the thread is being terminated changes nothing.
    worker.on("error", () => {});
    return worker.terminate();
  });
}

/** Processor time of the thread. Null: this runtime cannot tell, and only the limit on the clock holds. */
async function cpuMsOf(worker: Thread): Promise<number | null> {
  if (typeof worker.cpuUsage !== "function") return null;
  const used = await worker.cpuUsage().catch(() => null);
  return used === null ? null : (used.user + used.system) / 1000;
}

if (!isMainThread) {
  const { reads } = (workerData ?? {}) as Partial<WorkerData>;
  if (reads !== undefined) void import("./reader.ts").then(({ serve }) => serve(reads));
}
