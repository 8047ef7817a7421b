// A thread beside the one that trades: it ends a strategy's call that does not return, which nothing in the trading thread could, and the
// process with it (end-hung.ts). While calls are long it also tells that the process runs, so that a call which waits is not taken for a
// process that stands still.

import { readFileSync } from "node:fs";
import { url as debuggerUrl } from "node:inspector";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import type { BotConfig } from "../../bot/config/config.ts";
import type { RemainingOrder } from "../../bot/decider/mass-cancel.ts";
import type { Bot } from "../../bot/service/lifecycle/bot.ts";
import type { Holding } from "../../bot/service/lifecycle/build.ts";
import { type CallMeter, type Supervise, supervise, type Usage } from "../../bot/strategy/supervised.ts";
import type { Log } from "../../bot/telemetry/log.ts";
import type { Host } from "../../host/host.ts";
import { type Clock, sleep, systemClock } from "../../kernel/clock.ts";
import { shareSigner } from "../../wire/signing.ts";
import type { Hung, SharedHolding } from "./end-hung.ts";

/** A call that takes longer does not return. */
const CALL_MS_MAX = 2000;
const LOOK_MS = 100;
/** While calls are long, and for so long after. */
const LOOK_CLOSELY_MS = 10;
const CLOSELY_FOR_MS = 5000;
/** How old what the thread knows of our orders may be; whatever rests and is not known to be another's is canceled all the same. */
const TELL_MS = 250;
/** A start takes less, and what does not return is ended later. */
const LOAD_AFTER_MS = 1500;

export type CallWatch = {
  readonly supervise: Supervise;
  /** Whose orders are canceled; undefined: nothing rests that is ours to cancel. */
  readonly reaches: (bot: Pick<Bot, "holdings"> | undefined) => void;
  readonly close: () => void;
};

type WatchData = Pick<Hung, "validatorUrl" | "wsUrl" | "terminal"> & { readonly shared: Int32Array };

/** In the memory that both threads see. `CALLS`: odd while a strategy's call lasts; `BESIDE`: milliseconds in which the thread beside ran; `ASKED`: how often these were. */
const [CALLS, BESIDE, ASKED] = [0, 1, 2];

const idOf = ({ orderId }: RemainingOrder) => orderId;

/** Starts the thread. It keeps no process alive. */
export function watchCalls(
  { venue }: Pick<BotConfig, "venue">,
  { clock, terminal: { stdout: terminal }, startThread }: Pick<Host, "clock" | "terminal" | "startThread">,
  log: Log,
): CallWatch {
  const shared = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
  const count = (): void => void Atomics.add(shared, CALLS, 1);
  const usage = (): Usage => {
    Atomics.add(shared, ASKED, 1);
    return { cpuMs: cpuMs(), queuedMs: queuedMs(), besideMs: Atomics.load(shared, BESIDE) };
  };
  const meter: CallMeter = { begins: count, ended: count, nowMs: clock.monotonicMs, usage };
  // A debugger holds calls for as long as its user likes.
  if (debuggerUrl() !== undefined) return { supervise: supervise(meter), reaches: () => {}, close: () => {} };
  const { validatorUrl, wsUrl } = venue.kind === "remote" ? venue : { validatorUrl: null, wsUrl: null };
  const watch: WatchData = { shared, validatorUrl, wsUrl, terminal };
  const worker = startThread(new URL(import.meta.url), { workerData: { watch } });
  worker.unref();
  worker.on("error", (err) =>
    log.error({ event: "callWatch.ended", err }, "a strategy that hangs can no longer be ended; restart the daemon"),
  );
  let bot: Pick<Bot, "holdings"> | undefined;
  let reported = "";
  const tell = (): void => {
    const held = (bot?.holdings() ?? []).flatMap(sharedHolding);
    const text = held
      .map(({ signer, keep, own, unknown }) => [signer.publicKey, keep, own.map(idOf), unknown].join(" "))
      .join();
    if (text === reported) return;
    reported = text;
    worker.postMessage(held);
  };
  const telling = clock.every(TELL_MS, tell);
  return {
    supervise: supervise(meter),
    reaches(made) {
      bot = made;
      tell();
    },
    close() {
      telling.cancel();
      worker.removeAllListeners();
      void worker.terminate();
    },
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Linux tells nanoseconds on a processor, waiting for one, and how often. */
function queuedMs(): number {
  try {
    const [, waited] = readFileSync("/proc/thread-self/schedstat", "utf8").split(" ");
    return Number(waited) / 1e6;
  } catch {
    return 0;
  }
}

function sharedHolding({ agentKey, ...holding }: Holding): readonly SharedHolding[] {
  const signer = shareSigner(agentKey.signer);
  return signer === null ? [] : [{ ...holding, signer }];
}

async function watch({ shared, ...exchange }: WatchData): Promise<void> {
  const clock = systemClock;
  let held: readonly SharedHolding[] = [];
  parentPort?.on("message", (message: readonly SharedHolding[]) => {
    held = message;
  });
  // Before anything hangs, from the files that the daemon began with, but not while it starts.
  const ending = sleep(clock, LOAD_AFTER_MS).then(() => import("./end-hung.ts"));
  await untilStuck(shared, clock);
  await (await ending).endHung({ ...exchange, held, hungMs: CALL_MS_MAX }, clock);
}

/** Resolves when one call has lasted for too long while this thread ran: a process that stands still as a whole counts as two looks. */
async function untilStuck(shared: Int32Array, clock: Clock): Promise<void> {
  let [seen, seenMs, stuckMs] = [0, clock.monotonicMs(), 0];
  let [asked, askedMs] = [0, Number.NEGATIVE_INFINITY];
  while (stuckMs < CALL_MS_MAX) {
    const lookMs = seenMs - askedMs < CLOSELY_FOR_MS ? LOOK_CLOSELY_MS : LOOK_MS;
    await sleep(clock, lookMs);
    const [now, nowMs] = [Atomics.load(shared, CALLS), clock.monotonicMs()];
    const ranMs = Math.min(nowMs - seenMs, 2 * lookMs);
    Atomics.add(shared, BESIDE, Math.round(ranMs));
    stuckMs = now === seen && now % 2 !== 0 ? stuckMs + ranMs : 0;
    if (Atomics.load(shared, ASKED) !== asked) [asked, askedMs] = [Atomics.load(shared, ASKED), nowMs];
    [seen, seenMs] = [now, nowMs];
  }
}

if (!isMainThread) {
  const { watch: data } = (workerData ?? {}) as { readonly watch?: WatchData };
  if (data !== undefined) void watch(data);
}
