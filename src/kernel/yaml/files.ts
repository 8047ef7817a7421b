// The one place that reads configuration files from disk, watches them, and writes new ones.

import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

export type Files = {
  /** Text of a UTF-8 file; throws what the file system throws. */
  readonly read: (path: string) => string;
  /** Names in a folder, sorted; throws what the file system throws. */
  readonly list: (folder: string) => readonly string[];
  readonly exists: (path: string) => boolean;
  /** Writes a new file, whole or not at all; throws where there is one already. */
  readonly create: (path: string, text: string) => void;
  /** Takes a file away; nothing where there is none. */
  readonly remove: (path: string) => void;
  readonly isFolder: (path: string) => boolean;
  readonly resolve: (base: string, path: string) => string;
  /** Calls back on each change in the file's directory that touches it (editors replace files); returns how to stop. */
  readonly watch: (path: string, onChange: () => void) => () => void;
};

export const systemFiles: Files = {
  read: (path) => readFileSync(path, "utf8"),
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
  remove: (path) => rmSync(path, { force: true }),
  isFolder: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
  resolve: (base, path) => resolve(dirname(base), path),
  watch: (path, onChange) => {
    const name = resolve(path).slice(dirname(resolve(path)).length + 1);
    const watcher = watch(dirname(resolve(path)), (_event, changed) => {
      if (changed === null || changed === name) onChange();
    });
    watcher.on("error", onChange);
    return () => watcher.close();
  },
};

/** `files`, noting in `texts`, by path, what is read of those that `isNoted`. */
export const notingReads = (
  files: Files,
  texts: Map<string, string>,
  isNoted: (path: string) => boolean = () => true,
): Files => ({
  ...files,
  read(path) {
    const text = files.read(path);
    if (isNoted(path)) texts.set(path, text);
    return text;
  },
});

/** `files` with these texts, by path, in place of what the disk holds there. */
export const filesOf = (texts: ReadonlyMap<string, string>, files: Files = systemFiles): Files => ({
  ...files,
  read: (path) => texts.get(path) ?? files.read(path),
});

/**
 * Tries whether this process could write the file, and leaves nothing: opens it where it is there, and writes another one into its folder,
 * or into the nearest one above that exists. Throws what the file system throws.
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
 * A file that a command writes piece by piece: what has its name is replaced when it is `done`, and stays as it is after `abandon`. What is
 * no regular file, such as a pipe, is written to as it is. Throws what the file system throws.
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

/** Why a file could not be written, in a few words for a fault. */
export function unwritable(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  if (code === "EACCES" || code === "EPERM") return "this user may not write there";
  if (code === "EROFS") return "the file system is read-only";
  if (code === "ENOSPC" || code === "EDQUOT") return "the disk is full";
  if (code === "ENOTDIR") return "a part of its path is no folder";
  if (code === "EISDIR") return "it is a folder";
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
