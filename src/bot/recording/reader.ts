// Reads recordings: one file, or a folder's files in order. A file that was cut or damaged is read up to that point; later files are read
// from the next start of a run.

import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { messageOf } from "../../kernel/errors.ts";
import { READING } from "../../kernel/yaml/files.ts";
import type { Entry, Start } from "./entry.ts";
import {
  BATCH_HEAD_BYTES,
  checkHead,
  EXTENSION,
  type FileBegin,
  HEAD_BYTES_MAX,
  RecordingError,
  readBatchHead,
} from "./format.ts";
import { type Line, LineReader } from "./lines.ts";

/**
 * `life`: a run begins; `isWithin`: its earlier entries are lost, so its decisions cannot be replayed. `entry`: the run's next one. `end`:
 * the run ended; `isCut`: the recording ends before it did.
 */
export type Recorded =
  | { readonly kind: "life"; readonly start: Start; readonly isWithin: boolean; readonly file: string }
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "end"; readonly isCut: boolean };

/** Represents the rest of a file that is damaged or cut. */
const REST = { cut: true } as const;
/** Last of a file's batches. */
const CUT = [REST];

const isEntry = (line: Line | typeof REST): line is Entry => "instant" in line;

/** `withDecisions` false: entries come without decisions and digest. */
export type ReadingOptions = { readonly withDecisions: boolean };
const WHOLE: ReadingOptions = { withDecisions: true };

/**
 * Everything in a recording, or in a folder of them, in order. A part of a run whose earlier parts are lost is skipped as cut, unless it
 * has a start of its own. Throws RecordingError: `unreadable`, `foreign`, `otherFormat`; and if no event can be read, `continued` for a
 * recording that begins within a run, `empty` for any other.
 */
export function* recordedIn(path: string, options: ReadingOptions = WHOLE): Generator<Recorded> {
  const runs = new Runs();
  let [entries, wasCut]: [number, boolean] = [0, false];
  for (const file of filesOf(path)) {
    for (const lines of batchesOf(file, options)) {
      wasCut ||= lines === CUT;
      for (const line of lines) {
        if (runs.isOpen && isEntry(line)) {
          entries += 1;
          yield { kind: "entry", entry: line };
        } else yield* runs.take(line, file);
      }
    }
  }
  yield* runs.end();
  if (entries > 0) return;
  if (runs.orphan !== null)
    throw new RecordingError(
      "continued",
      `${runs.orphan} begins within a run: name the folder that holds all parts of the recording`,
    );
  const why = wasCut ? "it is damaged, or was cut off, before the first" : "nothing was recorded in it";
  throw new RecordingError("empty", `${path}: not one event can be read: ${why}`);
}

/** Converts the lines of files, in order, to parts of runs. */
class Runs {
  /** The newest part read of the current run; null: no run is being read. */
  #open: FileBegin | null = null;
  /** The first file that continues an unread part. */
  orphan: string | null = null;

  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** An entry belongs to the open run, or to one that was not read. */
  *take(line: Line | typeof REST, file: string): Generator<Recorded> {
    if ("cut" in line) {
      // No later file continues a damaged part.
      this.#open = null;
      yield { kind: "end", isCut: true };
    } else if ("life" in line) yield* this.#begin(line, file);
    else if ("end" in line && this.#open !== null) {
      this.#open = null;
      yield { kind: "end", isCut: false };
    }
  }

  *end(): Generator<Recorded> {
    if (this.#open !== null) yield { kind: "end", isCut: true };
  }

  *#begin(line: FileBegin, file: string): Generator<Recorded> {
    const open = this.#open;
    const { life, part, start } = line;
    if (open !== null && start === null && life === open.life && part === open.part + 1) {
      this.#open = line;
      return;
    }
    yield* this.end();
    this.#open = start === null ? null : line;
    if (start !== null) yield { kind: "life", start, isWithin: part > 1, file };
    else {
      this.orphan ??= file;
      yield { kind: "end", isCut: true };
    }
  }
}

