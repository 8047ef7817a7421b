// `quoin import`: turns a day of LOBSTER data into a recording without an account, for `backtest --recording` and `calibrate`.

import { type CsvFile, LobsterError, lobsterSession } from "../backtest/recorded/lobster.ts";
import type { Start } from "../bot/recording/entry.ts";
import { recordingFilesAtOnce } from "../bot/recording/files.ts";
import { FILE_BYTES_MAX, Recorder } from "../bot/recording/recorder.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { countText } from "../kernel/text.ts";
import { createVirtualClock } from "../kernel/virtual-clock.ts";
import { unreadable, unwritable } from "../kernel/yaml/files.ts";

export type ImportOptions = { readonly out: string };

/** A day of a busy share has some hundred thousand lines of ten levels. */
const BYTES_MAX = 500 * 2 ** 20;

/** Exit 2, with nothing written, when a file cannot be read or a line is wrong; 1 when the folder cannot be written. */
export async function importLobster(
  messages: string,
  orderbook: string,
  { out }: ImportOptions,
  host: Host,
): Promise<ExitCode> {
  const texts = [messages, orderbook].map((file) => readWhole(file, host));
  const [events, books] = texts;
  if (events === undefined || books === undefined) return EXIT_USAGE;
  try {
    for (const _ of lobsterSession(events, books));
  } catch (error) {
    if (!(error instanceof LobsterError)) throw error;
    return endWith(EXIT_USAGE, error.message, host);
  }
  const failed = await write(events, books, out, host).catch(unwritable);
  if (failed === null) return EXIT_DONE;
  return endWith(EXIT_FAILED, `${out} cannot be written: ${failed}; name another folder`, host);
}

/** Undefined: it cannot be read, and stderr says why. */
function readWhole(file: string, { files, stderr }: Host): CsvFile | undefined {
  try {
    return { file, text: files.read(file, BYTES_MAX) };
  } catch (cause) {
    stderr(`quoin: ${file}: ${unreadable(cause)}\n`);
    return undefined;
  }
}

/** Null, or why it could not be written. */
async function write(messages: CsvFile, books: CsvFile, folder: string, host: Host): Promise<string | null> {
  const world = createVirtualClock({ startMs: 0 });
  let [failed, entries, bytes]: [string | null, number, number] = [null, 0, 0];
  const recorder = new Recorder({
    clock: world,
    files: recordingFilesAtOnce(folder),
    version: host.version,
    fileBytesMax: FILE_BYTES_MAX,
    onFailed: (why) => {
      failed = why;
    },
    onWritten: (written) => {
      bytes += written;
    },
  });
  for (const { instant, event } of lobsterSession(messages, books)) {
    if (entries === 0) recorder.start({ ...nobody, instant, version: host.version });
    world.advanceSync(Math.max(0, instant.monotonicMs - world.elapsedMs()));
    recorder.push({ kind: "event", event, instant }, []);
    entries += 1;
  }
  await recorder.close();
  if (failed === null) host.stdout(`${countText(entries, "event")} in ${folder}, ${bytes} bytes\n`);
  return failed;
}

/** A run without accounts. */
const nobody: Omit<Start, "instant" | "version"> = {
  chainId: "lobster",
  readLagMaxMs: 0,
  landingBoundMs: 0,
  seed: 0n,
  accounts: [],
  publicKeys: [],
  earlierHolders: [],
  ledgerLost: null,
  halt: null,
  watchdogSilenceMs: 0,
  readings: {
    journal: "healthy",
    isReserveUsed: false,
    takesMore: false,
    isElsewhere: false,
    nonceRefusals: [],
    keysElsewhere: [],
  },
  kept: [],
};
