// Requests over simulated connections, with the same outcomes as over real ones. As many at once as the lane has connections; the rest
// wait.

import {
  answered,
  type HttpEnd,
  type HttpFailure,
  type HttpLane,
  type HttpLaneOptions,
  type HttpRequest,
} from "../../bot/venue/remote/http.ts";
import type { Reply } from "../../devnet/api/http/reply.ts";
import type { Clock, Timer } from "../../kernel/clock.ts";
import type { Kind } from "../../wire/description.ts";
import type { SimulatedExchange } from "../exchange.ts";
import type { Reach } from "../process-run.ts";
import type { NetworkConditions } from "./network-conditions.ts";

/** Observes what leaves the process and what returns to it. */
export type HttpWitness = {
  readonly onSent: (request: HttpRequest) => void;
  /** The exchange has answered; the answer may still get lost. */
  readonly onExecuted: (request: HttpRequest, reply: Reply) => void;
  /** `end` reached the process. */
  readonly onEnd: (request: HttpRequest, end: HttpEnd) => void;
};

export type HttpLinkModules = {
  /** Time of the world, in which bytes travel. */
  readonly world: Clock;
  readonly processRun: Reach;
  readonly exchange: SimulatedExchange;
  readonly conditions: NetworkConditions;
  readonly witness: HttpWitness;
};

type Call = {
  readonly request: HttpRequest;
  readonly resolve: (end: HttpEnd) => void;
  deadline: Timer | undefined;
  hasLeft: boolean;
  isOver: boolean;
};

export function createHttpLink(options: HttpLaneOptions, modules: HttpLinkModules): HttpLane {
  const { world, processRun, exchange, conditions, witness } = modules;
  const line: Call[] = [];
  const underWay = new Set<Call>();
  let isClosed = false;

  function finish(call: Call, end: HttpEnd, heard = end): void {
    if (call.isOver) return;
    call.isOver = true;
    call.deadline?.cancel();
    underWay.delete(call);
    witness.onEnd(call.request, end);
    call.resolve(heard);
    next();
  }

  const fail = (call: Call, why: HttpFailure): void =>
    finish(call, { kind: call.hasLeft ? "lost" : "notSent", why, cause: new Error(`simulated: ${why}`) });

  function next(): void {
    while (underWay.size < options.connections) {
      const call = line.shift();
      if (call === undefined) return;
      if (!call.isOver) leave(call);
    }
  }

  function leave(call: Call): void {
    underWay.add(call);
    const { request } = call;
    const fate = conditions.forRequest(request);
    if (fate.kind === "refused") {
      world.after(conditions.latencyMs(), () => processRun.enter(() => fail(call, "connection")));
      return;
    }
    call.hasLeft = true;
    witness.onSent(request);
    const back = (sent: Reply): void => {
      if (fate.answer === "lost") return;
      const reply = fate.rewrite === undefined ? sent : { ...sent, text: fate.rewrite(sent.text) };
      const arrive = (): void => {
        if (fate.answer === "reset") fail(call, "connection");
        else if (exchange.shortcuts) finish(call, new AnsweredInside(reply));
        else finish(call, answered(reply), answered(exchange.speech.reply(request.path, reply)));
      };
      world.after(fate.downMs, () => processRun.enter(arrive));
    };
    if (fate.request === "swallowed") return;
    world.after(fate.upMs, () => {
      const instead = typeof fate.answer === "object" ? fate.answer : undefined;
      if (instead !== undefined && !fate.executes) back(instead);
      else
        void exchange.request(request).then((reply) => {
          witness.onExecuted(request, reply);
          back(instead ?? reply);
        });
    });
  }

  return {
    send(request) {
      return new Promise((resolve) => {
        const call: Call = { request, resolve, hasLeft: false, isOver: false, deadline: undefined };
        if (isClosed) return fail(call, "closed");
        call.deadline = processRun.clock.after(options.timeoutMs, () => fail(call, "timeout"));
        line.push(call);
        next();
      });
    },
    async close() {
      isClosed = true;
      for (const call of [...line.splice(0), ...underWay]) fail(call, "closed");
    },
  };
}

/** A reader in this process takes the value, and the text is made only where it asks for that. */
class AnsweredInside {
  readonly kind = "answered";
  readonly #reply: Reply;

  constructor(reply: Reply) {
    this.#reply = reply;
  }

  get httpStatus(): number {
    return this.#reply.status;
  }

  get body(): string {
    return this.#reply.text;
  }

  get retryAfter(): string | null {
    return this.#reply.headers?.["retry-after"] ?? null;
  }

  as<T>(kind: Pick<Kind<T>, "read">): T | undefined {
    return this.#reply.as?.(kind);
  }
}
