// What the chain needs of a disk, so that a test can be one: a few named files in one folder that nobody else writes.

import { CodedError } from "../../../kernel/errors.ts";

export type Disk = {
  readonly names: () => readonly string[];
  /** Bytes of the file; 0 when there is none. */
  readonly size: (name: string) => number;
  /** At most `length` bytes from `start`; fewer at the end of the file, none where there is no file. */
  readonly read: (name: string, start: number, length: number) => Uint8Array;
  /**
   * Behind what is there. When it returns, the bytes survive the death of the process. Throws StoreError `unusable` when the disk is
   * full or the file is no longer where it was; some of the bytes may then be written.
   */
  readonly append: (name: string, bytes: Uint8Array) => void;
  /** The whole file, as it was or as it is to be, whatever happens meanwhile; it survives a loss of power. */
  readonly replace: (name: string, bytes: Uint8Array) => void;
  readonly truncate: (name: string, size: number) => void;
  readonly remove: (name: string) => void;
  readonly close: () => void;
};

/**
 * `in_use`: another process has the folder. `other_configuration`: it holds another chain. `damaged`: a file is not as it was
 * written, beyond what a crash can do. `diverged`: replaying gave another block than the one that was logged. `other_version`: the
 * log is of another version of this program. `threw`: taking a step failed within, which no step may.
 */
export class StoreError extends CodedError<
  "unusable" | "in_use" | "other_configuration" | "other_version" | "damaged" | "diverged" | "threw"
> {}
