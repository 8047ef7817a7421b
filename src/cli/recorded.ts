// Opens a recording for a command, or prints why it cannot be used.

import { recordingOf } from "../backtest/recorded/recording.ts";
import { type Recording, SessionError } from "../backtest/recorded/session.ts";
import { RecordingError } from "../bot/recording/format.ts";
import { EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";

/** Exit 2 when `path` holds no usable recording; stderr says why. Rejects with any other error of `run`. */
export async function withRecording(
  path: string,
  { stderr }: Pick<Host, "stderr">,
  run: (recording: Recording) => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await run(recordingOf(path));
  } catch (error) {
    const why = whyUnusable(error, path);
    if (why === null) throw error;
    return endWith(EXIT_USAGE, why, { stderr });
  }
}

/** Null: the error has another reason. */
export function whyUnusable(error: unknown, path: string): string | null {
  if (error instanceof RecordingError) return error.message;
  return error instanceof SessionError ? `${path}: ${error.message}` : null;
}
