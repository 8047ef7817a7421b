// Runs jobs on any available workers: puts each into the queue and waits for its result.

import { isAway } from "../bot/fleet/database.ts";
import { type Clock, sleep } from "../kernel/clock.ts";
import type { Entropy } from "../kernel/entropy.ts";
import { messageOf } from "../kernel/errors.ts";
import { hexOf } from "../kernel/hex.ts";
import { commandText } from "../kernel/typed-command.ts";
import type { JobQueue, SeenJob } from "./job-queue.ts";
import type { JobWorkers } from "./job-workers.ts";
import type { StoredText } from "./text-store.ts";
import { type JobEnd, type JobKind, jobText, readEnd } from "./written-job.ts";

/** Jobs in the queue at once: more than the threads of all workers, so that none waits for us. */
const RUNNERS_MAX = 256;
const LOOK_MS = 100;
/** Time without a taken job after which we report it; a worker looks for jobs every half second. */
const NOBODY_MS = 5000;
const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

type Modules = {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Receives the reason why nothing happens, once until something does. */
  readonly say: (sentence: string) => void;
};

type Waiting = {
  readonly text: string;
  readonly reads: readonly StoredText[];
  readonly resolve: (end: string) => void;
  readonly reject: (error: Error) => void;
  /** Whether the job was in the queue at the last look. */
  isThere: boolean;
};

/** `jobs`: expected number of jobs. `close` removes the waiting ones from the queue. */
export function startQueueRunners<Job, End>(
  queue: JobQueue,
  kind: JobKind<Job, End>,
  jobs: number,
  { clock, entropy, say }: Modules,
): JobWorkers<Job, End> {
  const waiting = new Map<string, Waiting>();
  let isOver = false;
  let said = "";
  let takenMs = clock.monotonicMs();
  const sayOnce = (sentence: string): void => {
    if (sentence !== said) say(sentence);
    said = sentence;
  };

  async function round(): Promise<void> {
    // Adding an existing job changes nothing, so this restores a job that a database has lost.
    const fresh = [...waiting].flatMap(([id, { isThere, ...job }]) => (isThere ? [] : [{ id, ...job }]));
    if (fresh.length > 0) await queue.texts.keep(fresh.flatMap(({ reads }) => reads));
    await queue.add(fresh);
    const seen = await queue.look([...waiting.keys()]);
    const ended = settle(waiting, seen);
    await queue.remove(ended);
    const isAnyTaken = ended.length > 0 || seen.some(({ state }) => state === "active");
    if (isAnyTaken || waiting.size === 0) takenMs = clock.monotonicMs();
    if (isAnyTaken) said = "";
    else if (clock.monotonicMs() - takenMs > NOBODY_MS)
      sayOnce(`no worker takes the runs; start one of this very version with ${commandText("worker --config FILE")}`);
  }

  /** Rejects all, because no later round would end them. */
  function giveUp(error: unknown): void {
    for (const { reject } of waiting.values()) reject(new Error(messageOf(error), { cause: error }));
    waiting.clear();
  }

  async function look(): Promise<void> {
    while (!isOver) {
      await sleep(clock, LOOK_MS);
      await round().catch((error: unknown) => {
        if (isAway(error)) sayOnce(`the fleet's database: ${messageOf(error)}; trying again`);
        else giveUp(error);
      });
    }
  }
  const looking = look();

  async function run(job: Job): Promise<End> {
    const { text, reads } = kind.write(job);
    const written = jobText({ kind: kind.name, text, hashes: reads.map(({ hash }) => hash) });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const id = hexOf(entropy.bytes(16)).replace(UUID, "$1-$2-$3-$4-$5");
    waiting.set(id, { text: written, reads, resolve, reject, isThere: false });
    return kind.readEnd(await promise);
  }
  return {
    runners: Array.from({ length: Math.min(jobs, RUNNERS_MAX) }, () => run),
    async close() {
      isOver = true;
      await looking;
      await queue
        .remove([...waiting.keys()])
        .catch((error: unknown) => say(`runs are left in the queue: ${messageOf(error)}`));
    },
  };
}

/** Ends the runs of finished jobs and returns their ids. */
function settle(waiting: Map<string, Waiting>, seen: readonly SeenJob[]): readonly string[] {
  const states = new Map(seen.map((job) => [job.id, job]));
  return [...waiting].flatMap(([id, run]) => {
    const job = states.get(id);
    run.isThere = job !== undefined;
    if (job === undefined || !isEnded(job, run)) return [];
    waiting.delete(id);
    return [id];
  });
}

/** An unreadable result fails only its own run. */
function endOf(text: string): JobEnd {
  try {
    return readEnd(text);
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function isEnded({ state, text }: SeenJob, { resolve, reject }: Waiting): boolean {
  if (state === "completed") {
    const end = endOf(text ?? "");
    if ("end" in end) resolve(end.end);
    else reject(new Error(end.error));
    return true;
  }
  if (state === "failed") reject(new Error("two workers in turn died during a run, so it has no result"));
  if (state === "cancelled") reject(new Error("somebody canceled a run in the queue"));
  return state === "failed" || state === "cancelled";
}
