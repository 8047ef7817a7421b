// The queue of jobs in the fleet's database: pg-boss keeps it (https://pgboss.io). A job is taken by one worker, which says every few
// seconds that it still has it; one that falls silent loses it, and the job is taken once more.

import { PgBoss } from "pg-boss";
import type { Database } from "../bot/fleet/database.ts";
import { openTextStore, type TextStore } from "./text-store.ts";

const SCHEMA = "quoin_jobs";
/** A worker of another program would give another result: each program has a queue of its own. */
const NAME = "program-";
const NAME_HASH_LENGTH = 16;
/** The least that pg-boss allows. */
const SILENCE_SECONDS = 10;
/** The most that pg-boss allows: a worker's silence ends a job, not its length. */
const JOB_SECONDS_MAX = 86_400;
/** How long the end of a job is kept that nobody waits for, and how often such ends are looked for. */
const KEPT_SECONDS = 3600;

/** How often a worker must say that it still has its jobs, with room for two that are lost. */
export const HOLD_EVERY_MS = (SILENCE_SECONDS * 1000) / 4;

/** `attempt` tells a worker that lost the job from the one that has it now. */
export type TakenJob = { readonly id: string; readonly attempt: number; readonly text: string };

/** `text` is that of the end, once the state is `completed`; `failed`: nobody finished it. */
export type SeenJob = {
  readonly id: string;
  readonly state: "created" | "retry" | "active" | "completed" | "cancelled" | "failed";
  readonly text: string | null;
};

/** All throw FleetError where the database does not answer. */
export type JobQueue = {
  /** What is there already stays as it is. `id`: a UUID. */
  readonly add: (jobs: readonly { readonly id: string; readonly text: string }[]) => Promise<void>;
  readonly look: (ids: readonly string[]) => Promise<readonly SeenJob[]>;
  /** Whatever becomes of those that a worker has is lost. */
  readonly remove: (ids: readonly string[]) => Promise<void>;
  /** The oldest that waits; null: none does. */
  readonly take: () => Promise<TakenJob | null>;
  readonly hold: (jobs: readonly TakenJob[]) => Promise<void>;
  /** Nothing happens where another worker has the job by now. */
  readonly finish: (job: TakenJob, text: string) => Promise<void>;
  /** They wait again, as if nobody had taken them. Returns how many: others may have some of them by now. */
  readonly giveBack: (jobs: readonly TakenJob[]) => Promise<number>;
  /** How many jobs of other programs wait. */
  readonly waitingElsewhere: () => Promise<number>;
  /** Of what the jobs read. */
  readonly texts: TextStore;
  readonly close: () => Promise<void>;
};

/** `program`: the hash of its source. The queue is made where there is none. Throws FleetError. */
export async function openJobQueue({ ask }: Pick<Database, "ask">, program: string): Promise<JobQueue> {
  const name = `${NAME}${program.slice(0, NAME_HASH_LENGTH)}`;
  const boss = new PgBoss({
    db: { executeSql: async (text, values = []) => ({ rows: [...(await ask(text, values))] }) },
    schema: SCHEMA,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    maintenanceIntervalSeconds: KEPT_SECONDS,
    schedule: false,
    registerInstance: false,
    reindex: false,
    monitorVacuum: false,
    openTelemetry: { enabled: false },
  });
  // Its housekeeping is tried again in the next round; a call of ours reports its own failure.
  boss.on("error", () => {});
  await boss.start();
  await boss.createQueue(name, {
    heartbeatSeconds: SILENCE_SECONDS,
    expireInSeconds: JOB_SECONDS_MAX,
    deleteAfterSeconds: KEPT_SECONDS,
    retryLimit: 1,
  });
  const texts = await openTextStore(ask, SCHEMA);
  const attemptOf = ({ id, attempt }: TakenJob) => ({ id, retryCount: attempt });
  return {
    async add(jobs) {
      const rows = jobs.map(({ id, text }) => ({ id, data: { text } }));
      if (rows.length > 0) await boss.insert(name, rows);
    },
    look: async (ids) =>
      (await ask(
        `select id, state, case when state = 'completed' then output ->> 'text' end as text
         from ${SCHEMA}.job where name = $1 and id = any($2::uuid[])`,
        [name, ids],
      )) as readonly SeenJob[],
    async remove(ids) {
      if (ids.length > 0) await boss.deleteJob(name, [...ids]);
    },
    async take() {
      const [job] = await boss.fetch<{ readonly text?: unknown } | null>(name);
      // A row of another program fails alone, where it is read.
      return job === undefined ? null : { id: job.id, attempt: job.retryCount, text: `${job.data?.text}` };
    },
    async hold(jobs) {
      if (jobs.length > 0) await boss.touch(name, jobs.map(attemptOf));
    },
    async finish(job, text) {
      await boss.complete(name, attemptOf(job), { text });
    },
    // pg-boss itself would count the next attempt as the second.
    async giveBack(jobs) {
      const given = await ask(
        `update ${SCHEMA}.job set state = 'created', started_on = null, heartbeat_on = null
         from unnest($2::uuid[], $3::int[]) as held (held_id, attempt)
         where name = $1 and id = held_id and retry_count = attempt and state = 'active' returning id`,
        [name, jobs.map(({ id }) => id), jobs.map(({ attempt }) => attempt)],
      );
      return given.length;
    },
    async waitingElsewhere() {
      const others = (await boss.getQueues()).filter((queue) => queue.name.startsWith(NAME) && queue.name !== name);
      return others.reduce((sum, { readyCount }) => sum + readyCount, 0);
    },
    texts,
    close: () => boss.stop({ graceful: false, close: false }),
  };
}
