// A proxy before the devnet that serves reads of accounts from a delay line, while WebSocket, submits and all other reads are of now.

import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";

export type LateReads = {
  readonly url: string;
  /** Reads of accounts show the state of so long ago from now on, or the oldest that was kept. */
  readonly lag: (ms: number) => void;
  readonly close: () => Promise<void>;
};

type Kept = { readonly atMs: number; readonly body: string };

/** How often the delay line looks at the account. */
const LOOK_MS = 25;

/** Listens on a free loopback port. `path` is the one read that is late: the account's. */
export async function startLateReads(validatorUrl: string, path: string): Promise<LateReads> {
  const { hostname, port } = new URL(validatorUrl);
  const line: Kept[] = [];
  const sockets = new Set<Socket>();
  let lagMs = 0;
  const look = async (): Promise<void> => {
    const body = await fetch(`${validatorUrl}${path}`).then(
      (answer) => answer.text(),
      () => undefined,
    );
    if (body !== undefined) line.push({ atMs: performance.now(), body });
  };
  await look();
  const looking = setInterval(() => void look(), LOOK_MS);

  function passOn(from: IncomingMessage, to: ServerResponse): void {
    const { method, url: target, headers } = from;
    const upstream = httpRequest({ hostname, port, method, path: target, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    upstream.on("error", () => to.destroy());
    from.pipe(upstream);
  }

  const server = createServer((from, to) => {
    const kept = line.findLast(({ atMs }) => atMs <= performance.now() - lagMs) ?? line[0];
    if (lagMs === 0 || from.method !== "GET" || from.url !== path || kept === undefined) {
      passOn(from, to);
      return;
    }
    to.writeHead(200, { "content-type": "application/json" }).end(kept.body);
  });
  server.on("upgrade", (from: IncomingMessage, client: Socket, head: Buffer) => {
    const upstream = connect(Number(port), hostname, () => {
      const headers = Object.entries(from.headers).map(([name, value]) => `${name}: ${value}`);
      upstream.write([`GET ${from.url} HTTP/1.1`, ...headers, "", ""].join("\r\n"));
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    lag(ms) {
      lagMs = ms;
    },
    async close() {
      clearInterval(looking);
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
