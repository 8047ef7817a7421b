// Runs one job: reads its configuration from the texts in the job, and runs it in the devnet, in a recording, or as a screening.

import { type Configuration, loadConfiguration } from "../configuration.ts";
import { systemClock } from "../kernel/clock.ts";
import { filesOf } from "../kernel/yaml/files.ts";
import type { BacktestJob, Outcome } from "./outcome.ts";
import { recordingOf } from "./recorded/recording.ts";
import { runRecorded } from "./recorded/run-recorded.ts";
import { runConfigured, type Tell } from "./run.ts";
import { runScreened } from "./screen/run-screened.ts";
import { TapeCache } from "./screen/tape-cache.ts";

/**
 * Converts the outcome through JSON, because files and queues do so too: otherwise -0 would show in a report. Throws ConfigError,
 * SettingError, and what `runConfigured`, `runRecorded` or `runScreened` throws.
 */
export async function runBacktest(job: BacktestJob, tell?: Tell): Promise<Outcome> {
  const configuration = await loadConfiguration(
    job.file,
    filesOf(new Map(job.sources.map(({ path, text }) => [path, text]))),
    job.settings,
  );
  return JSON.parse(JSON.stringify(await run(configuration, job, tell)));
}

function run(configuration: Configuration, job: BacktestJob, tell?: Tell): Promise<Outcome> {
  const { recording, approximate } = job;
  if (approximate !== undefined) {
    const { folder, program } = approximate;
    return runScreened(configuration, job, { cache: new TapeCache(folder, systemClock), program });
  }
  if (recording !== undefined) return runRecorded(configuration.bot, job, recordingOf(recording.path), tell);
  return runConfigured(configuration, job, tell);
}
