// What a token below the administrator's may do: its scopes, and the scope that each request needs.

const plainScopes = ["read", "propose", "operate", "change"] as const;
/** Name of a signal, as in its path. */
const SIGNAL_SCOPE = /^signal:[A-Za-z0-9_.-]{1,64}$/;

export type Scope = (typeof plainScopes)[number] | `signal:${string}`;

export const isScope = (text: unknown): text is Scope =>
  typeof text === "string" && (plainScopes.some((scope) => scope === text) || SIGNAL_SCOPE.test(text));

export const allowedScopes = [...plainScopes, "signal:NAME"].join(", ");

/** `POST /flatten` and the orders to a whole fleet are absent: only the administrator may. */
const scopesOfPosts: Readonly<Record<string, Scope>> = {
  "/halt": "operate",
  "/reduce": "operate",
  "/resume": "operate",
  "/cancel": "operate",
  "/params": "change",
  "/promote": "change",
  "/preview": "read",
  "/proposals": "propose",
};

/** Returns null for a request that only the administrator's token may make, which includes every path that is not listed. */
export function scopeOf(method: string, path: string): Scope | null {
  if (method === "GET") return "read";
  if (method !== "POST") return null;
  const [, signal] = /^\/signals\/([^/]+)$/.exec(path) ?? [];
  if (signal !== undefined) return `signal:${signal}`;
  if (/^\/proposals\/[^/]+\/(approve|refuse)$/.test(path)) return "change";
  return Object.hasOwn(scopesOfPosts, path) ? (scopesOfPosts[path] ?? null) : null;
}
