// `quoin worker`: runs the jobs that every `quoin backtest --queue` and `quoin simulate --queue` puts into its database, until a signal
// stops it.

import { createLog, type Log } from "../bot/telemetry/log.ts";
import { fleetExit } from "../daemon/fleet/database.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host, untilStopped } from "../host/host.ts";
import { QueueWorker, type WorkEvent } from "../jobs/queue-worker.ts";
import { countText } from "../kernel/text.ts";
import { startJobThread } from "./job-threads.ts";
import { openQueue } from "./open-queue.ts";
import { readConfig } from "./read-config.ts";

export type WorkerOptions = { readonly config: string; readonly workers: number };

export async function worker({ config: file, workers: threads }: WorkerOptions, host: Host): Promise<ExitCode> {
  const stopped = untilStopped(host);
  const config = await readConfig(file, host);
  if (config === undefined) return EXIT_USAGE;
  const opened = await openQueue(config, host);
  if (opened === undefined) return EXIT_FAILED;
  const { clock } = host;
  const log = createLog(config.log.level, {
    write: host.stdout,
    terminal: host.terminal.stdout,
    wallMs: clock.wallMs,
  });
  log.info(
    { event: "ready", threads },
    `${countText(threads, "thread")} for backtests and simulations of version ${host.version}`,
  );
  void stopped.then((signal) => log.info({ event: "stopping", signal }, `${signal}: what runs goes back to the queue`));
  try {
    const modules = { clock, startThread: startJobThread, stopped, report: (event: WorkEvent) => report(event, log) };
    await new QueueWorker(opened.queue, modules).work(threads);
    log.info({ event: "stopped" }, "stopped");
    return EXIT_DONE;
  } catch (error) {
    return fleetExit(error, host);
  } finally {
    await opened.close();
  }
}

function report(event: WorkEvent, log: Log): void {
  switch (event.kind) {
    case "finished":
      if (event.error === null) log.info({ event: "run.finished" }, "a run is finished");
      else
        log.warn(
          { event: "run.failed", error: event.error },
          `a run failed, as it would on any machine: ${event.error}`,
        );
      return;
    case "gaveBack":
      log.info({ event: "run.gaveBack", runs: event.runs }, `gave back ${countText(event.runs, "run")}`);
      return;
    case "elsewhere":
      log.warn(
        { event: "run.elsewhere", runs: event.runs },
        `${countText(event.runs, "run")} of another version of quoin wait for a worker of that version`,
      );
      return;
    case "databaseAway":
      log.warn({ event: "database.away" }, `the fleet's database: ${event.error}; trying again`);
      return;
    case "databaseBack":
      log.info({ event: "database.back" }, "the fleet's database answers again");
  }
}
