// Answers that repeat the last one of their path: where the exchange says the same, its text is not made once more, and whoever reads it
// sees at once that it is the same text.

import type { Reply } from "../devnet/api/http/reply.ts";

export class Repeats {
  readonly #last = new Map<string, Reply>();

  /** The last reply, where it says the same; else this one. */
  of(path: string, reply: Reply): Reply {
    const last = this.#last.get(path);
    if (last !== undefined && reply.value !== undefined && isSame(last.value, reply.value)) return last;
    this.#last.set(path, reply);
    return reply;
  }
}

/** Whether two plain values are equal, member by member. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [of, other] = [a, b] as [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>];
  const keys = Object.keys(of);
  return keys.length === Object.keys(other).length && keys.every((key) => isSame(of[key], other[key]));
}
