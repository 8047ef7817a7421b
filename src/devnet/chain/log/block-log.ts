// The log of a chain: its genesis, then every step, one line each, written before the step runs. Each line has a checksum, which reveals a
// line that a crash cut short; only the last line can be cut.

import { messageOf } from "../../../kernel/errors.ts";
import { sha256Hex } from "../../../kernel/hash.ts";
import { parsedText, textOf } from "../../accounts/table.ts";
import type { Block } from "../block.ts";
import type { Genesis } from "../genesis.ts";
import { type Disk, StoreError } from "./disk.ts";
import type { Step } from "./step.ts";

export type LogLine =
  | Step
  | { readonly kind: "genesis"; readonly genesis: Genesis; readonly hash: string }
  /** Hash of the whole state after the block with this height. */
  | { readonly kind: "snapshot"; readonly height: number; readonly stateHash: string };

export const LOG_NAME = "blocks.log";
const CHECKSUM_DIGITS = 16;
const NEWLINE = 10;
/** Bytes per read; a line may be longer. */
const CHUNK_BYTES = 1_048_576;

export type BlockLog = {
  /** Length of the log in bytes: where the next line will start. */
  readonly size: () => number;
  /** Each throws StoreError if the line cannot be written; then nothing of it remains. */
  readonly appendGenesis: (genesis: Genesis, block: Block) => void;
  readonly appendStep: (step: Step) => void;
  readonly appendSnapshot: (height: number, stateHash: string) => void;
  /** Removes the last line. Throws StoreError if that fails. */
  readonly takeBack: () => void;
  /**
   * Lines from byte `start` (the start of a line), each with its position. An incomplete last line is cut off. Throws StoreError `damaged`
   * if an earlier line is not as it was written.
   */
  readonly lines: (start: number) => Generator<{ readonly at: number; readonly line: LogLine }>;
};

export function openBlockLog(disk: Disk): BlockLog {
  let size = disk.size(LOG_NAME);
  let lastAt = size;
  /** A failed write may have left part of a line. */
  let isTorn = false;

  function append(line: LogLine): void {
    const bytes = Buffer.from(sealLine(line));
    if (isTorn) disk.truncate(LOG_NAME, size);
    isTorn = true;
    disk.append(LOG_NAME, bytes);
    isTorn = false;
    lastAt = size;
    size += bytes.length;
  }

  function* lines(start: number): ReturnType<BlockLog["lines"]> {
    let at = start;
    for (const bytes of rawLines(disk, start)) {
      const line = openLine(bytes);
      if (line === undefined) {
        if (at + bytes.length < size) throw new StoreError("damaged", `the block log is damaged at byte ${at}`);
        disk.truncate(LOG_NAME, at);
        size = at;
        return;
      }
      yield { at, line };
      at += bytes.length;
    }
  }

  return {
    size: () => size,
    appendGenesis: (genesis, { hash }) => append({ kind: "genesis", genesis, hash }),
    appendStep: append,
    appendSnapshot: (height, stateHash) => append({ kind: "snapshot", height, stateHash }),
    takeBack() {
      disk.truncate(LOG_NAME, lastAt);
      size = lastAt;
    },
    lines,
  };
}

function sealLine(line: LogLine): string {
  const text = textOf(line);
  return `${checksumOf(text)} ${text}\n`;
}

/** Undefined if the line is not complete. */
function openLine(bytes: Uint8Array): LogLine | undefined {
  if (bytes.at(-1) !== NEWLINE) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length - 1).toString();
  const content = text.slice(CHECKSUM_DIGITS + 1);
  if (checksumOf(content) !== text.slice(0, CHECKSUM_DIGITS)) return undefined;
  try {
    return parsedText(content) as LogLine;
  } catch (cause) {
    throw new StoreError("damaged", `a line of the block log cannot be read: ${messageOf(cause)}`, { cause });
  }
}

const checksumOf = (text: string): string => sha256Hex(text).slice(0, CHECKSUM_DIGITS);

/** Lines including their newline; the last may lack it. */
function* rawLines(disk: Disk, start: number): Generator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  for (let at = start; ; ) {
    const chunk = disk.read(LOG_NAME, at, CHUNK_BYTES);
    if (chunk.length === 0) break;
    at += chunk.length;
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      yield rest.subarray(0, end + 1);
      rest = rest.subarray(end + 1);
    }
  }
  if (rest.length > 0) yield rest;
}
