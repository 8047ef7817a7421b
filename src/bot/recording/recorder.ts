// Takes entries by reference when they end, and writes them a moment later, when no turn waits: as bytes, in batches, in files of bounded
// size. If a file is lost, the recording continues in a new one. If the disk is too slow or fails, the recording ends with one log line,
// and the bot continues.

import { crc32 } from "node:zlib";
import type { Clock, Timer } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import { recordingTiming } from "../timing.ts";
import { digestOf, type Entry, type Start } from "./entry.ts";
import { FileLost, type RecordingFiles } from "./files.ts";
import { batchHead, END, EXTENSION, type FileBegin, headOf } from "./format.ts";
import { LineWriter } from "./lines.ts";

/** Size at which a batch is written; or a second after the last batch. */
const BATCH_BYTES = 64 * 1024;
/** Entries between two checks of the clock. */
const SLICE = 16;
/** Largest size of one file, in bytes. */
export const FILE_BYTES_MAX = 32 * 1024 * 1024;
/** Most waiting data, before and after conversion to bytes. */
const WAITING_MAX = { entries: 100_000, bytes: 32 * 1024 * 1024 };

export type RecorderModules = {
  readonly clock: Clock;
  readonly files: RecordingFiles;
  readonly version: string;
  /** A file with this many bytes is followed by a new one. */
  readonly fileBytesMax: number;
  /** Called when a file ends before the run does. `next`: the new file; null: recording has stopped. */
  readonly onFailed: (why: string, next: string | null) => void;
  /** Called for each batch. */
  readonly onWritten: (bytes: number) => void;
};

type Pending = { readonly entry: Entry; readonly outputs: readonly unknown[] } | typeof END;

export class Recorder {
  readonly #modules: RecorderModules;
  #timer: Timer | null = null;
  #pending: Pending[] = [];
  /** Lines of the current file. */
  #lines = new LineWriter();
  /** Checksum of all its lines; null: nothing was written yet. */
  #checksum: number | null = null;
  #sealedMs: number;
  #waitingBytes = 0;
  #start: Start | null = null;
  #begin: FileBegin | null = null;
  /** Number of the last part whose loss was reported. */
  #partsLost = 0;
  #fileBytes = 0;
  /** True while pending entries are still being converted. */
  #isBusy = false;
  #hasFailed = false;
  #isOver = false;

  constructor(modules: RecorderModules) {
    this.#modules = modules;
    this.#sealedMs = modules.clock.monotonicMs();
  }

  /** A run begins, and a file with it. */
  start(start: Start): void {
    const life = new Date(start.instant.wallMs).toISOString().replaceAll(":", "-");
    this.#start = start;
    this.#openFile({ life, part: 1, start });
    this.#timer = this.#modules.clock.every(recordingTiming.writeEveryMs, () => {
      if (!this.#isBusy) this.#write();
    });
  }

  /** Takes the next input, and its outputs other than decisions. */
  push(entry: Entry, outputs: readonly unknown[]): void {
    if (this.#hasFailed) return;
    this.#pending.push({ entry, outputs });
    if (this.#pending.length > WAITING_MAX.entries) this.#fail("the processor does not follow");
  }

  /** The run ends: writes the rest, and resolves when the system has it. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    if (!this.#hasFailed && this.#begin !== null) {
      this.#pending.push(END);
      while (this.#pending.length > 0) this.#toBytes();
      this.#seal();
    }
    this.#pending = [];
    this.#isOver = true;
    await this.#modules.files.settled();
  }

  #openFile(begin: FileBegin): void {
    this.#begin = begin;
    this.#fileBytes = 0;
    this.#checksum = null;
    this.#lines = new LineWriter();
    this.#lines.add(begin);
  }

  /** Converts one slice at a time, so that nothing waits long. */
  #write(): void {
    const { clock } = this.#modules;
    const startedMs = clock.monotonicMs();
    while (this.#pending.length > 0) {
      this.#toBytes();
      if (clock.monotonicMs() - startedMs < recordingTiming.sliceMs) continue;
      this.#isBusy = true;
      clock.after(0, () => {
        this.#isBusy = false;
        this.#write();
      });
      return;
    }
    if (startedMs - this.#sealedMs >= recordingTiming.sealEveryMs) this.#seal();
  }

  #toBytes(): void {
    for (const pending of this.#pending.splice(0, SLICE))
      this.#lines.add("entry" in pending ? { ...pending.entry, digest: digestOf(pending.outputs) } : pending);
    if (this.#lines.length >= BATCH_BYTES) this.#seal();
  }

  #seal(): void {
    const { clock, files, version, fileBytesMax, onWritten } = this.#modules;
    this.#sealedMs = clock.monotonicMs();
    if (this.#lines.length === 0 || this.#begin === null || this.#hasFailed) return;
    const lines = this.#lines.take();
    this.#waitingBytes += lines.length;
    if (this.#waitingBytes > WAITING_MAX.bytes) {
      this.#fail("the disk does not follow");
      return;
    }
    const isNew = this.#checksum === null;
    this.#checksum = crc32(lines, this.#checksum ?? 0);
    const bytes = [Buffer.from(isNew ? headOf(version) : ""), batchHead(lines, this.#checksum), lines];
    const { part } = this.#begin;
    files.append(nameOf(this.#begin), Buffer.concat(bytes), isNew, (written) => {
      this.#waitingBytes -= lines.length;
      if (typeof written === "number") {
        this.#fileBytes += written;
        onWritten(written);
      } else if (written instanceof FileLost) this.#goOn(part, written.message);
      else this.#fail(messageOf(written));
    });
    if (this.#fileBytes < fileBytesMax) return;
    this.#openFile({ ...this.#begin, part: this.#begin.part + 1, start: null });
  }

  /**
   * Continues in a new file that repeats the run's start, so that its events can be used alone. Batches still being written to the old file
   * are lost.
   */
  #goOn(lostPart: number, why: string): void {
    if (this.#isOver) this.#fail(why);
    if (this.#begin === null || this.#hasFailed || lostPart <= this.#partsLost) return;
    this.#partsLost = this.#begin.part;
    const next = { ...this.#begin, part: this.#begin.part + 1, start: this.#start };
    this.#openFile(next);
    this.#modules.onFailed(why, nameOf(next));
  }

  #fail(why: string): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#pending = [];
    this.#timer?.cancel();
    this.#modules.onFailed(why, null);
  }
}

/** Sorted names are in order of time. */
const nameOf = ({ life, part }: FileBegin): string => `${life}.${`${part}`.padStart(5, "0")}${EXTENSION}`;
