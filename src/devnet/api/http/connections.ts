// Limits the connections of a listener: their number, the unanswered requests of each, how long an answer may stay unread, and how long a
// client may delay closing. If all connections are taken, the least useful one is closed for the newest.

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock, Timer } from "../../../kernel/clock.ts";

export type ConnectionLimits = {
  readonly connectionsMax: number;
  /** Requests of one connection that may wait for answers. */
  readonly pipelinedMax: number;
  /** How long an answer may stay unread, ms. */
  readonly unreadMs: number;
  /** How long the client may keep a connection open after we ended it, ms. */
  readonly endedMs: number;
};

export type Connections = {
  /** Registers the socket; closes it if there is no room and no other connection to close. */
  readonly opened: (socket: Socket) => void;
  /** A request's headers arrived on the socket; `response` will answer it. Returns the response before it, unless that was fully sent. */
  readonly asked: (socket: Socket, response: ServerResponse) => ServerResponse | undefined;
  /** The whole request arrived: until it is answered, this connection is not closed for a new one. */
  readonly heard: (socket: Socket) => void;
  /** Another owner handles the socket from now on; it no longer counts. */
  readonly handedOver: (socket: Socket) => void;
  /** Stops the checks. */
  readonly close: () => void;
};

type State = { unanswered: number; last: ServerResponse | undefined; stuckSinceMs: number | null };

/** Checks per shortest time limit. */
const LOOKS_PER_BOUND = 4;

export function createConnections(limits: ConnectionLimits, clock: Clock): Connections {
  const { connectionsMax, pipelinedMax, unreadMs, endedMs } = limits;
  const states = new Map<Socket, State>();
  /**
   * `silent`: no complete request yet. `idle`: all requests answered. Each is ordered by age, oldest first; silent ones are closed first.
   */
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
