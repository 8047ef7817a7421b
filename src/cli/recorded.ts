// What commands on a recording share: the recording by its path, and one line where it cannot be used.

import { recordingOf } from "../backtest/recorded/recording.ts";
import { type Recording, SessionError } from "../backtest/recorded/session.ts";
import { RecordingError } from "../bot/recording/format.ts";
import { EXIT_USAGE, type ExitCode, type Host } from "../host/host.ts";

/** Exit 2 where `path` holds no recording that can be used; why is on stderr. Rejects with what else `run` throws. */
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
    stderr(`quoin: ${why}\n`);
    return EXIT_USAGE;
  }
}

/** Null: it is something else. */
export function whyUnusable(error: unknown, path: string): string | null {
  if (error instanceof RecordingError) return error.message;
  return error instanceof SessionError ? `${path}: ${error.message}` : null;
}
