// One host of the exchange, independent of the transport: finds the route, throttles the client, and turns whatever a handler throws into a
// reply. A listener serves it over sockets; the simulation calls it directly.

import { type Facts, messageOf } from "../../../kernel/errors.ts";
import { WireError } from "../../../wire/errors.ts";
import { StoreError } from "../../chain/log/disk.ts";
import { type Reply, refusal } from "./reply.ts";
import { createRouter, type Found, type Request, type Route } from "./router.ts";
import type { Throttle } from "./throttle.ts";

/** Writes a line to the devnet's log; `facts` contain no secrets. */
export type Log = (message: string, facts: Facts) => void;

/** A request whose route is known; its headers and body have not been read yet. */
export type Routed = { readonly route: Route; readonly head: Omit<Request, "header" | "body"> };

export type Host = {
  /** The route for a method and a URL (path and query), or a refusal if there is none. */
  readonly find: (method: string, url: string) => Routed | Reply;
  /** Counts one request against the client's rate limit; returns a refusal if the limit is used up. */
  readonly takeRate: (client: string) => Reply | undefined;
  /** The handler's reply. Never rejects. */
  readonly handle: (route: Route, request: Request) => Promise<Reply>;
};

/** Replies to a request from the same process, without headers and rate limit. Never rejects. */
export async function replyTo(
  { find, handle }: Pick<Host, "find" | "handle">,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: string | null },
): Promise<Reply> {
  const found = find(method, path);
  if ("status" in found) return found;
  return handle(found.route, { ...found.head, header: () => undefined, body: Buffer.from(body ?? "") });
}

export type HostModules = {
  readonly log: Log;
  /** Hosts with the same throttle share its limit. */
  readonly throttle?: Throttle | undefined;
};

export function createHost(routes: readonly Route[], { log, throttle }: HostModules): Host {
  const router = createRouter(routes);
  return {
    find(method, url) {
      const { path, query } = target(url);
      const found = router.find(method, path);
      if (found.kind !== "found") return notRouted(found);
      const { route, params } = found;
      return { route, head: { route: `${route.method} ${route.path}`, params, query } };
    },
    takeRate(client) {
      const waitMs = throttle?.take(client) ?? 0;
      return waitMs > 0 ? throttled(waitMs) : undefined;
    },
    async handle(route, request) {
      try {
        return await route.handle(request);
      } catch (thrown) {
        if (thrown instanceof StoreError) return refusal(503, "UNWRITABLE", thrown.message);
        // A body or query that cannot be read is the client's error. Any other error is ours; its details go only to the log.
        if (thrown instanceof WireError) return refusal(400, "MALFORMED", thrown.message);
        log("a handler threw", { route: request.route, cause: messageOf(thrown) });
        return refusal(500, "INTERNAL", "the devnet failed to answer this request");
      }
    },
  };
}

function target(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = url.indexOf("?");
  if (mark === -1) return { path: url, query: new URLSearchParams() };
  return { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}

function notRouted(found: Exclude<Found, { kind: "found" }>): Reply {
  if (found.kind === "malformedPath") return refusal(400, "MALFORMED_PATH", "the path is not valid percent-encoding");
  if (found.kind === "unknownPath") return refusal(404, "UNKNOWN_PATH", "there is nothing at this path");
  const allow = found.allowed.join(", ");
  return refusal(405, "METHOD_NOT_ALLOWED", "this path does not take that method", { allow });
}

function throttled(waitMs: number): Reply {
  const seconds = String(Math.ceil(waitMs / 1000));
  return refusal(429, "THROTTLED", "too many requests, wait as long as Retry-After says", { "retry-after": seconds });
}
