// Makes the recorder of each run, in the folder that the configuration names.

import type { BotConfig } from "../bot/config/config.ts";
import { checkFolder, recordingFiles } from "../bot/recording/files.ts";
import { FILE_BYTES_MAX, Recorder } from "../bot/recording/recorder.ts";
import type { BotModules } from "../bot/service/lifecycle/build.ts";
import { StartError } from "../bot/service/lifecycle/start-error.ts";
import { unwritable } from "../kernel/yaml/files.ts";

/** Empty when the configuration names no recording. Throws StartError when the folder cannot be written. */
export function recordingOf(
  { recording }: Pick<BotConfig, "recording">,
  { clock, version, log, metrics }: Pick<BotModules, "clock" | "version" | "log" | "metrics">,
): Pick<BotModules, "record"> {
  if (recording === null) return {};
  const { folder, maxBytes } = recording;
  try {
    checkFolder(folder);
  } catch (cause) {
    const message = `recording.folder: ${folder} cannot be written: ${unwritable(cause)}; name another, or leave recording out`;
    throw new StartError("configuration", message, { cause });
  }
  return {
    record() {
      metrics.recording.set(1);
      return new Recorder({
        clock,
        version,
        fileBytesMax: FILE_BYTES_MAX,
        files: recordingFiles(folder, maxBytes),
        onWritten: (bytes) => metrics.recordedBytes.inc(bytes),
        onFailed(why, next) {
          if (next !== null) {
            metrics.recordingsLost.inc();
            log.error(
              { event: "recording.lost", folder, next },
              `${why} while it was written: the recording goes on in ${next}; replay cannot work out the rest of this run, its events can be used`,
            );
            return;
          }
          metrics.recording.set(0);
          log.error(
            { event: "recording.ended", folder },
            `the recording in ${folder} ends here: ${why}; trading goes on, and the next start records again`,
          );
        },
      });
    },
  };
}
