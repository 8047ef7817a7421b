// Where recordings are written: files of a folder, packed and appended off the loop, in order. The oldest go when they take more space than
// they may. The one file that touches the disk for them, beside the reader.

import {
  accessSync,
  appendFileSync,
  constants,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants as zlib, zstdCompress, zstdCompressSync } from "node:zlib";
import { makeFolder } from "../../kernel/folder.ts";
import { batchHead, EXTENSION } from "./format.ts";

/** Appends batches to files. */
export type RecordingFiles = {
  /** Packs and appends; `done` hears the bytes written, or what went wrong. In order: one at a time. `head` goes before it, for the first batch of a file. */
  readonly append: (
    name: string,
    batch: { readonly head: string; readonly text: Buffer; readonly dictionary: Buffer },
    done: (written: number | Error) => void,
  ) => void;
  /** Resolves when everything was handed to the system. */
  readonly settled: () => Promise<void>;
};

/** A file that is there already is another recording's. */
const modeOf = (head: string) => ({ mode: 0o600, flag: head === "" ? "a" : "ax" });

const pack = promisify(zstdCompress);
/** A fifth smaller than at 3, for as much processor time again; beyond it there is little to gain. */
const LEVEL = 6;

export const packing = (dictionary: Buffer) => ({
  params: { [zlib.ZSTD_c_compressionLevel]: LEVEL },
  ...(dictionary.length === 0 ? {} : { dictionary }),
});

/** Throws what the system throws where the folder cannot be made or written. */
export function checkFolder(folder: string): void {
  makeFolder(folder);
  accessSync(folder, constants.W_OK | constants.X_OK);
  rmdirSync(mkdtempSync(join(folder, ".writable-")));
}

/** `maxBytes`: of all recordings in the folder. */
export function recordingFiles(folder: string, maxBytes: number): RecordingFiles {
  let last: Promise<void> = Promise.resolve();
  return {
    append(name, { head, text, dictionary }, done) {
      last = last.then(async () => {
        try {
          const packed = await pack(text, packing(dictionary));
          const bytes = Buffer.concat([Buffer.from(head), batchHead(packed, text), packed]);
          if (head !== "") makeSpace(folder, maxBytes);
          await appendFile(join(folder, name), bytes, modeOf(head));
          done(bytes.length);
        } catch (error) {
          done(error as Error);
        }
      });
    },
    settled: () => last,
  };
}

/** The same at once: for virtual time, in which nothing else runs meanwhile. */
export function recordingFilesAtOnce(folder: string): RecordingFiles {
  makeFolder(folder);
  return {
    append(name, { head, text, dictionary }, done) {
      const packed = zstdCompressSync(text, packing(dictionary));
      const bytes = Buffer.concat([Buffer.from(head), batchHead(packed, text), packed]);
      appendFileSync(join(folder, name), bytes, modeOf(head));
      done(bytes.length);
    },
    settled: () => Promise.resolve(),
  };
}

/** Removes the oldest files beyond the space; names sort by age. */
function makeSpace(folder: string, maxBytes: number): void {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(EXTENSION))
    .sort()
    .map((name) => ({ name, bytes: statSync(join(folder, name)).size }));
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  for (const file of files) {
    if (bytes <= maxBytes) return;
    unlinkSync(join(folder, file.name));
    bytes -= file.bytes;
  }
}
