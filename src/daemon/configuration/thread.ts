// The configuration is read, and its strategies are tried, in a thread that ends with the reading: whatever a file holds or its code does,
// the loop that trades goes on. What was found right is loaded again here, from the same texts. config-reader.ts is what the thread does.

import { fileURLToPath } from "node:url";
import { isMainThread, workerData } from "node:worker_threads";
import { SettingError } from "../../bot/config/setting.ts";
import type { Configuration } from "../../configuration.ts";
import type { DevnetConfig } from "../../devnet/config/config.ts";
import type { Host, Thread } from "../../host/host.ts";
import { assert } from "../../kernel/assert.ts";
import { ConfigError, type Fault } from "../../kernel/yaml/fault.ts";
import type { Asked, Message, Reading, Told, WorkerData } from "./reader.ts";
import type { Judged, Trial } from "./validate.ts";

/** What one trial turn may use of a processor: a thousand times what a turn of the shipped strategies takes. */
const TRIAL_CPU_MS = 1000;
/** All strategies together, loading included; and the parsing before, of a file that is no more than a configuration may be. */
const PHASE_CPU_MS = 10_000;
/** The same on the clock, for what waits without end. A machine that is busy with other things gives a thread a small share of it. */
const PHASE_MS = 30_000;
const LOOK_MS = 50;
/** A configuration of 1 MiB with thousands of markets fits. */
const MEMORY_MB = 512;

type ThreadHost = Pick<Host, "clock" | "startThread">;

/** A bot's configuration once everything about it is right. Rejects with ConfigError, with every fault, and with SettingError. */
export async function readConfiguration(reading: Reading, host: ThreadHost): Promise<Configuration> {
  const judged = await judgeConfiguration(reading, host);
  refuse(judged);
  return judged.configuration;
}

/** What can be read of a bot's, and what is wrong with it all the same. Rejects as `readConfiguration` does where it cannot be read. */
export async function judgeConfiguration(
  { texts = new Map(), ...reading }: Reading,
  host: ThreadHost,
): Promise<Judged> {
  // The thread is started first: it takes longer than loading what comes after it.
  const [told, { loadAgain, StrategyFault }] = await Promise.all([
    readApart({ ...reading, texts }, host),
    import("../../bot/strategy/loader.ts"),
  ]);
  assert(told.kind === "bot", "only readEither reads a devnet's");
  const { judged, strategies } = told;
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

/** Throws ConfigError where anything is wrong. */
function refuse({ keyFaults, faults }: Judged): void {
  if (keyFaults.length + faults.length > 0) throw new ConfigError([...keyFaults, ...faults]);
}

type Either = (Configuration & Pick<Judged, "warnings">) | { readonly bot: null; readonly devnet: DevnetConfig };

/** The same as `readConfiguration` of a bot's or a devnet's, whichever the file is; strategies stay where they were tried. */
export async function readEither(file: string, host: ThreadHost): Promise<Either> {
  const told = await readApart({ file, orDevnet: true }, host);
  if (told.kind === "devnet") return { bot: null, devnet: told.devnet };
  refuse(told.judged);
  const { configuration, warnings } = told.judged;
  return { ...configuration, warnings };
}

function readApart(
  { file, settings = [], instead = new Map(), texts, orDevnet = false }: Asked,
  { clock, startThread }: ThreadHost,
): Promise<Told> {
  const { promise, resolve, reject } = Promise.withResolvers<Told>();
  const worker = startThread(new URL(import.meta.url), {
    workerData: { reads: { file, settings, instead, orDevnet } } satisfies WorkerData,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  /** Where the code that runs now stands, and all that was found before. */
  let at: Fault = { file, line: 1, column: 1, path: "", message: "" };
  let found: readonly Fault[] = [];
  let trial: { readonly trial: Trial; readonly cpuMs: number } | null = null;
  let deadlineMs = clock.monotonicMs() + PHASE_MS;
  let areStrategies = false;
  let right: Told | null = null;
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
    else if (message.kind === "right") right = message.told;
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
  // With nothing left to do: what a strategy began and did not wait for has failed before.
  worker.on("exit", () => (right === null ? fail("ended the thread that tried it") : resolve(right)));
  return promise.finally(() => {
    looking.cancel();
    worker.removeAllListeners();
    // One that fails while it is ended changes nothing.
    worker.on("error", () => {});
    return worker.terminate();
  });
}

/** Of its thread; null where the runtime cannot tell, and the time on the clock is the bound. */
async function cpuMsOf(worker: Thread): Promise<number | null> {
  if (typeof worker.cpuUsage !== "function") return null;
  const used = await worker.cpuUsage().catch(() => null);
  return used === null ? null : (used.user + used.system) / 1000;
}

if (!isMainThread) {
  const { reads } = (workerData ?? {}) as Partial<WorkerData>;
  if (reads !== undefined) void import("./reader.ts").then(({ serve }) => serve(reads));
}
