// What a strategy is: a pure function from a view to the quotes it wants, a schema of its parameters, and a memory of its own.

import type { z } from "zod";
import type { Quotes } from "../../domain/quotes.ts";
import type { View } from "../../domain/view.ts";

/**
 * `quote` reads the view, the parameters and its memory, and nothing else: the same three give the same quotes, so a recorded
 * run replays. Time is `view.nowMs` (monotonic) and `view.chain`. Only `quote` writes the memory, which is plain data.
 * View and parameters are frozen to the bottom, since guard, plan and other accounts judge by the same facts: a write throws. A throw, or
 * anything returned that is no quotes, means none for this turn.
 */
export type Strategy<Params, Memory> = {
  /** The name of its file in strategies/, without the extension. */
  readonly name: string;
  /** One sentence for lists. */
  readonly summary: string;
  /** A strict object: an unknown key is a fault. Each key says its unit, bounds and default in `.describe()`. */
  readonly params: z.ZodType<Params>;
  /** The memory before the first quote. */
  readonly start: (params: Params) => Memory;
  /**
   * What the memory is, where it goes on with the next start of the daemon under the same parameters and limits: plain data that JSON holds,
   * whose times are the chain's. Without it each start begins without memory.
   */
  readonly memory?: z.ZodType<Memory>;
  readonly quote: (view: View, params: Params, memory: Memory) => Quotes;
  /**
   * What `quote` reads of the book, as plain values: a market does not turn for a book that leaves them as they are. Position, print, fees, rules
   * of the market and all that the guard goes by let it turn anyway. Without it every change of book or market lets it turn.
   */
  readonly reads?: (view: View, params: Params) => readonly unknown[];
  /**
   * What `quote` reads beside that, such as signals and time: looked at each second. While these values stay too, the strategy is not asked.
   * Without it, it is asked each second.
   */
  readonly drifts?: (view: View, params: Params) => readonly unknown[];
};

/** Infers the types of a strategy from its schema and its `start`. */
export const defineStrategy = <Params, Memory>(strategy: Strategy<Params, Memory>): Strategy<Params, Memory> =>
  Object.freeze(strategy);
