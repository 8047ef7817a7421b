// What a listener looks at before it looks for a route, and which headers all of its answers carry: who may come in from where.

import type { Reply } from "./reply.ts";

/** A request's method and headers (names in lower case); nothing else of it has been read. */
export type Caller = { readonly method: string; readonly header: (name: string) => string | undefined };

export type Door = {
  /** The answer to a request that goes no further; undefined: it may. */
  readonly stop: (caller: Caller) => Reply | undefined;
  /** Carried by every answer, refusals too. */
  readonly headers: Readonly<Record<string, string>>;
};
