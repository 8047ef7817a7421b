// Reads recordings: one file, or a folder's files in order. A file that was cut off or damaged is read up to there; later files are
// read from the next start of a run.

import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../kernel/errors.ts";
import { READING } from "../../kernel/yaml/files.ts";
import type { Entry, Start } from "./entry.ts";
import { readExact } from "./exact-text.ts";
import {
  BATCH_BYTES_MAX,
  BATCH_HEAD_BYTES,
  checkHead,
  dictionaryAfter,
  type END,
  EXTENSION,
  type FileBegin,
  HEAD_BYTES_MAX,
  RecordingError,
  unpacked,
} from "./format.ts";

/**
 * `life`: a run begins; `isWithin`: its earlier entries are lost, so its decisions cannot be replayed. `entry`: the run's next one. `end`:
 * the run ended; `isCut`: the recording ends before it did.
 */
export type Recorded =
  | { readonly kind: "life"; readonly start: Start; readonly isWithin: boolean; readonly file: string }
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "end"; readonly isCut: boolean };

type Line = FileBegin | Entry | typeof END;

/** Stands for the rest of a file that is damaged or cut off. */
const CUT = "cut";

/**
 * All of a recording, or of a folder of them, in order. A part of a run whose earlier parts are lost is passed over as cut, unless it has a
 * start of its own. Throws RecordingError: `unreadable`, `foreign`, `otherFormat`, and where not one event can be read `continued` for a
 * recording that begins within a run, and `empty` for every other.
 */
export async function* readRecording(path: string): AsyncGenerator<Recorded> {
  const runs = new Runs();
  let [entries, wasCut]: [number, boolean] = [0, false];
  for (const file of await filesOf(path)) {
    for await (const line of linesOf(file)) {
      wasCut ||= line === CUT;
      for (const recorded of runs.take(line, file)) {
        if (recorded.kind === "entry") entries += 1;
        yield recorded;
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

/** Turns the lines of files, in order, into parts of runs. */
class Runs {
  /** The newest part that was read of the run; null: no run is being read. */
  #open: FileBegin | null = null;
  /** The first file that continues an unread part. */
  orphan: string | null = null;

  *take(line: Line | typeof CUT, file: string): Generator<Recorded> {
    if (line === CUT) {
      // No later file continues what was read before the damage.
      this.#open = null;
      yield { kind: "end", isCut: true };
    } else if ("life" in line) yield* this.#begin(line, file);
    else if (this.#open === null) return;
    else if ("end" in line) {
      this.#open = null;
      yield { kind: "end", isCut: false };
    } else yield { kind: "entry", entry: line };
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

async function filesOf(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter((name) => name.endsWith(EXTENSION)).sort();
    if (names.length > 0) return names.map((name) => join(path, name));
  } catch (cause) {
    throw new RecordingError("unreadable", `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
  throw new RecordingError("unreadable", `${path} holds no recording (a file NAME${EXTENSION})`);
}

/** Lines of whole batches; `CUT` last where the file ends within one. */
async function* linesOf(file: string): AsyncGenerator<Line | typeof CUT> {
  const handle = await opened(file);
  try {
    const headLine = await readAt(handle, 0, HEAD_BYTES_MAX);
    let at = checkHead(headLine, file);
    let dictionary: Buffer = Buffer.alloc(0);
    while (at !== null) {
      const head = await readAt(handle, at, BATCH_HEAD_BYTES);
      // A file appears with its first batch.
      if (head.length === 0 && dictionary.length > 0) return;
      const text = head.length < BATCH_HEAD_BYTES ? null : await textAt(handle, at, head, dictionary);
      const lines = text === null ? null : linesIn(text);
      if (text === null || lines === null) break;
      yield* lines;
      dictionary = dictionaryAfter(dictionary, text);
      at += BATCH_HEAD_BYTES + head.readUInt32LE(0);
    }
    yield CUT;
  } finally {
    await handle.close();
  }
}

/** Null where the batch is not what was written. */
async function textAt(handle: FileHandle, at: number, head: Buffer, dictionary: Buffer): Promise<Buffer | null> {
  const length = head.readUInt32LE(0);
  if (length > BATCH_BYTES_MAX) return null;
  const packed = await readAt(handle, at + BATCH_HEAD_BYTES, length);
  return packed.length < length ? null : unpacked(head, packed, dictionary);
}

/** Null where one of them is no line of a recording. */
function linesIn(text: Buffer): readonly Line[] | null {
  try {
    const values = text
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map(readExact);
    return values.every((value) => typeof value === "object" && value !== null) ? (values as readonly Line[]) : null;
  } catch {
    return null;
  }
}

/** A pipe or a device is refused: it has no end, or waits for a writer. */
async function opened(file: string): Promise<FileHandle> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, READING);
    if ((await handle.stat()).isFile()) return handle;
  } catch (cause) {
    throw new RecordingError("unreadable", `${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
  await handle.close();
  throw new RecordingError("unreadable", `${file} is no regular file: copy the recording into one and name that`);
}

/** Fewer bytes than asked for where the file ends. */
async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { size } = await handle.stat();
  const buffer = Buffer.alloc(Math.max(0, Math.min(length, size - position)));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
  return buffer.subarray(0, bytesRead);
}
