// What a fault on demand does to one request: faults.ts decides it, the HTTP listener carries it out.

import type { Reply } from "../http/reply.ts";
import type { Request } from "../http/router.ts";

/** `execute` false: the handler never sees the request. `answer` is what the client gets instead of the handler's. */
export type ResponseFault = {
  readonly delayBeforeMs: number;
  readonly execute: boolean;
  readonly delayAfterMs: number;
  readonly answer: "asIs" | "hangUp" | "silence" | Reply;
};

export type ResponseFaultFor = (request: Request) => ResponseFault | undefined;
