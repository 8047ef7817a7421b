// A recorder that writes synchronously, for virtual time. It throws where a write fails.

import { recordingFilesAtOnce } from "../../src/bot/recording/files.ts";
import { FILE_BYTES_MAX, Recorder } from "../../src/bot/recording/recorder.ts";
import type { Clock } from "../../src/kernel/clock.ts";

export const recorderInto = (folder: string, clock: Clock, fileBytesMax = FILE_BYTES_MAX): Recorder =>
  new Recorder({
    clock,
    files: recordingFilesAtOnce(folder),
    version: "0.1.0",
    fileBytesMax,
    onFailed: (why) => {
      throw new Error(why);
    },
    onWritten: () => {},
  });
