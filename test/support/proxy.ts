// A TCP proxy that simulates a bad network, each direction alone: latency, jitter, bandwidth, small slices, silence, resets, and
// connections whose far end has silently gone. Modeled on the toxics of Toxiproxy.

import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";
import { createPrng } from "../../src/kernel/prng.ts";

export type Toxics = {
  readonly latencyMs: number;
  /** Added to the latency, 0 to this, drawn for each slice. Bytes never overtake each other. */
  readonly jitterMs: number;
  readonly bytesPerSec: number;
  /** Longest piece that is passed on at once. */
  readonly sliceBytes: number;
  /** Bytes are taken and never passed on; the connection stays. */
  readonly blackhole: boolean;
};

export const noToxics: Toxics = {
  latencyMs: 0,
  jitterMs: 0,
  bytesPerSec: Number.POSITIVE_INFINITY,
  sliceBytes: 65_536,
  blackhole: false,
};

export type Direction = "up" | "down";

export type ChaosProxy = {
  readonly port: number;
  /** Connections that are open on the client's side. */
  readonly connections: () => number;
  /** Takes effect from now on, for every connection, including open ones. `up` is from the client to the server. */
  readonly set: (direction: Direction, toxics: Partial<Toxics>) => void;
  /** Turns every toxic off. Half-open connections stay so. */
  readonly calm: () => void;
  /** RST to both ends of each connection that is open and not half-open, with the given probability, by default 1. */
  readonly reset: (probability?: number) => void;
  /** Kills each open connection without telling either end, like a firewall that forgot it. New ones are served. */
  readonly halfOpen: () => void;
  readonly close: () => Promise<void>;
};

type Pair = { readonly client: Socket; readonly server: Socket; dead: boolean };

/** Listens on a free loopback port and passes on to `targetPort`. The seed decides jitter and which connections are reset. */
export async function startProxy(options: { readonly targetPort: number; readonly seed: bigint }): Promise<ChaosProxy> {
  const prng = createPrng(options.seed);
  const pairs = new Set<Pair>();
  const toxics: Record<Direction, Toxics> = { up: noToxics, down: noToxics };

  const listener = createServer((client) => {
    const server = createConnection(options.targetPort, "127.0.0.1");
    const pair: Pair = { client, server, dead: false };
    pairs.add(pair);
    const jitter = () => prng.float();
    pass(client, server, { toxics: () => toxics.up, isDead: () => pair.dead, jitter });
    pass(server, client, { toxics: () => toxics.down, isDead: () => pair.dead, jitter });
    client.on("close", () => pairs.delete(pair));
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");

  return {
    port: (listener.address() as { port: number }).port,
    connections: () => pairs.size,
    set(direction, changed) {
      toxics[direction] = { ...noToxics, ...changed };
    },
    calm() {
      toxics.up = noToxics;
      toxics.down = noToxics;
    },
    reset(probability = 1) {
      for (const { client, server, dead } of pairs) {
        if (dead || !prng.chance(probability)) continue;
        client.resetAndDestroy();
        server.resetAndDestroy();
      }
    },
    halfOpen() {
      for (const pair of pairs) pair.dead = true;
    },
    async close() {
      const closed = once(listener, "close");
      listener.close();
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
      await closed;
    },
  };
}

type Lane = {
  readonly toxics: () => Toxics;
  readonly isDead: () => boolean;
  /** From 0 to 1, exclusive. */
  readonly jitter: () => number;
};

/** Passes bytes on in order, each slice when it is due. An end or an error of one side follows the bytes. */
function pass(from: Socket, to: Socket, { toxics, isDead, jitter }: Lane): void {
  const later = createLine();
  let freeMs = 0;
  from.setNoDelay(true);
  from.on("data", (chunk: Buffer) => {
    const { latencyMs, jitterMs, bytesPerSec, sliceBytes, blackhole } = toxics();
    if (blackhole || isDead()) return;
    for (let at = 0; at < chunk.length; at += sliceBytes) {
      const slice = chunk.subarray(at, at + sliceBytes);
      freeMs = Math.max(freeMs, performance.now()) + (1000 * slice.length) / bytesPerSec;
      later(freeMs + latencyMs + jitterMs * jitter(), () => {
        if (to.writable && !isDead()) to.write(slice);
      });
    }
  });
  from.on("end", () => {
    if (!isDead() && !toxics().blackhole) later(performance.now() + toxics().latencyMs, () => to.end());
  });
  from.on("error", () => {
    if (!isDead()) to.resetAndDestroy();
  });
  from.on("close", () => {
    if (!isDead()) later(0, () => to.destroy());
  });
}

/** Runs its acts in order, each not before its time. */
function createLine(): (atMs: number, act: () => void) => void {
  const waiting: { readonly atMs: number; readonly act: () => void }[] = [];
  let timer: NodeJS.Timeout | null = null;
  function work(): void {
    timer = null;
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const leftMs = first.atMs - performance.now();
      if (leftMs > 0) {
        timer = setTimeout(work, Math.ceil(leftMs)).unref();
        return;
      }
      waiting.shift();
      first.act();
    }
  }
  return (atMs, act) => {
    waiting.push({ atMs, act });
    if (timer === null) work();
  };
}
