// The disk as the chain needs it, so that tests can replace it: a few named files in one folder with no other writer.

import { CodedError } from "../../../kernel/errors.ts";

export type Disk = {
  readonly names: () => readonly string[];
  /** Bytes of the file; 0 if it does not exist. */
  readonly size: (name: string) => number;
  /** At most `length` bytes from `start`; fewer at the end of the file, none if it does not exist. */
  readonly read: (name: string, start: number, length: number) => Uint8Array;
  /**
   * Appends to the file. After it returns, the bytes survive a crash of the process. Throws StoreError `unusable` if the disk is full or
   * the file was moved; part of the bytes may then be written.
   */
  readonly append: (name: string, bytes: Uint8Array) => void;
  /** Replaces the file atomically: it has either the old or the new content, even after a loss of power. */
  readonly replace: (name: string, bytes: Uint8Array) => void;
  readonly truncate: (name: string, size: number) => void;
  readonly remove: (name: string) => void;
  readonly close: () => void;
};

/**
 * `in_use`: another process uses the folder. `other_configuration`: it holds another chain. `damaged`: a file differs from what was
 * written, beyond what a crash can cause. `diverged`: replaying gave another block than the log. `other_version`: another version of this
 * program wrote the log. `threw`: executing a step threw, which must not happen.
 */
export class StoreError extends CodedError<
  "unusable" | "in_use" | "other_configuration" | "other_version" | "damaged" | "diverged" | "threw"
> {}
