// A disk in memory that can be copied as a crash would leave it: with what was appended cut at any byte.

import { type Disk, StoreError } from "../../../../src/devnet/chain/log/disk.ts";

export type MemoryDisk = Disk & {
  readonly files: Map<string, Buffer>;
  /** The disk after a crash that lost the last `bytes` of the file. */
  readonly crashed: (name: string, bytes: number) => MemoryDisk;
  readonly isClosed: () => boolean;
  /** Full: a write takes half of what it was given, and fails. */
  readonly setFull: (full: boolean) => void;
};

export function createMemoryDisk(files = new Map<string, Buffer>()): MemoryDisk {
  let closed = false;
  let isFull = false;
  const content = (name: string) => files.get(name) ?? Buffer.alloc(0);

  function use(): void {
    if (closed) throw new StoreError("unusable", "this disk is closed");
  }

  return {
    files,
    isClosed: () => closed,
    setFull(full) {
      isFull = full;
    },
    crashed(name, bytes) {
      const copy: MemoryDisk["files"] = new Map([...files].map(([each, bytesOf]) => [each, Buffer.from(bytesOf)]));
      copy.set(name, content(name).subarray(0, Math.max(0, content(name).length - bytes)));
      return createMemoryDisk(copy);
    },
    names: () => [...files.keys()],
    size: (name) => content(name).length,
    read: (name, start, length) => content(name).subarray(start, start + length),
    append(name, bytes) {
      use();
      files.set(name, Buffer.concat([content(name), isFull ? bytes.subarray(0, bytes.length / 2) : bytes]));
      if (isFull) throw new StoreError("unusable", "this disk is full");
    },
    replace(name, bytes) {
      use();
      if (isFull) throw new StoreError("unusable", "this disk is full");
      files.set(name, Buffer.from(bytes));
    },
    truncate(name, size) {
      use();
      files.set(name, content(name).subarray(0, size));
    },
    remove(name) {
      use();
      files.delete(name);
    },
    close() {
      closed = true;
    },
  };
}
