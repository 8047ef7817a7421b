// Format of a recording file: a line of text with format and version, then batches. A batch is the length of its lines in bytes and a
// checksum of all lines up to its end, 32 bits each, little endian, then the lines: `FileBegin` (the first of a file), entries, and the end
// of the run.

import { CodedError } from "../../kernel/errors.ts";
import type { Start } from "./entry.ts";

export const FORMAT = 2;

/**
 * `part` counts the files of one run, from 1. The first has the run's start. A later one repeats it if the previous file was lost, and has
 * null if it continues the previous file.
 */
export type FileBegin = { readonly life: string; readonly part: number; readonly start: Start | null };

/** The line that ends a run which was stopped. */
export const END = { end: true } as const;

/**
 * `unreadable`: it does not exist or cannot be read; `foreign`: not a recording; `otherFormat`: another version; `continued`: it begins
 * within a run; `otherAccounts`: it has none of the requested accounts; `empty`: no event can be read.
 */
export class RecordingError extends CodedError<
  "unreadable" | "foreign" | "otherFormat" | "continued" | "otherAccounts" | "empty"
> {}

export const EXTENSION = ".qrec";
const WORDS = "quoin recording, format";
/** Longer than any such line. */
export const HEAD_BYTES_MAX = 120;

export const headOf = (version: string): string => `${WORDS} ${FORMAT}, written by ${version}\n`;

/** Bytes of the head line of `file`, whose first bytes are `bytes`; null: the file was cut within it. Throws RecordingError. */
export function checkHead(bytes: Uint8Array, file: string): number | null {
  const text = Buffer.from(bytes.subarray(0, HEAD_BYTES_MAX)).toString("latin1");
  const end = text.indexOf("\n");
  if (end < 0 && (WORDS.startsWith(text) || text.startsWith(WORDS)) && bytes.length < HEAD_BYTES_MAX) return null;
  const [, format, version] = /^quoin recording, format (\d+), written by (\S+)$/.exec(text.slice(0, end)) ?? [];
  if (format === undefined || version === undefined)
    throw new RecordingError("foreign", `${file} is no recording of Quoin`);
  if (Number(format) !== FORMAT)
    throw new RecordingError(
      "otherFormat",
      `${file} is of format ${format}, written by Quoin ${version}, and this version reads format ${FORMAT}: read it with that one, or record again`,
    );
  return end + 1;
}

export const BATCH_HEAD_BYTES = 8;

/** The header before the lines of a batch. `checksum`: of all lines up to the end of these. */
export function batchHead(lines: Buffer, checksum: number): Buffer {
  const head = Buffer.alloc(BATCH_HEAD_BYTES);
  head.writeUInt32LE(lines.length, 0);
  head.writeUInt32LE(checksum, 4);
  return head;
}

export const readBatchHead = (head: Buffer): { readonly length: number; readonly checksum: number } => ({
  length: head.readUInt32LE(0),
  checksum: head.readUInt32LE(4),
});
