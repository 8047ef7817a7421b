// What a strategy threw, in words for its author: the runtime's message and, for common mistakes, what to write instead.

import { messageOf } from "../../kernel/errors.ts";

/** The runtime's messages about a bigint where a number was meant, or the reverse; each names a BigInt. */
const MIXED = /\bbigints?\b/i;

/** By public names of quoin/strategy. */
const INSTEAD =
  "sizes and prices are bigint units: scaled(size, 10) multiplies, contractsOf(size) and usdOf(price) are numbers";

/** The runtime's messages about a write to something frozen: a key, an element, a length, a prototype. */
const WRITTEN =
  /\bread only property\b|\bobject is not extensible\b|^Cannot (?:delete|redefine) property\b|\bsealed array elements\b|is not extensible$/;

const COPIED =
  "it writes into what it was handed, which is frozen, since the guard judges by the same facts: change a copy, as { ...order } or orders.toSpliced(0)";

export function thrownWords(thrown: unknown): string {
  const words = messageOf(thrown);
  if (thrown instanceof TypeError && WRITTEN.test(words)) return `${words} (${COPIED})`;
  const isOfRuntime = thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof SyntaxError;
  return isOfRuntime && MIXED.test(words) ? `${words} (${INSTEAD})` : words;
}
