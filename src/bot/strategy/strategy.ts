// What a strategy is: a pure function from a view to the wanted quotes, a schema of its parameters, and a memory of its own.

import type { z } from "zod";
import type { Quotes } from "../../domain/quotes.ts";
import type { View } from "../../domain/view.ts";

/**
 * `quote` reads the view, the parameters and its memory, and nothing else: the same three give the same quotes, so a recorded run replays.
 * Time is `view.nowMs` (monotonic) and `view.chain`. Only `quote` writes the memory, which is plain data. View and parameters are deeply
 * frozen, since guard, plan and other accounts judge by the same facts: a write throws. A throw, or a return value other than quotes, means
 * no quotes this turn.
 */
export type Strategy<Params, Memory> = {
  /** The name of its file in strategies/, without the extension. */
  readonly name: string;
  /** One sentence for lists. */
  readonly summary: string;
  /** A strict object: an unknown key is an error. Each key gives its unit, bounds and default in `.describe()`. */
  readonly params: z.ZodType<Params>;
  /** The memory before the first quote. */
  readonly start: (params: Params) => Memory;
  /**
   * Schema of a memory that survives a restart of the daemon under the same parameters and limits: plain data that JSON holds, with chain
   * times. Without it each start begins without memory.
   */
  readonly memory?: z.ZodType<Memory>;
  readonly quote: (view: View, params: Params, memory: Memory) => Quotes;
  /**
   * What `quote` reads of the book, as plain values: a market does not turn for a book that leaves them unchanged. Position, print, fees,
   * market rules and all inputs of the guard make it turn anyway. Without `reads`, every change of book or market makes it turn.
   */
  readonly reads?: (view: View, params: Params) => readonly unknown[];
  /**
   * What else `quote` reads, such as signals and time: compared each second. While these values also stay, the strategy is not asked.
   * Without `drifts`, it is asked each second.
   */
  readonly drifts?: (view: View, params: Params) => readonly unknown[];
};

/** Infers the types of a strategy from its schema and its `start`. */
export const defineStrategy = <Params, Memory>(strategy: Strategy<Params, Memory>): Strategy<Params, Memory> =>
  Object.freeze(strategy);
