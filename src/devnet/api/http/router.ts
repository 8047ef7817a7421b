// Finds the route of a request by method and path pattern.

import { createOldestOutMap } from "../../../kernel/bounded.ts";
import type { Reply } from "./reply.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export type Request = {
  /** Pattern of the matched route. */
  readonly route: string;
  /** Values of the pattern's braces, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  /** Bytes as received; empty for GET. */
  readonly body: Uint8Array;
};

export type Handler = (request: Request) => Reply | Promise<Reply>;

export type Route = {
  readonly method: Method;
  /** For example `/v1/markets/{id}/trades`; a brace matches one segment. */
  readonly path: string;
  readonly handle: Handler;
};

export const get = (path: string, handle: Handler): Route => ({ method: "GET", path, handle });
export const post = (path: string, handle: Handler): Route => ({ method: "POST", path, handle });
export const patch = (path: string, handle: Handler): Route => ({ method: "PATCH", path, handle });
export const remove = (path: string, handle: Handler): Route => ({ method: "DELETE", path, handle });

export type Found =
  | { readonly kind: "found"; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: "wrongMethod"; readonly allowed: readonly Method[] }
  | { readonly kind: "unknownPath" }
  | { readonly kind: "malformedPath" };

export type Router = { readonly find: (method: string, path: string) => Found };

/** A path that matches a pattern; `params` is undefined if it is not valid percent-encoding. */
type Parsed = { readonly entry: Entry; readonly params: Readonly<Record<string, string>> | undefined };
/** More paths, and longer ones, than a bot polls in hundreds of markets. */
const PARSED_MAX = 2000;
const PARSED_LENGTH_MAX = 100;

type Entry = { readonly segments: readonly string[]; readonly byMethod: ReadonlyMap<string, Route> };

/**
 * If a path matches several patterns, the first segment in which they differ decides: a literal wins over a brace. HEAD uses the routes of
 * GET.
 */
export function createRouter(routes: readonly Route[]): Router {
  const plain = new Map<string, Entry>();
  const patterns = new Map<number, Entry[]>();
  for (const [path, entry] of entriesOf(routes)) {
    if (!path.includes("{")) plain.set(path, entry);
    else patterns.set(entry.segments.length, [...(patterns.get(entry.segments.length) ?? []), entry]);
  }
  for (const entries of patterns.values()) entries.sort((a, b) => compare(a.segments, b.segments));
  // Parsed paths are kept, because clients poll the same few.
  const parsed = createOldestOutMap<string, Parsed>(PARSED_MAX);

  function parse(path: string): Parsed | undefined {
    const segments = path.split("/");
    for (const entry of patterns.get(segments.length) ?? []) {
      const captured = capture(entry.segments, segments);
      if (captured !== undefined) return { entry, params: decoded(captured) };
    }
    return undefined;
  }

  return {
    find(method, path) {
      const exact = plain.get(path);
      if (exact !== undefined) return withMethod(exact, method, {});
      const known = parsed.get(path) ?? parse(path);
      if (known === undefined) return { kind: "unknownPath" };
      const { entry, params } = known;
      if (params === undefined) return { kind: "malformedPath" };
      if (path.length <= PARSED_LENGTH_MAX && !parsed.has(path)) parsed.set(path, known);
      return withMethod(entry, method, params);
    },
  };
}

function entriesOf(routes: readonly Route[]): ReadonlyMap<string, Entry> {
  const entries = new Map<string, { segments: readonly string[]; byMethod: Map<string, Route> }>();
  for (const route of routes) {
    const entry = entries.get(route.path) ?? { segments: route.path.split("/"), byMethod: new Map() };
    entry.byMethod.set(route.method, route);
    if (route.method === "GET") entry.byMethod.set("HEAD", route);
    entries.set(route.path, entry);
  }
  return entries;
}

function withMethod(entry: Entry, method: string, params: Readonly<Record<string, string>>): Found {
  const route = entry.byMethod.get(method);
  if (route !== undefined) return { kind: "found", route, params };
  return { kind: "wrongMethod", allowed: [...entry.byMethod.keys()] as Method[] };
}

/** Raw values of the braces, or undefined if the path does not match. */
function capture(pattern: readonly string[], segments: readonly string[]): [string, string][] | undefined {
  const captured: [string, string][] = [];
  for (const [at, expected] of pattern.entries()) {
    const segment = segments[at] ?? "";
    if (expected.startsWith("{") && segment !== "") captured.push([expected.slice(1, -1), segment]);
    else if (expected !== segment) return undefined;
  }
  return captured;
}

function decoded(captured: readonly [string, string][]): Readonly<Record<string, string>> | undefined {
  try {
    return Object.fromEntries(captured.map(([name, raw]) => [name, decodeURIComponent(raw)]));
  } catch {
    return undefined;
  }
}

function compare(a: readonly string[], b: readonly string[]): number {
  for (const [at, segment] of a.entries()) {
    const order = Number(segment.startsWith("{")) - Number(b[at]?.startsWith("{") ?? false);
    if (order !== 0) return order;
  }
  return 0;
}
