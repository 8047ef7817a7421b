// What a strategy threw, in words for its author: the runtime's own, and of amounts that were mixed with numbers what to write instead.

import { messageOf } from "../../kernel/errors.ts";

/** The runtime's messages about a bigint where a number was meant, or the other way round; each speaks of a BigInt. */
const MIXED = /\bbigints?\b/i;

/** By public names of quoin/strategy. */
const INSTEAD =
  "sizes and prices are bigint units: scaled(size, 10) multiplies, contractsOf(size) and usdOf(price) are numbers";

export function thrownWords(thrown: unknown): string {
  const words = messageOf(thrown);
  const isOfRuntime = thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof SyntaxError;
  return isOfRuntime && MIXED.test(words) ? `${words} (${INSTEAD})` : words;
}
