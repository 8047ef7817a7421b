// A worker: takes runs out of the queue, one per thread, until it is stopped; what is under way then goes back.

import { type Clock, sleep } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import type { JobWorkers } from "../../sim/job-workers.ts";
import type { BacktestJob, Outcome } from "../outcome.ts";
import { HOLD_EVERY_MS, type JobQueue, type TakenJob } from "./job-queue.ts";
import { endText, jobOf, type RunEnd, readJobText, type WrittenJob } from "./job-text.ts";

const IDLE_MS = 500;
const AGAIN_MS = 1000;

export type WorkEvent =
  | { readonly kind: "finished"; readonly error: string | null }
  | { readonly kind: "gaveBack"; readonly runs: number }
  | { readonly kind: "elsewhere"; readonly runs: number }
  | { readonly kind: "databaseAway"; readonly error: string }
  | { readonly kind: "databaseBack" };

type Thread = JobWorkers<BacktestJob, Outcome>;

type Modules = {
  readonly clock: Clock;
  readonly startThread: () => Thread;
  readonly report: (event: WorkEvent) => void;
};

/** Resolves when it is stopped and what it had is given back. Throws FleetError where that cannot be said to the database. */
export async function work(
  queue: JobQueue,
  { threads, stopped }: { readonly threads: number; readonly stopped: Promise<unknown> },
  { clock, startThread, report }: Modules,
): Promise<void> {
  let isStopped = false;
  const halted = stopped.then(() => {
    isStopped = true;
  });
  const held = new Set<TakenJob>();
  let isAway = false;
  let elsewhere = 0;
  let atHand: ReadonlyMap<string, string> = new Map();
  let turn: Promise<unknown> = Promise.resolve();

  /** Asks until the database answers. Undefined: stopped before. */
  async function insist<T>(question: () => Promise<T>): Promise<T | undefined> {
    while (!isStopped) {
      try {
        const answer = await question();
        if (isAway) report({ kind: "databaseBack" });
        isAway = false;
        return answer;
      } catch (error) {
        if (!isAway) report({ kind: "databaseAway", error: messageOf(error) });
        isAway = true;
        await Promise.race([sleep(clock, AGAIN_MS), halted]);
      }
    }
    return undefined;
  }

  /** Undefined: stopped. Of threads that wait, one asks. */
  function next(): Promise<TakenJob | undefined> {
    const job = turn.then(take);
    turn = job;
    return job;
  }

  async function take(): Promise<TakenJob | undefined> {
    while (!isStopped) {
      const job = await insist(queue.take);
      if (job !== undefined && job !== null) return job;
      const runs = (await insist(queue.waitingElsewhere)) ?? 0;
      if (runs > 0 && elsewhere === 0) report({ kind: "elsewhere", runs });
      elsewhere = runs;
      await Promise.race([sleep(clock, IDLE_MS), halted]);
    }
    return undefined;
  }

  /** By hash. */
  async function textsOf({ sources }: WrittenJob): Promise<ReadonlyMap<string, string>> {
    const hashes = sources.map(({ hash }) => hash);
    const missing = hashes.filter((hash) => !atHand.has(hash));
    if (missing.length > 0) atHand = new Map([...atHand, ...(await queue.texts.read(missing))]);
    const texts = atHand;
    // The next run most likely reads the same; of others nothing is kept.
    atHand = new Map([...texts].filter(([hash]) => hashes.includes(hash)));
    return texts;
  }

  async function endOf({ text }: TakenJob, { runners: [run] }: Thread): Promise<RunEnd> {
    try {
      const written = readJobText(text);
      const texts = await insist(() => textsOf(written));
      return { outcome: await (run as NonNullable<typeof run>)(jobOf(written, texts ?? new Map())) };
    } catch (error) {
      return { error: messageOf(error) };
    }
  }

  async function serve(): Promise<void> {
    let thread = startThread();
    for (let job = await next(); job !== undefined; job = await next()) {
      const taken = job;
      held.add(taken);
      const end = await Promise.race([endOf(taken, thread), halted]);
      if (end === undefined) break;
      const error = "error" in end ? end.error : null;
      if (error !== null) {
        // Whether the thread lives on is not known.
        await thread.close();
        thread = startThread();
      }
      await insist(async () => {
        await queue.finish(taken, endText(end));
        held.delete(taken);
        report({ kind: "finished", error });
      });
    }
    await thread.close();
  }

  // What the database does not hear is said again; that it is away, the others say.
  const holding = clock.every(HOLD_EVERY_MS, () => void queue.hold([...held]).catch(() => {}));
  await Promise.all(Array.from({ length: threads }, serve));
  holding.cancel();
  report({ kind: "gaveBack", runs: await queue.giveBack([...held]) });
}
