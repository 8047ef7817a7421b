// A thread beside the one that trades: it ends a strategy's call that does not return, which nothing in the trading thread could. It holds
// that thread still, cancels order by order with keys of its own, confirms, and ends the process: 1 where nothing rests, else 3.

import { write } from "node:fs";
import { url as debuggerUrl, Session } from "node:inspector";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import type { BotConfig } from "../bot/config/config.ts";
import { agentKeyOf } from "../bot/execution/agent-key.ts";
import { locklessCancel } from "../bot/execution/lockless-cancel.ts";
import type { RemainingOrder } from "../bot/execution/mass-cancel.ts";
import type { Bot } from "../bot/service/lifecycle/bot.ts";
import type { Holding } from "../bot/service/lifecycle/build.ts";
import { remainingLines } from "../bot/service/operator/halts.ts";
import { type Supervise, supervise } from "../bot/strategy/supervised.ts";
import { createLog, type Log } from "../bot/telemetry/log.ts";
import { createRemoteVenue, defaultRemoteOptions } from "../bot/venue/remote/remote.ts";
import { type Clock, sleep, systemClock } from "../kernel/clock.ts";
import { createPrng } from "../kernel/prng.ts";
import { type SharedSigner, shareSigner, signerOf } from "../wire/signing.ts";
import { EXIT_FAILED, EXIT_ORDERS_MAY_REST, type ExitCode } from "./host.ts";
import { Output } from "./output.ts";

/** A call that takes longer does not return. */
const CALL_MS_MAX = 2000;
const LOOK_MS = 100;
/** How old what the thread knows of our orders may be; whatever rests and is not known to be another's is canceled all the same. */
const TELL_MS = 250;
/** For the trading thread to stand still, and for it to end, on a machine that is busy with other things too. */
const ANSWER_MS = 3000;
const CANCEL_MS = 5000;
const LAST_LINES_MS = 1000;

export type CallWatch = {
  readonly supervise: Supervise;
  /** Whose orders are canceled; undefined: nothing rests that is ours to cancel. */
  readonly reaches: (bot: Pick<Bot, "holdings"> | undefined) => void;
  readonly close: () => void;
};

/** An account as the thread knows it. */
type SharedHolding = Omit<Holding, "agentKey"> & { readonly signer: SharedSigner };

type WatchData = {
  /** Odd while a strategy's call lasts. */
  readonly calls: Int32Array;
  /** Null: the exchange lives in this process, and ends with it. */
  readonly validatorUrl: string | null;
  readonly wsUrl: string | null;
  readonly terminal: boolean;
};

const idOf = ({ orderId }: RemainingOrder) => orderId;

