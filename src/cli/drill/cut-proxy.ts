// A TCP proxy on loopback that can be cut like a cable: bytes and new connections are then lost without an error.

import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";

export type CutProxy = {
  readonly port: number;
  readonly cut: () => void;
  /** Lets new connections pass again; cut ones stay dead. */
  readonly mend: () => void;
  readonly close: () => Promise<void>;
};

/** Listens on a free port and forwards to `targetPort` of this machine. */
export async function startCutProxy(targetPort: number): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const pair = [client, createConnection(targetPort, "127.0.0.1")] as const;
    const dead = isCut;
    for (const [from, to] of [pair, [pair[1], pair[0]] as const]) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on("data", (bytes) => {
        if (!isCut && !dead && !lost.has(from)) to.write(bytes);
      });
      from.on("error", () => from.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const lost = new WeakSet<Socket>();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      isCut = true;
      for (const socket of sockets) lost.add(socket);
    },
    mend() {
      isCut = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
