// What the network does to one request, frame or connection. The links ask, the active faults answer; without faults there is only latency.

import type { Reply } from "../../devnet/api/http/reply.ts";
import type { Sent } from "../../devnet/api/stream/frames.ts";
import type { HttpCall } from "../exchange.ts";

/** `refused`: no byte left. Otherwise the request travels, unless it is `swallowed`, and its answer returns, unless it is `lost`. */
export type RequestFate =
  | { readonly kind: "refused" }
  | {
      readonly kind: "travels";
      readonly upMs: number;
      readonly downMs: number;
      /** `swallowed`: it never arrives, without an error. */
      readonly request: "arrives" | "swallowed";
      /**
       * `lost`: no answer and no error. `reset`: the connection breaks. A reply: replaces the answer, whether the request executed or not.
       */
      readonly answer: "asIs" | "lost" | "reset" | Reply;
      /** False: answered before the exchange sees anything. */
      readonly executes: boolean;
      /** Changes the answer's text on its way back. */
      readonly rewrite?: (text: string) => string;
    };

/** How many copies of a frame are sent, the extra delay, and a frame inserted before it. */
export type FrameFate = { readonly copies: number; readonly delayMs: number; readonly before?: Sent };

export type NetworkConditions = {
  readonly forRequest: (call: HttpCall) => RequestFate;
  /** `frame` has travelled unless the connection is muted. */
  readonly forFrame: (frame: Sent) => FrameFate;
  readonly forConnection: () => "opens" | "refused" | "hangs";
  /** One way, milliseconds. */
  readonly latencyMs: () => number;
};

/** One-way latencies in ms: of frames; of reads, each way; of orders; and of their answers. */
export type Latencies = Readonly<Record<"frames" | "reads" | "orders" | "answers", () => number>>;

/** A network with latency and no faults. */
export function latencyOnly({ frames, reads, orders, answers }: Latencies): NetworkConditions {
  const asUsual: FrameFate = { copies: 1, delayMs: 0 };
  return {
    forRequest({ method }) {
      const [up, down] = method === "GET" ? [reads, reads] : [orders, answers];
      const [upMs, downMs] = [up(), down()];
      return { kind: "travels", upMs, downMs, request: "arrives", answer: "asIs", executes: true };
    },
    forFrame: () => asUsual,
    forConnection: () => "opens",
    latencyMs: frames,
  };
}

/** The same latency for everything. */
export const sameLatency = (latencyMs: () => number): Latencies => ({
  frames: latencyMs,
  reads: latencyMs,
  orders: latencyMs,
  answers: latencyMs,
});
