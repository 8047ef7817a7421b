// The state root: a running hash over canonical change records. Two chains with the same root made the same changes in the same order. A
// block without changes keeps the root.

import { sha256Hex } from "../../kernel/hash.ts";
import { hexOf } from "../../kernel/hex.ts";

export type StateRoot = {
  /** Copies one record into the buffer. */
  readonly record: (change: Uint8Array) => void;
  readonly recordText: (change: string) => void;
  /** Folds the records since the last call into the root and returns it: 64 lowercase hex characters. */
  readonly seal: () => string;
};

const ROOT_BYTES = 32;
/** Each record is preceded by its length, so that different series of records never give the same bytes. */
const LENGTH_BYTES = 4;
/** Largest buffer of waiting records; longer series are folded in pieces. Limits the memory of a block. */
const BUFFER_BYTES = 1_048_576;
const BYTES_A_UNIT = 3;

export const ROOT_OF_NOTHING: string = hexOf(new Uint8Array(ROOT_BYTES));

export function createStateRoot(from: string = ROOT_OF_NOTHING): StateRoot {
  let root = from;
  let buffer = Buffer.alloc(BUFFER_BYTES / 16);
  /** The buffer starts with the current root, then the records. */
  let used = ROOT_BYTES;

  function seal(): string {
    if (used > ROOT_BYTES) {
      buffer.write(root, 0, "hex");
      root = sha256Hex(buffer.subarray(0, used));
      used = ROOT_BYTES;
    }
    return root;
  }

  /** Makes room for `bytes` more and their length. */
  function reserve(bytes: number): void {
    const needed = LENGTH_BYTES + bytes;
    if (used + needed > buffer.length && used + needed > BUFFER_BYTES) seal();
    if (used + needed <= buffer.length) return;
    const larger = Buffer.alloc(Math.max(buffer.length * 2, used + needed));
    buffer.copy(larger, 0, 0, used);
    buffer = larger;
  }

  return {
    record(change) {
      reserve(change.length);
      buffer.writeUInt32LE(change.length, used);
      buffer.set(change, used + LENGTH_BYTES);
      used += LENGTH_BYTES + change.length;
    },
    recordText(change) {
      reserve(change.length * BYTES_A_UNIT);
      const length = buffer.write(change, used + LENGTH_BYTES);
      buffer.writeUInt32LE(length, used);
      used += LENGTH_BYTES + length;
    },
    seal,
  };
}
