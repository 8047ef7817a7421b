// Limits the connections of the daemon's HTTP. There is always room for one more: if all are taken, the least important one is closed, so
// that a client that opens many cannot keep an operator or a watchdog out.

import type { Socket } from "node:net";

/** Importance of a connection, lowest first: no request; a page, a scrape or a live stream; a POST that may steer, or the heartbeat. */
const worths = ["idle", "shown", "operator"] as const;
export type Worth = (typeof worths)[number];

/** Twice the live pages: leaves descriptors for the exchange on systems that allow only a hundred per process. */
const CONNECTIONS_MAX = 64;

export class Connections {
  /** In the order of opening. */
  readonly #open = new Map<Socket, Worth>();

  opened(socket: Socket): void {
    if (this.#open.size >= CONNECTIONS_MAX) this.#least()?.destroy();
    this.#open.set(socket, "idle");
    socket.once("close", () => this.#open.delete(socket));
  }

  /** Sets the connection's importance. */
  isFor(socket: Socket, worth: Worth): void {
    if (this.#open.has(socket)) this.#open.set(socket, worth);
  }

  /** The oldest of the least important connections; operator connections are never closed. */
  #least(): Socket | undefined {
    for (const worth of worths.slice(0, -1))
      for (const [socket, its] of this.#open) if (its === worth && !socket.destroyed) return socket;
    return undefined;
  }
}
