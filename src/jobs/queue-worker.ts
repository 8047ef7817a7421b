// A worker: takes jobs from the queue, one per thread, until it is stopped; then it gives unfinished jobs back.

import { isAway } from "../bot/fleet/database.ts";
import { type Clock, sleep } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import { HOLD_EVERY_MS, type JobQueue, type TakenJob } from "./job-queue.ts";
import type { JobWorkers } from "./job-workers.ts";
import { endText, type JobEnd, type QueuedJob, readJob } from "./written-job.ts";

const IDLE_MS = 500;
const AGAIN_MS = 1000;
/**
 * After a job shorter than this, a thread takes the next one early, because the round trip to the database would take a tenth of the time.
 */
const SHORT_MS = 1000;

export type WorkEvent =
  | { readonly kind: "finished"; readonly error: string | null }
  | { readonly kind: "gaveBack"; readonly runs: number }
  | { readonly kind: "elsewhere"; readonly runs: number }
  | { readonly kind: "databaseAway"; readonly error: string }
  | { readonly kind: "databaseBack" };

/** Returns the text of the result. */
type Thread = JobWorkers<QueuedJob, string>;

type Modules = {
  readonly clock: Clock;
  readonly startThread: () => Thread;
  readonly report: (event: WorkEvent) => void;
  /** After it resolves, no job is started, and running jobs are given up. */
  readonly stopped: Promise<unknown>;
};

export class QueueWorker {
  readonly #queue: JobQueue;
  readonly #modules: Modules;
  readonly #halted: Promise<undefined>;
  readonly #held = new Set<TakenJob>();
  #isStopped = false;
  #isAway = false;
  #elsewhere = 0;
  /** Texts of the last job that read any, by hash: the next job probably reads the same. */
  #texts: ReadonlyMap<string, string> = new Map();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(queue: JobQueue, modules: Modules) {
    this.#queue = queue;
    this.#modules = modules;
    this.#halted = modules.stopped.then(() => {
      this.#isStopped = true;
      return undefined;
    });
  }

  /** Resolves when it is stopped and has given back its jobs. Throws FleetError if the database does not answer. */
  async work(threads: number): Promise<void> {
    const { clock, report } = this.#modules;
    // A lost report is repeated; other calls report an unreachable database.
    const holding = clock.every(HOLD_EVERY_MS, () => void this.#queue.hold([...this.#held]).catch(() => {}));
    await Promise.all(Array.from({ length: threads }, () => this.#serve()));
    holding.cancel();
    report({ kind: "gaveBack", runs: await this.#queue.giveBack([...this.#held]) });
  }

  async #serve(): Promise<void> {
    const { clock, startThread } = this.#modules;
    let thread = startThread();
    let isShort = false;
    let upcoming = this.#next();
    for (let job = await upcoming; job !== undefined; job = await upcoming) {
      const startedMs = clock.monotonicMs();
      if (isShort) upcoming = this.#next();
      const end = await Promise.race([this.#endOf(job, thread), this.#halted]);
      if (end === undefined) break;
      void this.#finish(job, end);
      if ("error" in end) {
        // The thread may no longer work.
        await thread.close();
        thread = startThread();
      }
      if (!isShort) upcoming = this.#next();
      isShort = clock.monotonicMs() - startedMs < SHORT_MS;
    }
    await thread.close();
    // A job taken meanwhile is given back too.
    await upcoming;
  }

  /** Undefined: stopped. Only one waiting thread asks the queue at a time. */
  #next(): Promise<TakenJob | undefined> {
    const job = this.#turn.then(() => this.#take());
    this.#turn = job;
    return job;
  }

  async #take(): Promise<TakenJob | undefined> {
    const { clock, report } = this.#modules;
    while (!this.#isStopped) {
      const job = await this.#insist(this.#queue.take);
      if (job !== undefined && job !== null) {
        this.#held.add(job);
        return job;
      }
      const runs = (await this.#insist(this.#queue.waitingElsewhere)) ?? 0;
      if (runs > 0 && this.#elsewhere === 0) report({ kind: "elsewhere", runs });
      this.#elsewhere = runs;
      await Promise.race([sleep(clock, IDLE_MS), this.#halted]);
    }
    return undefined;
  }

  async #endOf({ text }: TakenJob, { runners: [run] }: Thread): Promise<JobEnd> {
    try {
      const { hashes, ...job } = readJob(text);
      const texts = (await this.#insist(() => this.#textsOf(hashes))) ?? new Map();
      return { end: await (run as NonNullable<typeof run>)({ ...job, texts }) };
    } catch (error) {
      return { error: messageOf(error) };
    }
  }

  async #textsOf(hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const atHand = this.#texts;
    const missing = hashes.filter((hash) => !atHand.has(hash));
    const read = missing.length > 0 ? await this.#queue.texts.read(missing) : [];
    const texts = new Map([...atHand, ...read].filter(([hash]) => hashes.includes(hash)));
    if (hashes.length > 0) this.#texts = texts;
    return texts;
  }

  /** A job whose end cannot be reported before the stop is given back. If the database refuses an end, the job ends with that error. */
  async #finish(job: TakenJob, end: JobEnd): Promise<void> {
    try {
      await this.#insist(async () => {
        await this.#queue.finish(job, endText(end));
        this.#ended(job, end);
      });
    } catch (cause) {
      const error = messageOf(cause);
      if ("end" in end) await this.#finish(job, { error });
      // No report arrives: the job is silent from now on, and the queue ends it.
      else this.#ended(job, { error });
    }
  }

  #ended(job: TakenJob, end: JobEnd): void {
    this.#held.delete(job);
    this.#modules.report({ kind: "finished", error: "error" in end ? end.error : null });
  }

  /** Repeats the call until the database answers. Undefined: stopped before. Rejects with any error other than an unreachable database. */
  async #insist<T>(question: () => Promise<T>): Promise<T | undefined> {
    const { clock, report } = this.#modules;
    while (!this.#isStopped) {
      try {
        const answer = await question();
        if (this.#isAway) report({ kind: "databaseBack" });
        this.#isAway = false;
        return answer;
      } catch (error) {
        if (!isAway(error)) throw error;
        if (!this.#isAway) report({ kind: "databaseAway", error: messageOf(error) });
        this.#isAway = true;
        await Promise.race([sleep(clock, AGAIN_MS), this.#halted]);
      }
    }
    return undefined;
  }
}
