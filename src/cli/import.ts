// `quoin import`: turns market data of other publishers into a recording without an account, for `backtest --recording`, `tune` and
// `calibrate`. The data is read once, and nothing appears in the folder before the last line was right.

import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { type FeedMessage, type FeedWatch, feedSession } from "../backtest/recorded/feed.ts";
import { FeedError, type FeedFile } from "../backtest/recorded/feed-lines.ts";
import { hftbacktestMessages } from "../backtest/recorded/hftbacktest.ts";
import { lobsterSession } from "../backtest/recorded/lobster.ts";
import type { Recorded } from "../backtest/recorded/session.ts";
import { tardisMessages } from "../backtest/recorded/tardis.ts";
import type { Start } from "../bot/recording/entry.ts";
import { type DraftFolder, draftIn, recordingFilesAtOnce } from "../bot/recording/files.ts";
import { FILE_BYTES_MAX, Recorder } from "../bot/recording/recorder.ts";
import { PRICE_SCALE, SIZE_SCALE } from "../domain/units.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { encodeCsv } from "../kernel/csv.ts";
import { formatDecimal } from "../kernel/decimal.ts";
import { countText } from "../kernel/text.ts";
import { createVirtualClock } from "../kernel/virtual-clock.ts";
import { outputFile, unreadable, unwritable } from "../kernel/yaml/files.ts";
import type { ImportSource } from "./choices.ts";

export type ImportOptions = { readonly from: ImportSource; readonly out: string };

/** Exit 2, with nothing written, when a file cannot be read or a line is wrong; 1 when the folder cannot be written. */
export async function importData(
  paths: readonly string[],
  { from, out }: ImportOptions,
  host: Host,
): Promise<ExitCode> {
  const fault = filesFault(paths, from, host);
  if (fault !== null) return endWith(EXIT_USAGE, fault, host);
  let draft: DraftFolder;
  try {
    draft = draftIn(out);
  } catch (cause) {
    return endWith(EXIT_FAILED, `${out} cannot be written: ${unwritable(cause)}; name another folder`, host);
  }
  setYoungGrowth(1);
  try {
    const notes = new Notes(draft.path, host);
    const files = paths.map((file) => ({ file, chunks: chunksOf(file, host) }));
    const written = await write(sessions[from](files, notes.watch), draft.path, host);
    notes.end();
    if (written.failed !== null) throw new Error(written.failed);
    draft.keep();
    host.stdout(`${countText(written.entries, "event")} in ${out}, ${written.bytes} bytes\n`);
    return EXIT_DONE;
  } catch (error) {
    if (error instanceof FeedError) return endWith(EXIT_USAGE, error.message, host);
    return endWith(EXIT_FAILED, `${out} cannot be written: ${unwritable(error)}; name another folder`, host);
  } finally {
    draft.drop();
    setYoungGrowth(YOUNG_GROWTH_USUAL);
  }
}

/**
 * Nearly all that an import makes is garbage at once. The runtime would still let the space for new values grow, and hold 300 MB where 150 do.
 */
