// A second thread that ends the process (end-hung.ts) when a strategy's call does not return, which nothing in the trading thread could do.
// While calls are long it also counts how long it ran itself, which distinguishes a call that waits from a process without processor time.

import { readFileSync } from "node:fs";
import { url as debuggerUrl } from "node:inspector";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import type { BotConfig } from "../../bot/config/config.ts";
import type { RemainingOrder } from "../../bot/decider/acting/mass-cancel.ts";
import type { Bot } from "../../bot/service/lifecycle/bot.ts";
import type { Holding } from "../../bot/service/lifecycle/build.ts";
import { type CallMeter, type Supervise, supervise, type Usage } from "../../bot/strategy/supervised.ts";
import type { Log } from "../../bot/telemetry/log.ts";
import type { Host } from "../../host/host.ts";
import { type Clock, sleep, systemClock } from "../../kernel/clock.ts";
import { shareSigner } from "../../wire/signing.ts";
import type { Hung, SharedHolding } from "./end-hung.ts";

/** A call that takes longer counts as hung. */
const CALL_MS_MAX = 2000;
const LOOK_MS = 100;
/** While calls are long, and for `CLOSELY_FOR_MS` after. */
const LOOK_CLOSELY_MS = 10;
const CLOSELY_FOR_MS = 5000;
/** How old the thread's list of our orders may be. It cancels newer orders too: everything that is not known to be foreign. */
const TELL_MS = 250;
/** When the thread loads end-hung.ts: after a start is over, and before the first call can count as hung. */
const LOAD_AFTER_MS = 1500;

export type CallWatch = {
  readonly supervise: Supervise;
  /** The bot whose orders are canceled. Undefined: there is none yet. */
  readonly reaches: (bot: Pick<Bot, "holdings"> | undefined) => void;
  readonly close: () => void;
};

type WatchData = Pick<Hung, "validatorUrl" | "wsUrl" | "terminal"> & { readonly shared: Int32Array };

/**
 * Slots of the shared memory. `CALLS`: odd while a strategy's call lasts. `BESIDE`: milliseconds that the second thread ran. `ASKED`: reads
 * of that.
 */
const [CALLS, BESIDE, ASKED] = [0, 1, 2];

const idOf = ({ orderId }: RemainingOrder) => orderId;

/** Starts the thread, which does not keep the process alive. */
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
  // Under a debugger a call may be paused for any time.
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

/** How long this thread has waited for a processor. Linux lists nanoseconds running, nanoseconds waiting, and time slices; elsewhere 0. */
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
  // Loaded before anything hangs, while the files are still those that the daemon started from.
  const ending = sleep(clock, LOAD_AFTER_MS).then(() => import("./end-hung.ts"));
  await untilStuck(shared, clock);
  await (await ending).endHung({ ...exchange, held, hungMs: CALL_MS_MAX }, clock);
}

/** Resolves when one call has lasted too long while this thread ran. A pause of the whole process counts as two looks at most. */
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
