// A thread beside the one that trades: it ends a strategy's call that does not return, which nothing in the trading thread could, and the
// process with it (end-hung.ts).

import { url as debuggerUrl } from "node:inspector";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import type { BotConfig } from "../bot/config/config.ts";
import type { RemainingOrder } from "../bot/execution/mass-cancel.ts";
import type { Bot } from "../bot/service/lifecycle/bot.ts";
import type { Holding } from "../bot/service/lifecycle/build.ts";
import { type Supervise, supervise } from "../bot/strategy/supervised.ts";
import type { Log } from "../bot/telemetry/log.ts";
import { type Clock, sleep, systemClock } from "../kernel/clock.ts";
import { shareSigner } from "../wire/signing.ts";
import type { Hung, SharedHolding } from "./end-hung.ts";
import type { Host } from "./host.ts";

/** A call that takes longer does not return. */
const CALL_MS_MAX = 2000;
const LOOK_MS = 100;
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

type WatchData = Pick<Hung, "validatorUrl" | "wsUrl" | "terminal"> & {
  /** Odd while a strategy's call lasts. */
  readonly calls: Int32Array;
};

const idOf = ({ orderId }: RemainingOrder) => orderId;

/** Starts the thread. It keeps no process alive. */
export function watchCalls(
  { venue }: Pick<BotConfig, "venue">,
  { clock, terminal: { stdout: terminal }, startThread }: Pick<Host, "clock" | "terminal" | "startThread">,
  log: Log,
): CallWatch {
  const calls = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const count = (): void => void Atomics.add(calls, 0, 1);
  const meter = { begins: count, ended: count, nowMs: clock.monotonicMs, cpuMs };
  // A debugger holds calls for as long as its user likes.
  if (debuggerUrl() !== undefined) return { supervise: supervise(meter), reaches: () => {}, close: () => {} };
  const { validatorUrl, wsUrl } = venue.kind === "remote" ? venue : { validatorUrl: null, wsUrl: null };
  const watch: WatchData = { calls, validatorUrl, wsUrl, terminal };
  const worker = startThread(new URL(import.meta.url), { workerData: { watch } });
  worker.unref();
  worker.on("error", (err) =>
    log.error({ event: "callWatch.ended", err }, "a strategy that hangs can no longer be ended; restart the daemon"),
  );
  let bot: Pick<Bot, "holdings"> | undefined;
  let reported = "";
  const tell = (): void => {
    const held = (bot?.holdings() ?? []).flatMap(shared);
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

function shared({ agentKey, ...holding }: Holding): readonly SharedHolding[] {
  const signer = shareSigner(agentKey.signer);
  return signer === null ? [] : [{ ...holding, signer }];
}

async function watch({ calls, ...exchange }: WatchData): Promise<void> {
  const clock = systemClock;
  let held: readonly SharedHolding[] = [];
  parentPort?.on("message", (message: readonly SharedHolding[]) => {
    held = message;
  });
  // Before anything hangs, from the files that the daemon began with, but not while it starts.
  const ending = sleep(clock, LOAD_AFTER_MS).then(() => import("./end-hung.ts"));
  await untilStuck(calls, clock);
  await (await ending).endHung({ ...exchange, held, hungMs: CALL_MS_MAX }, clock);
}

/** Resolves when one call has lasted for too long while this thread ran: a process that stands still as a whole counts as two looks. */
async function untilStuck(calls: Int32Array, clock: Clock): Promise<void> {
  let [seen, seenMs, stuckMs] = [0, clock.monotonicMs(), 0];
  while (stuckMs < CALL_MS_MAX) {
    await sleep(clock, LOOK_MS);
    const [now, nowMs] = [Atomics.load(calls, 0), clock.monotonicMs()];
    stuckMs = now === seen && now % 2 !== 0 ? stuckMs + Math.min(nowMs - seenMs, 2 * LOOK_MS) : 0;
    [seen, seenMs] = [now, nowMs];
  }
}

if (!isMainThread) {
  const { watch: data } = (workerData ?? {}) as { readonly watch?: WatchData };
  if (data !== undefined) void watch(data);
}
