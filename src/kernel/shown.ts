// How a fault shows a refused value to whoever wrote it: short, without a key that was written in its place, and a list or mapping only
// by its kind.

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

/** How a fault of text begins that stands where a number belongs. */
export const notNumber = (input: string): string => `${shown(input)} is not a number; `;

/** How a fault begins; what is allowed follows. */
export const refused = (input: unknown): string =>
  input === undefined ? "missing; " : `${shown(input)} is not allowed; `;
