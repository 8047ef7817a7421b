// Errors with a stable code and the numbers behind it, for failures of the environment: what failed, with which values, and the cause.

import { printable } from "./printable.ts";

/** Details of an error, as printable values. */
export type Facts = Readonly<Record<string, string | number | bigint | boolean | null>>;

/** Facts as `name value` pairs, for people. */
export const factsText = (facts: Facts): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");

/** An error with a `code` to branch on; never branch on its text. `facts` are safe to log: put no secrets there. */
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

/** The message of anything thrown; for logs and for the text of a wrapping error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * The place of an error in a file that was loaded from its text (`FILE?version=…`) or has a syntax error: `FILE:LINE`; null if the stack
 * does not show it.
 */
export function sourcePlace(thrown: unknown): string | null {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  const found =
    /(file:\/\/)?(\/[^\s?()]+\.[jt]s)\?version=\w+:(\d+)/.exec(stack) ??
    /^(file:\/\/)?(\/[^\n?()]+\.[jt]s):(\d+)\n/.exec(stack);
  if (found === null) return null;
  const [, scheme, path = "", line] = found;
  return `${scheme === undefined ? path : unescaped(path)}:${line}`;
}

/** The path of a file URL as the user writes it. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
