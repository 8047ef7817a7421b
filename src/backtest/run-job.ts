// A run as it is asked for: its configuration read from the texts that came with it, in the devnet or in a recording.

import { loadConfiguration } from "../configuration.ts";
import { filesOf } from "../kernel/yaml/files.ts";
import type { BacktestJob, Outcome } from "./outcome.ts";
import { recordingOf } from "./recorded/recording.ts";
import { runRecorded } from "./recorded/run-recorded.ts";
import { runConfigured, type Tell } from "./run.ts";

/**
 * What JSON holds of the outcome, since files and queues hold no more: -0 would show in a report. Throws ConfigError, SettingError, and
 * what `runConfigured` or `runRecorded` throws.
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