/** SHA-256 of the files of a recording, in order. Throws RecordingError `unreadable`. */
export function recordingHash(path: string): string {
  const hash = createHash("sha256");
  for (const file of filesOf(path)) {
    const bytes = new FileBytes(file);
    try {
      for (let chunk = bytes.next(CHUNK_BYTES); chunk.length > 0; chunk = bytes.next(CHUNK_BYTES)) hash.update(chunk);
    } finally {
      bytes.close();
    }
  }
  return hash.digest("hex");
}

function filesOf(path: string): readonly string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path)
      .filter((name) => name.endsWith(EXTENSION))
      .sort();
    if (names.length > 0) return names.map((name) => join(path, name));
  } catch (cause) {
    throw new RecordingError("unreadable", `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
  throw new RecordingError("unreadable", `${path} holds no recording (a file NAME${EXTENSION})`);
}

/** The lines of complete batches; `CUT` last if the file ends within one. */
function* batchesOf(file: string, options: ReadingOptions): Generator<readonly Line[] | typeof CUT> {
  const bytes = new FileBytes(file);
  try {
    const beginning = bytes.next(HEAD_BYTES_MAX);
    const headLength = checkHead(beginning, file);
    bytes.back(beginning.length - (headLength ?? 0));
    const reader = new LineReader(options);
    let checksum = 0;
    for (let isFirst = true; headLength !== null; isFirst = false) {
      const head = bytes.next(BATCH_HEAD_BYTES);
      // A file appears with its first batch.
      if (head.length === 0 && !isFirst) return;
      if (head.length < BATCH_HEAD_BYTES) break;
      const { length, checksum: wanted } = readBatchHead(head);
      const batch = bytes.next(length);
      checksum = crc32(batch, checksum);
      const lines = batch.length < length || checksum !== wanted ? null : linesIn(batch, reader);
      if (lines === null) break;
      yield lines;
    }
    yield CUT;
  } finally {
    bytes.close();
  }
}

/** Null if they are not lines of a recording. */
function linesIn(batch: Buffer, reader: LineReader): readonly Line[] | null {
  try {
    return reader.read(batch);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const CHUNK_BYTES = 1 << 20;

/** Reads a file from beginning to end. */
class FileBytes {
  readonly #handle: number;
  readonly #size: number;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Bytes of the file read so far. */
  #read = 0;

  /** Throws RecordingError. Refuses pipes and devices, which have no end or wait for a writer. */
  constructor(file: string) {
    let handle: number | undefined;
    try {
      handle = openSync(file, READING);
      const status = fstatSync(handle);
      [this.#handle, this.#size] = [handle, status.size];
      if (status.isFile()) return;
    } catch (cause) {
      if (handle !== undefined) closeSync(handle);
      throw new RecordingError("unreadable", `${file} cannot be read: ${messageOf(cause)}`, { cause });
    }
    closeSync(handle);
    throw new RecordingError("unreadable", `${file} is no regular file: copy the recording into one and name that`);
  }

  close(): void {
    closeSync(this.#handle);
  }

  /** Fewer at the end of the file. */
  next(count: number): Buffer {
    if (this.#at + count > this.#chunk.length) this.#fill(count);
    const bytes = this.#chunk.subarray(this.#at, this.#at + count);
    this.#at += bytes.length;
    return bytes;
  }

  /** Moves back by `count` bytes, which will be read again. */
  back(count: number): void {
    this.#at -= count;
  }

  #fill(count: number): void {
    const left = this.#chunk.subarray(this.#at);
    const more = Math.min(this.#size - this.#read, Math.max(CHUNK_BYTES, count - left.length));
    if (more <= 0) return;
    const chunk = Buffer.allocUnsafe(left.length + more);
    left.copy(chunk);
    let end = left.length;
    while (end < chunk.length) {
      const bytes = readSync(this.#handle, chunk, end, chunk.length - end, this.#read);
      // The file became shorter.
      if (bytes === 0) break;
      this.#read += bytes;
      end += bytes;
    }
    [this.#chunk, this.#at] = [chunk.subarray(0, end), 0];
  }
}