const setYoungGrowth = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`);
/** The runtime's own. */
const YOUNG_GROWTH_USUAL = 2;

const sessions: Readonly<Record<ImportSource, (files: readonly FeedFile[], watch: FeedWatch) => Iterable<Recorded>>> = {
  lobster: ([messages, books]) => lobsterSession(messages as FeedFile, books as FeedFile),
  tardis: (files, watch) => feedSession(tardisMessages(files), watch),
  hftbacktest: (files, watch) => feedSession(hftbacktestMessages(files), watch),
};

/** Null: there is nothing against reading them. */
function filesFault(paths: readonly string[], from: ImportSource, { files }: Host): string | null {
  if (from === "lobster" && paths.length !== 2)
    return "LOBSTER data is two files: `message` first, then `orderbook`; --from names another publisher";
  for (const path of paths) {
    try {
      for (const _ of files.chunks(path)) break;
    } catch (cause) {
      return `${path}: ${unreadable(cause)}`;
    }
  }
  return null;
}

/** Throws FeedError when the file cannot be read any longer. */
function* chunksOf(file: string, { files }: Host): Generator<Uint8Array, void> {
  const chunks = files.chunks(file)[Symbol.iterator]();
  for (;;) {
    let next: IteratorResult<Uint8Array>;
    try {
      next = chunks.next();
    } catch (cause) {
      throw new FeedError("feed", `${file}: ${unreadable(cause)}`, { cause });
    }
    if (next.done === true) return;
    yield next.value;
  }
}

/** Gaps that are reported one by one. */
const GAPS_TOLD = 20;

/** Tells gaps, and keeps trades of unknown side in a file of their own beside the recording. */
class Notes {
  readonly #folder: string;
  readonly #stderr: Host["stderr"];
  readonly #counts = { gaps: 0, early: 0, unknown: 0 };
  #unknown: ReturnType<typeof outputFile> | null = null;

  constructor(folder: string, { stderr }: Host) {
    this.#folder = folder;
    this.#stderr = stderr;
  }

  readonly watch: FeedWatch = {
    gap: ({ where, fromMicros, toMicros, isReconnect }) => {
      this.#counts.gaps += 1;
      if (this.#counts.gaps > GAPS_TOLD) return;
      const seconds = Math.round((toMicros - fromMicros) / 1000) / 1000;
      const since = new Date(fromMicros / 1000).toISOString();
      const then = isReconnect ? ", then a new snapshot" : "";
      this.#stderr(`quoin: ${where}: nothing for ${seconds} s from ${since} on${then}\n`);
    },
    unknownSide: (trade) => this.#keep(trade),
    early: () => {
      this.#counts.early += 1;
    },
  };

  #keep({ symbol, atMicros, price, size }: Extract<FeedMessage, { kind: "trade" }>): void {
    this.#counts.unknown += 1;
    const cells = [`${atMicros}`, symbol, formatDecimal(price, PRICE_SCALE), formatDecimal(size, SIZE_SCALE)];
    if (this.#unknown === null) {
      this.#unknown = outputFile(join(this.#folder, UNKNOWN_SIDES));
      this.#unknown.write(encodeCsv(["timestamp_us", "symbol", "price", "size"], []));
    }
    this.#unknown.write(encodeCsv(cells, []));
  }

  end(): void {
    this.#unknown?.done();
    const { gaps, early, unknown } = this.#counts;
    if (gaps > GAPS_TOLD) this.#stderr(`quoin: ${countText(gaps - GAPS_TOLD, "more gap")}\n`);
    if (early > 0) this.#stderr(`quoin: ${countText(early, "message")} before the first snapshot left out\n`);
    if (unknown > 0)
      this.#stderr(
        `quoin: ${countText(unknown, "trade")} of unknown side, in ${UNKNOWN_SIDES} and not in the recording\n`,
      );
  }
}

const UNKNOWN_SIDES = "unknown-side-trades.csv";

type Written = { readonly failed: string | null; readonly entries: number; readonly bytes: number };

async function write(session: Iterable<Recorded>, folder: string, { version }: Host): Promise<Written> {
  const world = createVirtualClock({ startMs: 0 });
  let [failed, entries, bytes]: [string | null, number, number] = [null, 0, 0];
  const recorder = new Recorder({
    clock: world,
    files: recordingFilesAtOnce(folder),
    version,
    fileBytesMax: FILE_BYTES_MAX,
    onFailed: (why) => {
      failed = why;
    },
    onWritten: (written) => {
      bytes += written;
    },
  });
  for (const { instant, event } of session) {
    if (entries === 0) recorder.start({ ...nobody, instant, version });
    world.advanceSync(Math.max(0, instant.monotonicMs - world.elapsedMs()));
    recorder.push({ kind: "event", event, instant }, []);
    entries += 1;
  }
  await recorder.close();
  return { failed, entries, bytes };
}

/** A run without accounts. */
const nobody: Omit<Start, "instant" | "version"> = {
  chainId: "imported",
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
