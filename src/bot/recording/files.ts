// Writes recordings: files in a folder, appended off the loop, in order. The oldest are deleted when they exceed the allowed space. Except
// for the reader, only this file uses the disk for them.

import {
  accessSync,
  appendFileSync,
  constants,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { appendFile, open } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../kernel/folder.ts";
import { EXTENSION } from "./format.ts";

/** Appends batches to files. */
export type RecordingFiles = {
  /**
   * Appends, one at a time and in order; `done` gets the bytes written, or the error: FileLost if the file is gone. `isNew`: these are the
   * first bytes of the file.
   */
  readonly append: (name: string, bytes: Buffer, isNew: boolean, done: (written: number | Error) => void) => void;
  /** Resolves when everything was passed to the system. */
  readonly settled: () => Promise<void>;
};

/** A recording's file is gone or has other content: deleted, replaced, or its folder unmounted. */
export class FileLost extends Error {}

/** Fails if the file exists, because it would be another recording's. */
const NEW = { mode: 0o600, flag: "ax" };

/** Throws system errors if the folder cannot be created or written. */
export function checkFolder(folder: string): void {
  makeFolder(folder);
  accessSync(folder, constants.W_OK | constants.X_OK);
  rmdirSync(mkdtempSync(join(folder, ".writable-")));
}

/** `maxBytes`: for all recordings in the folder. */
export function recordingFiles(folder: string, maxBytes: number): RecordingFiles {
  let last: Promise<void> = Promise.resolve();
  /** The file last written to, and its length. */
  let [current, length] = ["", 0];
  return {
    append(name, bytes, isNew, done) {
      last = last.then(async () => {
        try {
          if (!isNew) await appendAt(join(folder, name), name === current ? length : 0, bytes);
          else {
            makeFolder(folder);
            makeSpace(folder, maxBytes);
            await appendFile(join(folder, name), bytes, NEW);
            [current, length] = [name, 0];
          }
          length += bytes.length;
          done(bytes.length);
        } catch (error) {
          done(error as Error);
        }
      });
    },
    settled: () => last,
  };
}

/** Rejects with FileLost, and writes nothing, if the file does not exist or is not `length` bytes long. */
async function appendAt(path: string, length: number, bytes: Uint8Array): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND).catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") throw new FileLost(`${path} is gone`, { cause });
    throw cause;
  });
  try {
    if ((await file.stat()).size !== length) throw new FileLost(`${path} was replaced`);
    await file.appendFile(bytes);
  } finally {
    await file.close();
  }
}

/** The same synchronously, for virtual time, where nothing else runs meanwhile. */
export function recordingFilesAtOnce(folder: string): RecordingFiles {
  makeFolder(folder);
  return {
    append(name, bytes, isNew, done) {
      appendFileSync(join(folder, name), bytes, isNew ? NEW : {});
      done(bytes.length);
    },
    settled: () => Promise.resolve(),
  };
}

/** A folder that takes recordings whole or not at all. */
export type DraftFolder = {
  /** Where to write them meanwhile. */
  readonly path: string;
  /** Puts all files into the folder. Throws system errors, `EEXIST` if the folder has one of the names: then it gets none of them. */
  readonly keep: () => void;
  /** Removes what is left of it, and a folder that it made for nothing. Call it in the end, also after `keep`. */
  readonly drop: () => void;
};

/** Throws system errors if the folder cannot be made. */
export function draftIn(folder: string): DraftFolder {
  const isNew = !existsSync(folder);
  makeFolder(folder);
  const path = mkdtempSync(join(folder, ".new-"));
  return {
    path,
    keep() {
      const moved: string[] = [];
      try {
        for (const name of readdirSync(path).sort()) {
          // Unlike a rename, a link never replaces a file.
          linkSync(join(path, name), join(folder, name));
          moved.push(name);
        }
      } catch (error) {
        for (const name of moved) unlinkSync(join(folder, name));
        throw error;
      }
    },
    drop() {
      rmSync(path, { recursive: true, force: true });
      if (isNew && readdirSync(folder).length === 0) rmdirSync(folder);
    },
  };
}

/** Deletes the oldest files beyond the space; names sort by age. */
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
