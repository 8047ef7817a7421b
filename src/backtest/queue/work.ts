// A worker: takes runs out of the queue, one per thread, until it is stopped; what is under way then goes back.

import { type Clock, sleep } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import type { JobWorkers } from "../../sim/job-workers.ts";
import type { BacktestJob, Outcome } from "../outcome.ts";
import { HOLD_EVERY_MS, type JobQueue, type TakenJob } from "./job-queue.ts";
import { endText, type RunEnd, readJob } from "./job-text.ts";

const IDLE_MS = 500;
const AGAIN_MS = 1000;
/** How often an idle worker looks for runs that wait for another program. */
const ELSEWHERE_EVERY_MS = 5000;

export type WorkEvent =
  | { readonly kind: "finished"; readonly error: string | null }
  | { readonly kind: "gaveBack"; readonly runs: number }
  | { readonly kind: "elsewhere"; readonly runs: number }
  | { readonly kind: "databaseAway"; readonly error: string }
  | { readonly kind: "databaseBack" };

type Modules = {
  readonly clock: Clock;
  /** One thread of its own. */
  readonly startThread: () => JobWorkers<BacktestJob, Outcome>;
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
  const idle = Array.from({ length: threads }, startThread);
  const held = new Map<TakenJob, JobWorkers<BacktestJob, Outcome>>();
  let freed = Promise.withResolvers<void>();
  let isAway = false;
  let elsewhereMs = Number.NEGATIVE_INFINITY;

  /** Undefined: the database did not answer. */
  async function asked<T>(question: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await question();
      if (isAway) report({ kind: "databaseBack" });
      isAway = false;
      return answer;
    } catch (error) {
      if (!isAway) report({ kind: "databaseAway", error: messageOf(error) });
      isAway = true;
      return undefined;
    }
  }

  async function carryOut(job: TakenJob, thread: JobWorkers<BacktestJob, Outcome>): Promise<void> {
    held.set(job, thread);
    let next = thread;
    const end = await endOf(job, thread);
    if ("error" in end) {
      // Whether the thread lives on is not known.
      await thread.close();
      if (isStopped) return;
      next = startThread();
      held.set(job, next);
    }
    while (!isStopped && (await asked(() => queue.finish(job, endText(end)).then(() => true))) === undefined)
      await Promise.race([sleep(clock, AGAIN_MS), halted]);
    if (isStopped) return;
    held.delete(job);
    report({ kind: "finished", error: "error" in end ? end.error : null });
    idle.push(next);
    freed.resolve();
    freed = Promise.withResolvers();
  }

  async function lookElsewhere(): Promise<void> {
    if (clock.monotonicMs() - elsewhereMs < ELSEWHERE_EVERY_MS) return;
    elsewhereMs = clock.monotonicMs();
    const runs = await asked(queue.waitingElsewhere);
    if (runs !== undefined && runs > 0) report({ kind: "elsewhere", runs });
  }

  const holding = clock.every(HOLD_EVERY_MS, () => void asked(() => queue.hold([...held.keys()])));
  while (!isStopped) {
    const jobs = (await asked(() => queue.take(idle.length))) ?? [];
    for (const job of jobs) void carryOut(job, idle.pop() as JobWorkers<BacktestJob, Outcome>);
    if (idle.length === 0) await Promise.race([freed.promise, halted]);
    else if (jobs.length === 0) {
      await lookElsewhere();
      await Promise.race([sleep(clock, isAway ? AGAIN_MS : IDLE_MS), freed.promise, halted]);
    }
  }
  holding.cancel();
  await Promise.all([...idle, ...held.values()].map((thread) => thread.close()));
  const left = [...held.keys()];
  await queue.giveBack(left);
  report({ kind: "gaveBack", runs: left.length });
}

async function endOf(job: TakenJob, { runners: [run] }: JobWorkers<BacktestJob, Outcome>): Promise<RunEnd> {
  try {
    return { outcome: await (run as NonNullable<typeof run>)(readJob(job.text)) };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
