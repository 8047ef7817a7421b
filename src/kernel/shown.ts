// How an error message shows a refused value: short, without a key that was written by mistake; a list or mapping only by its kind.

import { withoutKeys } from "./secret.ts";

const LENGTH_MAX = 40;

export function shown(input: unknown): string {
  if (typeof input === "string") {
    const text = withoutKeys(input);
    return JSON.stringify(text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text);
  }
  if (input === null || typeof input === "number" || typeof input === "boolean" || typeof input === "bigint")
    return withoutKeys(String(input));
  return Array.isArray(input) ? "a list" : "a mapping";
}

/** Start of an error message for text in place of a number. */
export const notNumber = (input: string): string => `${shown(input)} is not a number; `;

/** Start of an error message; what is allowed follows. */
export const refused = (input: unknown): string =>
  input === undefined ? "missing; " : `${shown(input)} is not allowed; `;
