// Reads configuration files from disk, watches them, and writes new ones; no other file does.

import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { decoded } from "../text-encoding.ts";
import { unpacked } from "../unpacked.ts";

export type Files = {
  /**
   * Text of a regular UTF-8 file of at most `bytesMax` bytes (default `CONFIG_BYTES_MAX`). Throws UnreadableFile and file system errors.
   * Never waits for a writer: refuses pipes and devices.
   */
  readonly read: (path: string, bytesMax?: number) => string;
  /**
   * Text of a regular file, piece by piece: unpacked if gzip packed it, and decoded from UTF-8 or UTF-16. Of any size unless `bytesMax` is
   * given. Reading the pieces throws what `read` throws, and PackedFile.
   */
  readonly pieces: (path: string, bytesMax?: number) => Iterable<string>;
  /** Bytes of a regular file of any size, in chunks that are valid until the next one. Reading them throws what `read` throws. */
  readonly chunks: (path: string) => Iterable<Uint8Array>;
  /** Like `read`, without blocking the thread: the text to which `path` resolves now, links followed; null where `read` would throw. */
  readonly look: (path: string) => Promise<string | null>;
  /** Names in a folder, sorted. Throws file system errors. */
  readonly list: (folder: string) => readonly string[];
  readonly exists: (path: string) => boolean;
  /** Writes a new file, whole or not at all. Throws if the file exists. */
  readonly create: (path: string, text: string) => void;
  /** Replaces the text of an existing file, links followed, with the same access rights: whole or not at all. Throws file system errors. */
  readonly replace: (path: string, text: string) => void;
  /** Deletes a file if it exists. */
  readonly remove: (path: string) => void;
  readonly isFolder: (path: string) => boolean;
  readonly resolve: (base: string, path: string) => string;
  /**
   * Calls back on each change in the file's directory that concerns it (editors replace files); returns a function that stops this. Null if
   * the system cannot watch, because it has no watch left or no such folder.
   */
  readonly watch: (path: string, onChange: () => void) => (() => void) | null;
};

/** Limit of a configuration file: enough for a few thousand markets. */
export const CONFIG_BYTES_MAX = 1024 * 1024;
/** Limit of an index history that a configuration names: a backtest hands its text to each of its threads. */
export const HISTORY_BYTES_MAX = 128 * CONFIG_BYTES_MAX;

const CHUNK_BYTES = 64 * 1024;

/** The file is not a regular file, or it is too large. */
export class UnreadableFile extends Error {}

export const systemFiles: Files = {
  read(path, bytesMax = CONFIG_BYTES_MAX) {
    const file = openSync(path, READING);
    try {
      refuseOdd(fstatSync(file), bytesMax);
      const bytes = Buffer.allocUnsafe(bytesMax + 1);
      let length = 0;
      for (let got = -1; got !== 0 && length < bytes.length; length += got)
        got = readSync(file, bytes, length, bytes.length - length, null);
      return textOf(bytes, length, bytesMax);
    } finally {
      closeSync(file);
    }
  },
  *pieces(path, bytesMax = Number.POSITIVE_INFINITY) {
    const file = openSync(path, READING);
    try {
      const state = fstatSync(file);
      refuseOdd(state, bytesMax);
      yield* decoded(unpacked(chunksOf(file), state.size));
    } finally {
      closeSync(file);
    }
  },
  *chunks(path) {
    const file = openSync(path, READING);
    try {
      refuseOdd(fstatSync(file), Number.POSITIVE_INFINITY);
      yield* chunksOf(file);
    } finally {
      closeSync(file);
    }
  },
  async look(path) {
    let file: FileHandle | undefined;
    try {
      file = await open(path, READING);
      refuseOdd(await file.stat(), CONFIG_BYTES_MAX);
      const bytes = Buffer.allocUnsafe(CONFIG_BYTES_MAX + 1);
      let length = 0;
      for (let got = -1; got !== 0 && length < bytes.length; length += got)
        got = (await file.read(bytes, length, bytes.length - length, null)).bytesRead;
      return textOf(bytes, length, CONFIG_BYTES_MAX);
    } catch {
      return null;
    } finally {
      await file?.close().catch(() => {});
    }
  },
  list: (folder) => readdirSync(folder).toSorted(),
  exists: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
  create: (path, text) => {
    const file = openSync(path, "wx");
    try {
      writeFileSync(file, text);
    } catch (cause) {
      rmSync(path, { force: true });
      throw cause;
    } finally {
      closeSync(file);
    }
  },
  replace: (path, text) => {
    const file = realpathSync(path);
    const { mode, uid, gid } = statSync(file);
    const written = `${file}.new`;
    try {
      writeFileSync(written, text, { mode, flag: "w" });
      chownSync(written, uid, gid);
      chmodSync(written, mode); // Overrides the process's umask and the mode of an earlier attempt.
      renameSync(written, file);
    } catch (cause) {
      rmSync(written, { force: true });
      throw cause;
    }
  },
  remove: (path) => rmSync(path, { force: true }),
  isFolder: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
  resolve: (base, path) => resolve(dirname(base), path),
  watch(path, onChange) {
    const name = resolve(path).slice(dirname(resolve(path)).length + 1);
    try {
      const watcher = watch(dirname(resolve(path)), (_event, changed) => {
        if (changed === null || changed === name) onChange();
      });
      watcher.on("error", onChange);
      return () => watcher.close();
    } catch {
      return null; // EMFILE, ENOSPC: this user has no watch left.
    }
  },
};

