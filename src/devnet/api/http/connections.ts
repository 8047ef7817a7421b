// The connections of a listener. Each has a bound on what it may hold: requests without an answer, an answer that nobody reads, an end that
// the client does not answer. Where all are taken, the one that is worth least makes room for the newest.

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock, Timer } from "../../../kernel/clock.ts";

export type ConnectionLimits = {
  readonly connectionsMax: number;
  /** Requests of one connection that wait for their answers. */
  readonly pipelinedMax: number;
  /** How long an answer may lie unread, ms. */
  readonly unreadMs: number;
  /** How long the client may leave a connection open that we ended, ms. */
  readonly endedMs: number;
};

export type Connections = {
  /** The socket is closed in its place when there is no room for it. */
  readonly opened: (socket: Socket) => void;
  /** The head of a request has come on it, which `response` will answer. Returns the answer before it, unless that has gone out whole. */
  readonly asked: (socket: Socket, response: ServerResponse) => ServerResponse | undefined;
  /** The whole of it has come: until it is answered the connection makes room for no other. */
  readonly heard: (socket: Socket) => void;
  /** It is somebody else's from now on, and counts no more. */
  readonly handedOver: (socket: Socket) => void;
  /** Looks at no connection from now on. */
  readonly close: () => void;
};

type State = { unanswered: number; last: ServerResponse | undefined; stuckSinceMs: number | null };

/** How often connections are looked at, as a share of the shortest bound. */
const LOOKS_PER_BOUND = 4;

export function createConnections(limits: ConnectionLimits, clock: Clock): Connections {
  const { connectionsMax, pipelinedMax, unreadMs, endedMs } = limits;
  const states = new Map<Socket, State>();
  /** Those whose first request has not come yet, and those that were answered: the longest so first. They are worth least, in this order. */
  const silent = new Set<Socket>();
  const idle = new Set<Socket>();

  function busy(socket: Socket): void {
    silent.delete(socket);
    idle.delete(socket);
  }

  function forget(socket: Socket): void {
    states.delete(socket);
    busy(socket);
  }

  function firstStuck(): Socket | undefined {
    for (const [socket, { stuckSinceMs }] of states) if (stuckSinceMs !== null) return socket;
    return undefined;
  }

  function drop(socket: Socket): void {
    forget(socket);
    socket.destroy();
  }

  function look([socket, state]: readonly [Socket, State], nowMs: number): void {
    const isUnread = socket.writableLength > 0;
    const isStuck = socket.writableEnded || (isUnread && state.unanswered > 0);
    if (!isStuck) {
      state.stuckSinceMs = null;
      return;
    }
    state.stuckSinceMs ??= nowMs;
    if (nowMs - state.stuckSinceMs >= (isUnread ? unreadMs : endedMs)) drop(socket);
  }

  const looking: Timer = clock.every(Math.min(unreadMs, endedMs) / LOOKS_PER_BOUND, () => {
    const nowMs = clock.monotonicMs();
    for (const each of states) look(each, nowMs);
  });

  return {
    opened(socket) {
      if (states.size >= connectionsMax) {
        const leastWorth = firstOf(silent) ?? firstOf(idle) ?? firstStuck() ?? socket;
        drop(leastWorth);
        if (leastWorth === socket) return;
      }
      states.set(socket, { unanswered: 0, last: undefined, stuckSinceMs: null });
      silent.add(socket);
      socket.once("close", () => forget(socket));
    },
    asked(socket, response) {
      const state = states.get(socket);
      if (state === undefined) return undefined;
      const before = state.last;
      state.last = response;
      state.unanswered += 1;
      if (state.unanswered > pipelinedMax) drop(socket);
      response.once("close", () => {
        state.unanswered -= 1;
        if (state.last === response) state.last = undefined;
        if (state.unanswered > 0 || !states.has(socket)) return;
        busy(socket);
        idle.add(socket);
      });
      return before;
    },
    heard: busy,
    handedOver: forget,
    close: () => looking.cancel(),
  };
}

function firstOf(sockets: ReadonlySet<Socket>): Socket | undefined {
  for (const socket of sockets) return socket;
  return undefined;
}
