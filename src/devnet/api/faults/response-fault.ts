// What a fault on demand does to one request or one frame. The servers obey it; faults.ts decides it.

import type { Reply } from "../http/reply.ts";
import type { Request } from "../http/router.ts";

/** `execute` false: the handler never sees the request. `answer` is what the client gets instead of the handler's. */
export type Tamper = {
  readonly delayBeforeMs: number;
  readonly execute: boolean;
  readonly delayAfterMs: number;
  readonly answer: "asIs" | "hangUp" | "silence" | Reply;
};

export type TamperWith = (request: Request) => Tamper | undefined;