/** Each chunk is overwritten by the next one. */
function* chunksOf(file: number): Generator<Uint8Array, void> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let got = readSync(file, chunk); got > 0; got = readSync(file, chunk)) yield chunk.subarray(0, got);
}

/** Flags for opening files: opening a pipe must not wait for a writer. The flag is 0 on platforms without it. */
export const READING = constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0);

/** Throws UnreadableFile for anything but a regular file of allowed size. */
function refuseOdd(state: { readonly isFile: () => boolean; readonly size: number }, bytesMax: number): void {
  if (!state.isFile()) throw new UnreadableFile("is not a regular file");
  if (state.size > bytesMax) throw tooLarge(bytesMax);
}

/** Throws UnreadableFile for a file that grew meanwhile or does not report its size. */
function textOf(bytes: Buffer, length: number, bytesMax: number): string {
  if (length > bytesMax) throw tooLarge(bytesMax);
  return bytes.toString("utf8", 0, length);
}

const tooLarge = (bytesMax: number): UnreadableFile =>
  new UnreadableFile(`is larger than ${bytesMax / CONFIG_BYTES_MAX} MiB, which is the most that is read`);

/** `files` that also stores every read text in `texts`, by path. */
export const notingReads = (files: Files, texts: Map<string, string>): Files => ({
  ...files,
  read(path, bytesMax) {
    const text = files.read(path, bytesMax);
    texts.set(path, text);
    return text;
  },
  *pieces(path, bytesMax) {
    const noted: string[] = [];
    for (const piece of files.pieces(path, bytesMax)) {
      noted.push(piece);
      yield piece;
    }
    texts.set(path, noted.join(""));
  },
});

/** `files` with these texts, by path, instead of the disk's. */
export const filesOf = (texts: ReadonlyMap<string, string>, files: Files = systemFiles): Files => ({
  ...files,
  read: (path, bytesMax) => texts.get(path) ?? files.read(path, bytesMax),
  pieces(path, bytesMax) {
    const text = texts.get(path);
    return text === undefined ? files.pieces(path, bytesMax) : [text];
  },
});

/**
 * Tests whether this process could write the file, and leaves nothing: opens it if it exists, and writes a temporary file into its folder
 * or the nearest existing parent. Throws file system errors.
 */
export function tryWriting(path: string): void {
  if (existsSync(path)) closeSync(openSync(path, "r+"));
  let folder = dirname(resolve(path));
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const made = mkdtempSync(join(folder, ".quoin-"));
  try {
    writeFileSync(join(made, "trial"), "written by quoin to see whether it can; safe to delete\n");
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/**
 * An output file that a command writes in pieces: `done` replaces an existing file, `abandon` keeps it. Anything but a regular file, such
 * as a pipe, is written directly. Throws file system errors.
 */
export function outputFile(path: string): {
  readonly write: (data: string | Uint8Array) => void;
  readonly done: () => void;
  readonly abandon: () => void;
} {
  const found = statSync(path, { throwIfNoEntry: false });
  const isReplaced = found === undefined || found.isFile();
  const written = isReplaced ? `${path}.new` : path;
  const file = openSync(written, "w");
  return {
    write: (data) => writeFileSync(file, data),
    done() {
      closeSync(file);
      if (isReplaced) renameSync(written, path);
    },
    abandon() {
      closeSync(file);
      if (isReplaced) rmSync(written, { force: true });
    },
  };
}

/** Writes an output file whole: where `writeTo` throws, an existing file stays. Throws what it throws, and file system errors. */
export function writeOutput(path: string, writeTo: (write: (data: string | Uint8Array) => void) => void): void {
  const file = outputFile(path);
  try {
    writeTo(file.write);
  } catch (cause) {
    file.abandon();
    throw cause;
  }
  file.done();
}

/** Why a file could not be written, in a few words for a fault. */
export function unwritable(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  if (code === "EACCES" || code === "EPERM") return "this user may not write there";
  if (code === "EROFS") return "the file system is read-only";
  if (code === "ENOSPC" || code === "EDQUOT") return "the disk is full";
  if (code === "ENOTDIR") return "a part of its path is no folder";
  if (code === "EISDIR") return "it is a folder";
  if (code === "EEXIST") return "a file of that name is there already";
  if (code === "ENOENT") return "no file can be made there";
  return cause instanceof Error ? cause.message : String(cause);
}

/** Why a file could not be read, in a few words for a fault. */
export function unreadable(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  if (code === "ENOENT") return "no such file";
  if (code === "EACCES") return "may not be read";
  if (code === "EISDIR") return "is a directory";
  return cause instanceof Error ? cause.message : String(cause);
}
