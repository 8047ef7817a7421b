// Checks that a connection is alive: pongs must follow our pings by a deadline, and any frame by a longer one.

import type { Clock, Timer } from "../../kernel/clock.ts";

/** Times and waits that suit an exchange whose blocks come several times a second; of the bot too. */
export const streamTiming = {
  /** Interval of pings: four of them make a median of the chain's time. */
  pingMs: 5000,
  /** A ping that is not answered by then ends the connection. */
  pongTimeoutMs: 5000,
  /** Without a frame or pong for so long nothing of the stream counts. One lost pong must not get there. */
  silenceMs: 15_000,
  /** Between two tries to connect; a connection that lasted `steadyMs` begins at the first wait again. */
  reconnect: { firstMs: 250, maxMs: 10_000, steadyMs: 10_000 },
} as const;

export type HeartbeatOptions = {
  /** Time between our pings; their pongs are also the chain's clock. */
  readonly pingMs: number;
  readonly pongTimeoutMs: number;
  /** Longest time without any frame. */
  readonly silenceMs: number;
};

export type HeartbeatModules = {
  readonly clock: Clock;
  readonly sendPing: () => void;
  /** Called at most once, after the heartbeat has stopped. */
  readonly onDead: (reason: "pongTimeout" | "silent") => void;
};

export type Heartbeat = {
  /** Sends a ping now; the next follows on its interval. The first starts the heartbeat. */
  readonly ping: () => void;
  /** A frame arrived. */
  readonly frame: (receivedMs: number) => void;
  /** A pong arrived: returns when its ping was sent, or undefined if none was waiting. */
  readonly pong: () => number | undefined;
  readonly stop: () => void;
};

/** Most unanswered pings, so that an exchange cannot request pings without end. */
const PINGS_MAX = 32;

export function createHeartbeat(options: HeartbeatOptions, modules: HeartbeatModules): Heartbeat {
  const { clock } = modules;
  const pings: number[] = [];
  let lastFrameMs = clock.monotonicMs();
  let next: Timer | undefined;
  let pongDeadline: Timer | undefined;
  let silence: Timer | undefined;

  function stop(): void {
    next?.cancel();
    pongDeadline?.cancel();
    silence?.cancel();
  }

  function die(reason: "pongTimeout" | "silent"): void {
    stop();
    modules.onDead(reason);
  }

  /** The oldest unanswered ping sets the deadline, because pongs come in the order of their pings. */
  function awaitPong(): void {
    pongDeadline?.cancel();
    const sentMs = pings[0];
    if (sentMs === undefined) return;
    const leftMs = Math.max(0, sentMs + options.pongTimeoutMs - clock.monotonicMs());
    pongDeadline = clock.after(leftMs, () => die("pongTimeout"));
  }

  /** Checks again when the newest frame would be too old, so that a frame needs no timer. */
  function watchSilence(): void {
    const leftMs = lastFrameMs + options.silenceMs - clock.monotonicMs();
    if (leftMs <= 0) die("silent");
    else silence = clock.after(leftMs, watchSilence);
  }

  return {
    ping: function ping() {
      if (silence === undefined) watchSilence();
      next?.cancel();
      next = clock.after(options.pingMs, ping);
      if (pings.length >= PINGS_MAX) return;
      pings.push(clock.monotonicMs());
      if (pings.length === 1) awaitPong();
      modules.sendPing();
    },
    frame(receivedMs) {
      lastFrameMs = receivedMs;
    },
    pong() {
      const sentMs = pings.shift();
      awaitPong();
      return sentMs;
    },
    stop,
  };
}
