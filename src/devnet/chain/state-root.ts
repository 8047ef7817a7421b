// The state root: a running hash over canonical change records. Two chains with the same root went through the same changes in
// the same order. A block without changes leaves it as it was.

import { sha256Hex } from "../../kernel/hash.ts";
import { hexOf } from "../../kernel/hex.ts";

export type StateRoot = {
  /** Copies one record in. */
  readonly record: (change: Uint8Array) => void;
  readonly recordText: (change: string) => void;
  /** Folds what was recorded since the last time into the root and returns it: 64 lowercase hex characters. */
  readonly seal: () => string;
};

const ROOT_BYTES = 32;
/** Each record stands behind its length, so no two series of records read alike. */
const LENGTH_BYTES = 4;
/** Records wait in a buffer of this size at most; longer series are folded in pieces. Bounds the memory of a block. */
const BUFFER_BYTES = 1_048_576;
const BYTES_A_UNIT = 3;

export const ROOT_OF_NOTHING: string = hexOf(new Uint8Array(ROOT_BYTES));

export function createStateRoot(from: string = ROOT_OF_NOTHING): StateRoot {
  let root = from;
  let buffer = Buffer.alloc(BUFFER_BYTES / 16);
  /** The buffer opens with the root that it will be folded into. */
  let used = ROOT_BYTES;

  function seal(): string {
    if (used > ROOT_BYTES) {
      buffer.write(root, 0, "hex");
      root = sha256Hex(buffer.subarray(0, used));
      used = ROOT_BYTES;
    }
    return root;
  }

  /** Makes room for `bytes` more behind a length. */
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
