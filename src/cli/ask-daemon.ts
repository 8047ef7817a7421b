// Asks a running daemon over its HTTP for its status or its heartbeat, or to do something. No answer means that there is no daemon.

import type { BotConfig } from "../bot/config/config.ts";
import type { Status } from "../bot/dashboard/status.ts";
import { type Heartbeat, readHeartbeat } from "../bot/service/watchdog/heartbeat.ts";
import type { Clock } from "../kernel/clock.ts";

const ANSWER_MS_MAX = 2000;

type Server = BotConfig["server"];

/** `nobody`: no daemon answers. `refused`: it will not, and why. */
export type DaemonAnswer =
  | { readonly kind: "done"; readonly body: unknown }
  | { readonly kind: "refused"; readonly httpStatus: number; readonly why: string }
  | { readonly kind: "nobody" };

/** Undefined when no daemon answers there. */
export async function askStatus(server: Server, clock: Clock): Promise<Status | undefined> {
  const answer = await ask(urlOf(server), "/status.json", { method: "GET" }, { timeoutMs: ANSWER_MS_MAX, clock });
  return answer.kind === "done" ? (answer.body as Status) : undefined;
}

/** Asks the daemon of this exchange to halt until an operator lifts it; true when it did. */
export async function askHalt(
  { server, venue }: Pick<BotConfig, "server" | "venue">,
  reason: string,
  clock: Clock,
): Promise<boolean> {
  const answer = await postToDaemon(server, "/halt", { reason, chainId: venue.chainId }, { clock });
  return answer.kind === "done";
}

/** Undefined when nothing that beats answers within `timeoutMs`. */
export async function askHeartbeat(url: string, timeoutMs: number, clock: Clock): Promise<Heartbeat | undefined> {
  const answer = await ask(url, "/heartbeat", { method: "GET" }, { timeoutMs, clock });
  return answer.kind === "done" ? readHeartbeat(answer.body) : undefined;
}

/** Posts a request. */
export function postToDaemon(
  server: Server,
  path: string,
  request: Readonly<Record<string, unknown>>,
  { clock, timeoutMs = ANSWER_MS_MAX }: { readonly clock: Clock; readonly timeoutMs?: number },
): Promise<DaemonAnswer> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(request) };
  return ask(urlOf(server), path, init, { timeoutMs, clock });
}

/** Where a daemon of this configuration is reached from its own machine. */
export function urlOf({ host, port }: Server): string {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

async function ask(
  url: string,
  path: string,
  init: RequestInit,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
): Promise<DaemonAnswer> {
  const timeout = new AbortController();
  const timer = clock.after(timeoutMs, () => timeout.abort());
  try {
    const response = await fetch(`${url}${path}`, { ...init, redirect: "error", signal: timeout.signal });
    const body: unknown = await response.json();
    if (response.ok) return { kind: "done", body };
    const { error } = body as { readonly error?: unknown };
    return { kind: "refused", httpStatus: response.status, why: String(error) };
  } catch {
    return { kind: "nobody" }; // refused, broken off or no JSON: no daemon of ours
  } finally {
    timer.cancel();
  }
}
