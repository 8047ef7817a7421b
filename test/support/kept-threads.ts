// Threads for commands that run in this process. One that reads a configuration is reused, because starting it takes ten times as long as
// reading. None watches for calls that do not return, since that would end the process. Both are tested for real in
// test/unit/daemon/configuration/thread.test.ts and in processes.

import { EventEmitter } from "node:events";
import { isMainThread, parentPort, Worker, type WorkerOptions, workerData } from "node:worker_threads";
import { forbidAmbient } from "../../src/bot/strategy/ambient.ts";
import { type Message, serve, type WorkerData } from "../../src/daemon/configuration/reader.ts";
import type { Host, Thread } from "../../src/host/host.ts";

/** The limit of a thread's processor time is one for all of its readings. */
const READINGS_MAX = 100;
/** Kinds of messages that end a reading. */
const ENDS: ReadonlySet<string> = new Set<Message["kind"]>(["right", "wrong", "failed"]);

/** Answers questions to a ledger. */
const QUESTIONS = import.meta.resolve("../../src/daemon/ledger/questions.ts");
const READER = import.meta.resolve("../../src/daemon/configuration/thread.ts");

export const startKeptThread: Host["startThread"] = (file, options) =>
  file.href === READER ? new Reading(options) : file.href === QUESTIONS ? new Worker(file, options) : idleThread();

const idleThread = (): Thread =>
  Object.assign(new EventEmitter(), {
    postMessage: () => undefined,
    cpuUsage: () => Promise.resolve({ user: 0, system: 0 }),
    unref: () => undefined,
    terminate: () => Promise.resolve(0),
  });

/** A thread, and whose messages it sends now. */
type Kept = { readonly worker: Worker; reading: Reading | null; readings: number };
const waiting: Kept[] = [];

/** What a separate thread would be to the reader of a configuration. */
class Reading extends EventEmitter implements Thread {
  readonly #kept: Kept;

  constructor({ workerData: asked, resourceLimits }: WorkerOptions) {
    super();
    this.#kept = waiting.pop() ?? startThread(resourceLimits);
    this.#kept.reading = this;
    this.#kept.readings += 1;
    this.#kept.worker.postMessage((asked as WorkerData).reads);
  }

  cpuUsage(): Promise<NodeJS.CpuUsage> {
    return this.#kept.worker.cpuUsage();
  }

  async terminate(): Promise<number> {
    return this.#kept.reading === this ? await this.#kept.worker.terminate() : 0;
  }

  postMessage(): void {}
  unref(): void {}
}

function startThread(resourceLimits: WorkerOptions["resourceLimits"] = {}): Kept {
  const worker = new Worker(new URL(import.meta.url), { workerData: { isKept: true }, resourceLimits });
  const kept: Kept = { worker, reading: null, readings: 0 };
  worker.unref();
  worker.on("message", (message: Message) => {
    const { reading } = kept;
    const isOver = ENDS.has(message.kind);
    if (isOver) free(kept);
    reading?.emit("message", message);
    if (isOver) reading?.emit("exit", 0);
  });
  worker.on("error", (error) => {
    if (kept.reading === null) throw error;
    kept.reading.emit("error", error);
  });
  worker.on("exit", (code) => kept.reading?.emit("exit", code));
  return kept;
}

function free(kept: Kept): void {
  kept.reading = null;
  if (kept.readings < READINGS_MAX) waiting.push(kept);
  else void kept.worker.terminate();
}

if (!isMainThread && (workerData as { readonly isKept?: boolean } | null)?.isKept) {
  const takeAmbientUse = forbidAmbient();
  parentPort?.on("message", (reads: WorkerData["reads"]) => {
    takeAmbientUse();
    void serve(reads, takeAmbientUse);
  });
}
