// A backtest's queue as its users run it: a real PostgreSQL, workers as processes, which may be killed, and the command that hands its runs to them.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ask, type Postgres, startPostgres } from "../support/postgres.ts";
import { quoin, quoinProcess, type Running, type RunningProcess } from "../support/quoin.ts";
import { backtestFiles } from "../unit/backtest/scene.ts";

export type QueueScene = {
  readonly config: string;
  readonly folder: string;
  readonly postgres: Postgres;
  readonly databaseUrl: string;
};

export async function startQueueScene(): Promise<QueueScene> {
  const postgres = await startPostgres();
  const databaseUrl = await postgres.database("fleet");
  const config = backtestFiles();
  const folder = dirname(config);
  writeFileSync(join(folder, "database.url"), `${databaseUrl}\n`, { mode: 0o600 });
  writeFileSync(config, `${readFileSync(config, "utf8")}fleet: { databaseUrlFile: database.url, node: a }\n`);
  return { config, folder, postgres, databaseUrl };
}

export async function removeQueueScene({ folder, postgres }: QueueScene): Promise<void> {
  await postgres.end();
  rmSync(folder, { recursive: true, force: true });
}

export const backtestOf = ({ config }: QueueScene, ...more: readonly string[]): Running =>
  quoin(["backtest", "--config", config, "--json", ...more]);

/** Without `--queue`: on two threads of its own. */
export const simulationOf = ({ config }: QueueScene, ...more: readonly string[]): Running =>
  quoin([
    "simulate",
    "--minutes",
    "2",
    ...(more.includes("--queue") ? ["--config", config] : ["--workers", "2"]),
    ...more,
  ]);

/** But how long it took and how fast that was, in the first line. */
export const worldsIn = (stdout: string): string => stdout.replace(/ in [0-9.]+ s \([0-9]+ x real time\)/, "");

/** As if the workers that have jobs had said nothing for longer than they may. */
export const silence = async ({ databaseUrl }: QueueScene): Promise<void> =>
  void (await ask(
    databaseUrl,
    "update quoin_jobs.job set heartbeat_on = now() - interval '1 hour' where state = 'active'",
  ));

/** One thread: it has one run at a time. */
export async function startWorker({ config }: QueueScene): Promise<RunningProcess> {
  const worker = quoinProcess(["worker", "--config", config, "--workers", "1"]);
  await worker.seen("the worker's start", (text) => text.includes('"event":"ready"'));
  return worker;
}

/** But the summary, which says how long it took. */
export const runsIn = (stdout: string): string => stdout.slice(0, stdout.indexOf('{"kind":"summary"'));

/** Puts a row into the queue of the program as it is here, as anybody with the database may. */
export const plant = async ({ databaseUrl }: QueueScene, data: unknown): Promise<void> =>
  void (await ask(
    databaseUrl,
    `insert into quoin_jobs.job (name, data, created_on) select name, '${JSON.stringify(data)}'::jsonb, now() - interval '1 minute'
       from quoin_jobs.queue where name not like '%other%'`,
  ));

/** Ends that the queue keeps, as text. */
export const endsIn = async ({ databaseUrl }: QueueScene): Promise<readonly string[]> =>
  (await ask(databaseUrl, "select output ->> 'text' as text from quoin_jobs.job where state = 'completed'")).map(
    ({ text }) => String(text),
  );

/** States of the jobs that are in the queue of the program as it is here. */
export const statesIn = async ({ databaseUrl }: QueueScene): Promise<readonly unknown[]> =>
  (await ask(databaseUrl, "select state from quoin_jobs.job where name not like '%other%'")).map(({ state }) => state);

export const finishedBy = (worker: RunningProcess): number =>
  worker.stdout().split('"event":"run.finished"').length - 1;
