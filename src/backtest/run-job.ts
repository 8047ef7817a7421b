// Runs one job: reads its configuration from the texts in the job, and runs it in the devnet or in a recording.

import { loadConfiguration } from "../configuration.ts";
import { filesOf } from "../kernel/yaml/files.ts";
import type { BacktestJob, Outcome } from "./outcome.ts";
import { recordingOf } from "./recorded/recording.ts";
import { runRecorded } from "./recorded/run-recorded.ts";
import { runConfigured, type Tell } from "./run.ts";

/**
 * Converts the outcome through JSON, because files and queues do so too: otherwise -0 would show in a report. Throws ConfigError,
 * SettingError, and what `runConfigured` or `runRecorded` throws.
 */
export async function runBacktest(job: BacktestJob, tell?: Tell): Promise<Outcome> {
  const configuration = await loadConfiguration(
    job.file,
    filesOf(new Map(job.sources.map(({ path, text }) => [path, text]))),
    job.settings,
  );
  const { recording } = job;
  const outcome =
    recording === undefined
      ? await runConfigured(configuration, job, tell)
      : await runRecorded(configuration.bot, job, recordingOf(recording), tell);
  return JSON.parse(JSON.stringify(outcome));
}