/** Starts the thread. It keeps no process alive. */
export function watchCalls(
  { venue }: Pick<BotConfig, "venue">,
  { clock, log, terminal }: { readonly clock: Clock; readonly log: Log; readonly terminal: boolean },
): CallWatch {
  const calls = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const count = (): void => void Atomics.add(calls, 0, 1);
  const meter = { begins: count, ended: count, nowMs: clock.monotonicMs, cpuMs };
  // A debugger holds calls for as long as its user likes.
  if (debuggerUrl() !== undefined) return { supervise: supervise(meter), reaches: () => {}, close: () => {} };
  const { validatorUrl, wsUrl } = venue.kind === "remote" ? venue : { validatorUrl: null, wsUrl: null };
  const watch: WatchData = { calls, validatorUrl, wsUrl, terminal };
  const worker = new Worker(new URL(import.meta.url), { workerData: { watch } });
  worker.unref();
  worker.on("error", (err) =>
    log.error({ event: "callWatch.ended", err }, "nothing ends a strategy that does not return any longer; restart"),
  );
  let bot: Pick<Bot, "holdings"> | undefined;
  let told = "";
  const tell = (): void => {
    const held = (bot?.holdings() ?? []).flatMap(shared);
    const text = held
      .map(({ signer, keep, own, unknown }) => [signer.publicKey, keep, own.map(idOf), unknown].join(" "))
      .join();
    if (text === told) return;
    told = text;
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

async function watch({ calls, validatorUrl, wsUrl, terminal }: WatchData): Promise<void> {
  const clock = systemClock;
  let held: readonly SharedHolding[] = [];
  parentPort?.on("message", (message: readonly SharedHolding[]) => {
    held = message;
  });
  await untilStuck(calls, clock);
  const [stdout, stderr] = [outputTo(1), outputTo(2)];
  const log = createLog("info", { terminal, wallMs: clock.wallMs, write: (line) => stdout.print(line) });
  const trading = new TradingThread(clock);
  const place = await trading.hold();
  const where = place === null ? "" : ` at ${place}`;
  log.error(
    { event: "strategy.hung", at: place },
    `a strategy has not returned for ${CALL_MS_MAX / 1000} s${where}; all orders are canceled, then the process ends`,
  );
  const remaining = validatorUrl === null ? [] : await cancelAll(held, { validatorUrl, wsUrl }, clock);
  if (remaining.length === 0) log.error({ event: "crash.canceled" }, "no order of ours rests; the process ends");
  else stderr.print(`quoin: ended, and orders may still rest:\n${remaining.map((line) => `  ${line}\n`).join("")}`);
  await Promise.all([stdout.taken(LAST_LINES_MS), stderr.taken(LAST_LINES_MS)]);
  await trading.end(remaining.length === 0 ? EXIT_FAILED : EXIT_ORDERS_MAY_REST);
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

/** Never rejects; lines of what may still rest. */
async function cancelAll(
  held: readonly SharedHolding[],
  { validatorUrl, wsUrl }: { readonly validatorUrl: string; readonly wsUrl: string | null },
  clock: Clock,
): Promise<readonly string[]> {
  const options = { ...defaultRemoteOptions, warmConnections: 0, validatorUrl, wsUrl };
  const venue = createRemoteVenue(options, { clock, prng: createPrng(0n), report: () => {} });
  const ends = held.map(async ({ signer, keep, own, unknown, ...account }) => {
    const agentKey = agentKeyOf(signerOf(signer));
    const result = await locklessCancel(
      {
        ...account,
        agentKey,
        keep: new Set(keep),
        own: () => own,
        unresolved: () => unknown,
        deadlineMs: CANCEL_MS,
      },
      { clock, venue },
    );
    return remainingLines(account.accountId, result);
  });
  return (await Promise.all(ends)).flat();
}

/** The thread that hangs, by way of the runtime's debugger: it alone reaches into code that does not return. */
class TradingThread {
  readonly #session = new Session();
  readonly #clock: Clock;
  readonly #urls = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Stops it where it is, so that it sends nothing meanwhile. Where that is, `FILE:LINE`; null: it cannot be stopped, or does not say. */
  hold(): Promise<string | null> {
    const paused = new Promise<string | null>((resolve) => {
      this.#session.on("Debugger.scriptParsed", ({ params }) => this.#urls.set(params.scriptId, params.url));
      this.#session.on("Debugger.paused", ({ params }) => {
        const found = params.callFrames.map(({ location }) => this.#placeOf(location)).find((place) => place !== null);
        resolve(found ?? null);
      });
      this.#session.connectToMainThread();
      this.#session.post("Debugger.enable");
      this.#session.post("Debugger.pause");
    });
    return Promise.race([paused, sleep(this.#clock, ANSWER_MS).then(() => null)]);
  }

  #placeOf({ scriptId, lineNumber }: { readonly scriptId: string; readonly lineNumber: number }): string | null {
    const url = this.#urls.get(scriptId) ?? "";
    return url.startsWith("file:") ? `${fileURLToPath(url.split("?", 1)[0] ?? "")}:${lineNumber + 1}` : null;
  }

  /** Ends the process with this code; where the thread does not answer, without one. */
  async end(code: ExitCode): Promise<void> {
    // The runtime would tell, on stderr, that it waits for this very session.
    const expression = `process.getBuiltinModule("fs").closeSync(2), process.reallyExit(${code})`;
    this.#session.post("Runtime.evaluate", { expression });
    await sleep(this.#clock, ANSWER_MS);
    process.kill(process.pid, "SIGKILL");
  }
}

const outputTo = (fd: number): Output =>
  new Output({
    clock: systemClock,
    gap: (lines) => `quoin: ${lines} lines are missing here\n`,
    write: (bytes, done) => write(fd, bytes, done),
  });

if (!isMainThread) {
  const { watch: data } = (workerData ?? {}) as { readonly watch?: WatchData };
  if (data !== undefined) void watch(data);
}
