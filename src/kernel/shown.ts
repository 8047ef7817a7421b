// How a fault shows a refused value to whoever wrote it: short, and a list or mapping only by its kind.

const LENGTH_MAX = 40;

function shown(input: unknown): string {
  if (typeof input === "string") {
    return JSON.stringify(input.length > LENGTH_MAX ? `${input.slice(0, LENGTH_MAX)}…` : input);
  }
  if (input === null || typeof input === "number" || typeof input === "boolean" || typeof input === "bigint")
    return String(input);
  return Array.isArray(input) ? "a list" : "a mapping";
}

/** How a fault begins; what is allowed follows. */
export const refused = (input: unknown): string =>
  input === undefined ? "missing; " : `${shown(input)} is not allowed; `;
