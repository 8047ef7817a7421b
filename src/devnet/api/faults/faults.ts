// The active faults on demand: which one strikes a request, a frame or a new connection, and when it ends.

import type { Clock } from "../../../kernel/clock.ts";
import type { Prng } from "../../../kernel/prng.ts";
import { type Reply, refusal } from "../http/reply.ts";
import type { Request } from "../http/router.ts";
import type { Channel } from "../stream/frames.ts";
import type { LastingFault, RequestFault, StreamFault } from "./fault-rules.ts";

export type ActiveFault = {
  readonly id: number;
  readonly fault: LastingFault;
  /** How often it has struck. */
  readonly hits: number;
};

export type Faults = {
  readonly add: (fault: LastingFault) => ActiveFault;
  /** Returns false if no fault has that id. */
  readonly remove: (id: number) => boolean;
  readonly removeAll: () => void;
  /** Active faults, oldest first. */
  readonly list: () => readonly ActiveFault[];
  /** The effect of the oldest matching fault on the request; undefined if none strikes. */
  readonly forRequest: (request: Request) => ResponseFault | undefined;
  readonly forFrame: (channel: Channel) => "send" | "swallow" | "duplicate";
  readonly forSnapshot: () => boolean;
  readonly forConnection: () => boolean;
};

type Entry = { readonly id: number; readonly fault: LastingFault; readonly untilMs: number; hits: number };

export function createFaults(clock: Clock, prng: Prng): Faults {
  let entries: readonly Entry[] = [];
  let lastId = 0;

  function inForce(): readonly Entry[] {
    if (entries.length === 0) return entries;
    const nowMs = clock.monotonicMs();
    entries = entries.filter(
      ({ fault, hits, untilMs }) => nowMs < untilMs && (fault.count === null || hits < fault.count),
    );
    return entries;
  }

  /** Returns the oldest matching fault whose random draw strikes, and counts the strike. */
  function strike<T extends LastingFault>(fits: (fault: LastingFault) => fault is T): T | undefined {
    for (const entry of inForce()) {
      const { fault } = entry;
      if (!fits(fault) || !(fault.probability === 1 || prng.chance(fault.probability))) continue;
      entry.hits += 1;
      return fault;
    }
    return undefined;
  }

  const strikeStream = (kinds: readonly StreamFault["kind"][], channel: Channel | null) =>
    strike((fault): fault is StreamFault => isStreamFault(fault, kinds, channel));

  return {
    add(fault) {
      lastId += 1;
      const untilMs = fault.forMs === null ? Number.POSITIVE_INFINITY : clock.monotonicMs() + fault.forMs;
      const entry = { id: lastId, fault, untilMs, hits: 0 };
      entries = [...entries, entry];
      return entry;
    },
    remove(id) {
      const before = entries.length;
      entries = entries.filter((entry) => entry.id !== id);
      return entries.length < before;
    },
    removeAll() {
      entries = [];
    },
    list: () => inForce().map(({ id, fault, hits }) => ({ id, fault, hits })),
    forRequest(request) {
      if (entries.length === 0) return undefined;
      const fault = strike((candidate): candidate is RequestFault => isRequestFault(candidate, request));
      return fault && responseFaultOf(fault);
    },
    forFrame(channel) {
      if (entries.length === 0) return "send";
      const fault = strikeStream(["swallowFrames", "duplicateFrames"], channel);
      if (fault === undefined) return "send";
      return fault.kind === "swallowFrames" ? "swallow" : "duplicate";
    },
    forSnapshot: () => strikeStream(["staleSnapshot"], "orderbook") !== undefined,
    forConnection: () => strikeStream(["refuseStream"], null) !== undefined,
  };
}

const FIRST_VARIANT = /"transaction"\s*:\s*\{\s*"(\w+)"/;

function isRequestFault(fault: LastingFault, request: Request): fault is RequestFault {
  if (!("route" in fault)) return false;
  if (fault.route !== null && fault.route !== request.route) return false;
  return fault.action === null || FIRST_VARIANT.exec(Buffer.from(request.body).toString())?.[1] === fault.action;
}

function isStreamFault(fault: LastingFault, kinds: readonly string[], channel: Channel | null): fault is StreamFault {
  if ("route" in fault || !kinds.includes(fault.kind)) return false;
  return fault.channel === null || fault.channel === channel;
}

function responseFaultOf(fault: RequestFault): ResponseFault {
  const delays = { delayBeforeMs: fault.delayMs, delayAfterMs: fault.delayAnswerMs };
  switch (fault.kind) {
    case "delay":
      return { ...delays, execute: true, answer: "asIs" };
    case "dropBefore":
      return { ...delays, execute: false, answer: "hangUp" };
    case "dropAfter":
      return { ...delays, execute: true, answer: "hangUp" };
    case "halfOpen":
      return { ...delays, execute: fault.executes, answer: "silence" };
    case "garbage":
      return { ...delays, execute: fault.executes, answer: garbage };
    case "status":
      return { ...delays, execute: fault.executes, answer: statusReply(fault) };
  }
}

/** Like the answer of a broken proxy: a success status with a body that is not JSON. */
const garbage: Reply = { status: 200, contentType: "text/html", text: '<html>{"status":"succ' };

function statusReply({ status, retryAfterSecs }: RequestFault): Reply {
  const headers = retryAfterSecs === null ? {} : { "retry-after": String(retryAfterSecs) };
  return refusal(status, "FAULT_ON_DEMAND", "a fault that was asked for on the control listener", headers);
}

/** Effect of a fault on one request. `execute` false: the handler never sees the request. `answer` replaces the handler's answer. */
export type ResponseFault = {
  readonly delayBeforeMs: number;
  readonly execute: boolean;
  readonly delayAfterMs: number;
  readonly answer: "asIs" | "hangUp" | "silence" | Reply;
};

export type ResponseFaultFor = (request: Request) => ResponseFault | undefined;
