// The queue of jobs in the fleet's database, managed by pg-boss (https://pgboss.io). One worker takes a job and reports every few seconds
// that it still has it; a silent worker loses the job, and another takes it.

import { PgBoss } from "pg-boss";
import type { Database } from "../bot/fleet/database.ts";
import { openTextStore, type TextStore } from "./text-store.ts";

const SCHEMA = "quoin_jobs";
/** Each program version has its own queue, because another version could give another result. */
const NAME = "program-";
const NAME_HASH_LENGTH = 16;
/** The smallest value that pg-boss allows. */
const SILENCE_SECONDS = 10;
/** The largest value that pg-boss allows: a silent worker ends a job, not a long run. */
const JOB_SECONDS_MAX = 86_400;
/** How long an unread result is kept, and the interval of the clean-up. */
const KEPT_SECONDS = 3600;

/** How often a worker must report that it still has its jobs; two reports may be lost. */
export const HOLD_EVERY_MS = (SILENCE_SECONDS * 1000) / 4;

/** `attempt` distinguishes a worker that lost the job from the one that has it now. */
export type TakenJob = { readonly id: string; readonly attempt: number; readonly text: string };

/** `text`: the result, once the state is `completed`; `failed`: no worker finished it. */
export type SeenJob = {
  readonly id: string;
  readonly state: "created" | "retry" | "active" | "completed" | "cancelled" | "failed";
  readonly text: string | null;
};

/** All throw FleetError if the database does not answer. */
export type JobQueue = {
  /** Existing jobs stay unchanged. `id`: a UUID. */
  readonly add: (jobs: readonly { readonly id: string; readonly text: string }[]) => Promise<void>;
  readonly look: (ids: readonly string[]) => Promise<readonly SeenJob[]>;
  /** Results of removed jobs that a worker still runs are lost. */
  readonly remove: (ids: readonly string[]) => Promise<void>;
  /** The oldest waiting job; null: there is none. */
  readonly take: () => Promise<TakenJob | null>;
  readonly hold: (jobs: readonly TakenJob[]) => Promise<void>;
  /** Does nothing if another worker has the job by now. */
  readonly finish: (job: TakenJob, text: string) => Promise<void>;
  /** The jobs wait again, as if never taken. Returns how many: others may have some of them by now. */
  readonly giveBack: (jobs: readonly TakenJob[]) => Promise<number>;
  /** Number of jobs of other program versions that wait. */
  readonly waitingElsewhere: () => Promise<number>;
  /** The texts that jobs read. */
  readonly texts: TextStore;
  readonly close: () => Promise<void>;
};

/** `program`: hash of its source. Creates the queue if it does not exist. Throws FleetError. */
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
  // Its housekeeping retries in the next round; our calls report their own failures.
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
      // A row of another program fails where it is read, without affecting others.
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
