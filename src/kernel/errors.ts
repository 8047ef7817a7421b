// Errors that carry a stable code and the numbers behind it, for failures of the world: what failed, with what, because of what.

import { printable } from "./printable.ts";

/** What an error knows, in values that print. */
export type Facts = Readonly<Record<string, string | number | bigint | boolean | null>>;

/** Facts as `name value` pairs, for readers. */
export const factsText = (facts: Facts): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");

/** An error to branch on by `code`, never by its text. `facts` are safe to log: nothing secret may be put there. */
export class CodedError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly facts: Facts;
  constructor(code: Code, message: string, options: { readonly facts?: Facts; readonly cause?: unknown } = {}) {
    super(printable(message), options.cause === undefined ? {} : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.facts = options.facts ?? {};
  }
}

/** The message of anything that was thrown; for logs and for the text of a wrapping error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Where in a file that was loaded by its text (`FILE?version=…`), or whose syntax is wrong, something was thrown: `FILE:LINE`; null where the stack does not say. */
export function sourcePlace(thrown: unknown): string | null {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  const found =
    /(file:\/\/)?(\/[^\s?()]+\.[jt]s)\?version=\w+:(\d+)/.exec(stack) ??
    /^(file:\/\/)?(\/[^\n?()]+\.[jt]s):(\d+)\n/.exec(stack);
  if (found === null) return null;
  const [, scheme, path = "", line] = found;
  return `${scheme === undefined ? path : unescaped(path)}:${line}`;
}

/** The path of an address as the user writes it. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
