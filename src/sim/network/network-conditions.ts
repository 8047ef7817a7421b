// What the network does to one request, one frame, one connection. The links ask and the faults in force answer; without faults
// there is only latency.

import type { Reply } from "../../devnet/api/http/reply.ts";
import type { Sent } from "../../devnet/api/stream/frames.ts";
import type { HttpCall } from "../exchange.ts";

/** `refused`: no byte left. Otherwise the request travels, unless it is `swallowed`, and its answer comes back, unless it is `lost`. */
export type RequestFate =
  | { readonly kind: "refused" }
  | {
      readonly kind: "travels";
      readonly upMs: number;
      readonly downMs: number;
      /** `swallowed`: it never arrives and nobody says so. */
      readonly request: "arrives" | "swallowed";
      /** `lost`: nobody says so either. `reset`: the connection breaks. A reply: that instead, whether it was executed or not. */
      readonly answer: "asIs" | "lost" | "reset" | Reply;
      /** False: an answer that is given before the exchange sees anything. */
      readonly executes: boolean;
      /** What becomes of the answer's text on its way back. */
      readonly rewrite?: (text: string) => string;
    };

/** How many copies of a frame go out, how much later than usual, and what slips in before it. */
export type FrameFate = { readonly copies: number; readonly delayMs: number; readonly before?: Sent };

export type NetworkConditions = {
  readonly forRequest: (call: HttpCall) => RequestFate;
  /** `frame` has travelled unless the connection is muted. */
  readonly forFrame: (frame: Sent) => FrameFate;
  readonly forConnection: () => "opens" | "refused" | "hangs";
  /** One way, milliseconds. */
  readonly latencyMs: () => number;
};

/** One way, milliseconds: of frames and of reads either way, of orders, and of the answers to them. */
export type Latencies = Readonly<Record<"frames" | "reads" | "orders" | "answers", () => number>>;

/** Only latency. */
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

/** The same for all that travels. */
export const sameLatency = (latencyMs: () => number): Latencies => ({
  frames: latencyMs,
  reads: latencyMs,
  orders: latencyMs,
  answers: latencyMs,
});
