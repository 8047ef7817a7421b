// Intents that are about to be sent, in a file of their own next to the ledger: one line per write, in less than half the time of a commit.
// The ledger's next commit contains them too, so a start reads the file once, and after a commit its lines are overwritten.

import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import type { StoredIntent } from "../../../domain/intent.ts";
import { accountId, nonce } from "../../../domain/units.ts";
import { sha256Hex } from "../../../kernel/hash.ts";
import { parseJson, stringifyQuoted } from "../../../kernel/json.ts";
import { commandOf } from "../command-text.ts";

export const aheadOf = (file: string): string => `${file}-ahead`;

export type WriteAhead = {
  /**
   * After it returns, the intents survive a crash of the process, with those of earlier calls since `restart`. Throws what the system
   * throws.
   */
  readonly write: (intents: readonly StoredIntent[]) => void;
  /** The ledger has everything that was written; starts over. */
  readonly restart: () => void;
  readonly close: () => void;
};

/** Throws what the system throws. */
export function openWriteAhead(path: string): WriteAhead {
  const descriptor = openSync(path, existsSync(path) ? "r+" : "w+", 0o600);
  let end = 0;
  return {
    write(intents) {
      const text = stringifyQuoted(intents);
      const line = `${sha256Hex(text)} ${text}\n`;
      if (writeSync(descriptor, line, end, "latin1") < line.length) throw new Error(`${path} took a part only`);
      end += line.length;
    },
    restart() {
      end = 0;
    },
    close: () => closeSync(descriptor),
  };
}

/**
 * Intents that were written ahead and continue after the ledger's `lastId`. Others are older, or another ledger's. An incomplete line was
 * never followed by its transactions, or is the rest of an older one. Throws what the system throws.
 */
export function readAhead(path: string, lastId: number): readonly StoredIntent[] {
  const state = statSync(path, { throwIfNoEntry: false });
  if (state === undefined) return [];
  // Reading a pipe would wait for a writer.
  if (!state.isFile()) throw new Error(`${path} is not a regular file`);
  const found: StoredIntent[] = [];
  for (const line of readFileSync(path, "latin1").split("\n")) {
    const text = line.slice(HASH_LENGTH + 1);
    if (text === "" || sha256Hex(text) !== line.slice(0, HASH_LENGTH)) break;
    const next = (found.at(-1)?.id ?? lastId) + 1;
    const intents = (parseJson(text) as readonly Written[]).map(intentOf).filter(({ id }) => id >= next);
    if (intents[0]?.id !== next) continue;
    found.push(...intents);
  }
  return found;
}

const HASH_LENGTH = 64;

/** A line as stored: whole numbers of any size are text. */
type Written = Omit<StoredIntent, "accountId" | "nonce" | "command"> & {
  readonly accountId: string;
  readonly nonce: string;
  readonly command: Record<string, unknown>;
};

const intentOf = (written: Written): StoredIntent => ({
  ...written,
  accountId: accountId(BigInt(written.accountId)),
  nonce: nonce(BigInt(written.nonce)),
  command: commandOf(written.command),
});
