// Reads recordings: one file, or a folder's files in order. A file that was cut off anywhere, or damaged, is read up to there.

import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../kernel/errors.ts";
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

/** `life`: one begins; `entry`: its next one; `end`: it ended, `isCut` where the recording ends before the run did. */
export type Recorded =
  | { readonly kind: "life"; readonly start: Start; readonly file: string }
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "end"; readonly isCut: boolean };

type Line = FileBegin | Entry | typeof END;

/**
 * All of a recording, or of a folder of them, in order. Throws RecordingError: `unreadable`, `foreign`, `otherFormat`, and `continued` for a
 * file that begins within a run.
 */
export async function* readRecording(path: string): AsyncGenerator<Recorded> {
  /** Where the run that is being read has come to; null: none is. */
  let open: FileBegin | null = null;
  for (const file of await filesOf(path)) {
    for await (const line of linesOf(file)) {
      if ("life" in line) {
        const isNext: boolean = open !== null && line.life === open.life && line.part === open.part + 1;
        if (!isNext && open !== null) yield { kind: "end", isCut: true };
        if (!isNext) yield beginOf(file, line);
        open = line;
      } else if ("end" in line) {
        open = null;
        yield { kind: "end", isCut: false };
      } else yield { kind: "entry", entry: line };
    }
  }
  if (open !== null) yield { kind: "end", isCut: true };
}

function beginOf(file: string, { start, part }: FileBegin): Recorded {
  if (start !== null) return { kind: "life", start, file };
  throw new RecordingError(
    "continued",
    `${file} is part ${part} of a recording and begins within it: name the folder that holds all parts`,
  );
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

/** Of whole batches alone. */
async function* linesOf(file: string): AsyncGenerator<Line> {
  const handle = await opened(file);
  try {
    const headLine = await readAt(handle, 0, HEAD_BYTES_MAX);
    let at = checkHead(headLine, file);
    let dictionary: Buffer = Buffer.alloc(0);
    while (at !== null) {
      const head = await readAt(handle, at, BATCH_HEAD_BYTES);
      if (head.length < BATCH_HEAD_BYTES) return;
      const length = head.readUInt32LE(0);
      if (length > BATCH_BYTES_MAX) return;
      const packed = await readAt(handle, at + BATCH_HEAD_BYTES, length);
      const text = packed.length < length ? null : unpacked(head, packed, dictionary);
      if (text === null) return;
      for (const line of text.toString("utf8").split("\n")) if (line !== "") yield readExact(line) as Line;
      dictionary = dictionaryAfter(dictionary, text);
      at += BATCH_HEAD_BYTES + length;
    }
  } finally {
    await handle.close();
  }
}

async function opened(file: string): Promise<FileHandle> {
  try {
    return await open(file, "r");
  } catch (cause) {
    throw new RecordingError("unreadable", `${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** Fewer bytes than asked for where the file ends. */
async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { size } = await handle.stat();
  const buffer = Buffer.alloc(Math.max(0, Math.min(length, size - position)));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
  return buffer.subarray(0, bytesRead);
}
