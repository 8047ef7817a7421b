// Converts commands and numbers to text for the journal and back, exactly, for whole numbers of any size.

import type { Command } from "../../domain/command.ts";
import type { Facts } from "../../kernel/errors.ts";
import { parseJson, stringifyJson, stringifyQuoted } from "../../kernel/json.ts";
import { type Decision, LedgerError } from "./store.ts";

export const commandText = (command: Command | readonly Command[]): string => stringifyQuoted(command);

const wholeNumbers = ["accountId", "orderId", "price", "size", "newPrice", "newSize", "fences"] as const;
const kinds: ReadonlySet<unknown> = new Set(["place", "modify", "cancel", "cancelAll"] satisfies Command["kind"][]);

/** Throws LedgerError `malformed` if `commandText` did not write the text. */
export function parseCommand(text: string): Command {
  try {
    return commandOf(parseJson(text) as Record<string, unknown>);
  } catch (cause) {
    throw new LedgerError("malformed", "the ledger holds a command that cannot be read", { cause });
  }
}

/** Reads the fields of `commandText`. Throws TypeError and SyntaxError for other fields. */
export function commandOf(fields: Record<string, unknown>): Command {
  if (!kinds.has(fields.kind)) throw new TypeError(`no such kind of command: ${String(fields.kind)}`);
  for (const name of wholeNumbers) if (typeof fields[name] === "string") fields[name] = BigInt(fields[name]);
  return fields as Command;
}

/** Throws LedgerError `malformed` if they were not written with a decision. */
export function parseDenials(text: string): Decision["denials"] {
  try {
    return parseJson(text) as Decision["denials"];
  } catch (cause) {
    throw new LedgerError("malformed", "the ledger holds denials that cannot be read", { cause });
  }
}

/** The numbers behind a latch or a denial. */
export const factsText = (facts: Facts): string => stringifyJson(facts);

/** Throws LedgerError `malformed` if `factsText` did not write the text. */
export function parseFacts(text: string): Facts {
  try {
    return parseJson(text) as Facts;
  } catch (cause) {
    throw new LedgerError("malformed", "the ledger holds numbers that cannot be read", { cause });
  }
}
