// An HTTP proxy that passes on every request and may change the JSON of an answer on its way back, or turn transactions away.

import { once } from "node:events";
import { createServer } from "node:http";

/** Returns the new answer of `path`; undefined: unchanged. `body`: of the request; "" without one. */
export type Rewrite = (path: string, json: Record<string, unknown>, body: string) => unknown;

/** Returns an answer to a transaction instead of passing it to the exchange, as HTTP 400; undefined: it passes. */
export type TurnAway = (body: string) => string | undefined;

export type RewritingProxy = {
  readonly url: string;
  /** From now on; null: nothing is changed. */
  rewrite: Rewrite | null;
  turnAway: TurnAway | null;
  /** Returns the status of an answer instead of 200; undefined: unchanged. */
  status: ((path: string, json: unknown) => number | undefined) | null;
  /** Whether a transaction never reaches the exchange, and is answered `success` without an event all the same. */
  swallows: (body: string) => boolean;
  readonly close: () => Promise<void>;
};

/** Headers that the server at the target asks for. */
const passed = ["authorization", "content-type"] as const;

/** Listens on a free loopback port in front of the HTTP server at `target`. */
export async function startRewritingProxy(target: string): Promise<RewritingProxy> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? "/";
    try {
      const body = chunks.length > 0 ? Buffer.concat(chunks) : null;
      const error = body === null ? undefined : proxy.turnAway?.(body.toString());
      if (error !== undefined) {
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify({ error }));
        return;
      }
      if (body !== null && proxy.swallows(body.toString())) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ status: "success", hash: "ab".repeat(32), events: [] }));
        return;
      }
      const { method = "GET", headers: told } = request;
      const headers = Object.fromEntries(passed.map((name) => [name, told[name] ?? ""]));
      const answer = await fetch(`${target}${path}`, { method, headers, body });
      const text = await answer.text();
      const rewritten = answer.ok ? proxy.rewrite?.(path, JSON.parse(text), body?.toString() ?? "") : undefined;
      const status = answer.ok ? proxy.status?.(path, JSON.parse(text)) : undefined;
      response.writeHead(status ?? answer.status, { "content-type": "application/json" });
      response.end(rewritten === undefined ? text : JSON.stringify(rewritten));
    } catch {
      response.destroy();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: RewritingProxy = {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    rewrite: null,
    turnAway: null,
    status: null,
    swallows: () => false,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}
