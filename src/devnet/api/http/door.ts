// Access check of a listener: runs before the routes, and sets headers on all answers.

import type { Reply } from "./reply.ts";

/** A request's method and headers (names in lower case); the body has not been read yet. */
export type Caller = { readonly method: string; readonly header: (name: string) => string | undefined };

export type Door = {
  /** The reply that stops the request; undefined lets it pass. */
  readonly stop: (caller: Caller) => Reply | undefined;
  /** Sent with every answer, refusals included. */
  readonly headers: Readonly<Record<string, string>>;
};
