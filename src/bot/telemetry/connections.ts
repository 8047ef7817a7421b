// The connections of the daemon's HTTP. There is room for one more at any time: where all are taken, the one that is worth least is closed,
// so that nobody who opens many of them, or leaves them open, keeps an operator or a watchdog out.

import type { Socket } from "node:net";

/** How much a connection is worth, least first: nothing is asked on it; a page, a scrape or a live stream; a POST that may be made, or the heartbeat. */
const worths = ["idle", "shown", "operator"] as const;
export type Worth = (typeof worths)[number];

/** Twice the live pages: descriptors are left for the exchange where a process may have no more than a hundred. */
const CONNECTIONS_MAX = 64;

export class Connections {
  /** In the order in which they were opened. */
  readonly #open = new Map<Socket, Worth>();

  opened(socket: Socket): void {
    if (this.#open.size >= CONNECTIONS_MAX) this.#least()?.destroy();
    this.#open.set(socket, "idle");
    socket.once("close", () => this.#open.delete(socket));
  }

  /** From now on the connection is for that. */
  isFor(socket: Socket, worth: Worth): void {
    if (this.#open.has(socket)) this.#open.set(socket, worth);
  }

  /** The oldest of those that are worth least; the others are left open. */
  #least(): Socket | undefined {
    for (const worth of worths.slice(0, -1))
      for (const [socket, its] of this.#open) if (its === worth && !socket.destroyed) return socket;
    return undefined;
  }
}
