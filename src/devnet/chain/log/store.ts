// The devnet's disk: one folder, held by one process at a time.

import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../kernel/errors.ts";
import { makeFolder } from "../../../kernel/folder.ts";
import { holdLock, LockError } from "../../../kernel/locking.ts";
import { type Disk, StoreError } from "./disk.ts";

const LOCK = "lock.sqlite";
const UNFINISHED = ".unfinished";

/** Creates the folder if it does not exist. Throws StoreError if it cannot be used or another process uses it. */
export function openDisk(folder: string): Disk {
  const lock = onDisk(folder, () => {
    makeFolder(folder);
    return holdLock(join(folder, LOCK));
  });
  const appending = new Map<string, Appended>();
  const pathOf = (name: string) => join(folder, name);

  function appendingTo(name: string): Appended {
    const known = appending.get(name);
    if (known !== undefined) return known;
    const descriptor = openSync(pathOf(name), "a");
    const opened = { descriptor, inode: fstatSync(descriptor).ino };
    appending.set(name, opened);
    return opened;
  }

  function release(name: string): void {
    const opened = appending.get(name);
    if (opened === undefined) return;
    closeSync(opened.descriptor);
    appending.delete(name);
  }

  return {
    names: () =>
      onDisk(folder, () => readdirSync(folder)).filter((name) => !name.startsWith(LOCK) && !name.endsWith(UNFINISHED)),
    size: (name) => (existsSync(pathOf(name)) ? statSync(pathOf(name)).size : 0),
    read(name, start, length) {
      if (!existsSync(pathOf(name))) return new Uint8Array();
      return withFile(pathOf(name), "r", (descriptor) => {
        const bytes = new Uint8Array(length);
        return bytes.subarray(0, readSync(descriptor, bytes, 0, length, start));
      });
    },
    append(name, bytes) {
      onDisk(folder, () => {
        const opened = appendingTo(name);
        checkThere(pathOf(name), opened);
        writeAll(opened.descriptor, bytes);
      });
    },
    replace(name, bytes) {
      release(name);
      const unfinished = pathOf(name + UNFINISHED);
      onDisk(folder, () => {
        try {
          withFile(unfinished, "w", (descriptor) => {
            writeAll(descriptor, bytes);
            fsyncSync(descriptor);
          });
        } catch (thrown) {
          rmSync(unfinished, { force: true });
          throw thrown;
        }
        renameSync(unfinished, pathOf(name));
        withFile(folder, "r", fsyncSync);
      });
    },
    truncate(name, size) {
      onDisk(folder, () => {
        const known = appending.get(name);
        if (known !== undefined) checkThere(pathOf(name), known);
        release(name);
        withFile(pathOf(name), "r+", (descriptor) => ftruncateSync(descriptor, size));
      });
    },
    remove(name) {
      release(name);
      onDisk(folder, () => rmSync(pathOf(name), { force: true }));
    },
    close() {
      for (const { descriptor } of appending.values()) closeSync(descriptor);
      appending.clear();
      lock.release();
    },
  };
}

/** A file that stays open, so that appending is cheap. */
type Appended = { readonly descriptor: number; readonly inode: number };

/** A removed or moved file still accepts bytes, which are then lost. */
function checkThere(path: string, { inode }: Appended): void {
  if (statSync(path, { throwIfNoEntry: false })?.ino === inode) return;
  throw new Error(`${path} was removed or moved`);
}

/** A disk that fails (full, gone, not ours) ends in one clear error. */
function onDisk<T>(folder: string, use: () => T): T {
  try {
    return use();
  } catch (cause) {
    if (cause instanceof LockError && cause.code === "lock_held")
      throw new StoreError("in_use", `the data directory ${folder} is in use by another process`, { cause });
    throw new StoreError("unusable", `the data directory ${folder} cannot be used: ${messageOf(cause)}`, { cause });
  }
}

function withFile<T>(path: string, flags: string, use: (descriptor: number) => T): T {
  const descriptor = openSync(path, flags);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Repeats, because one write may take fewer bytes than given. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}
