// Asks a running daemon over its HTTP for its status or its heartbeat, or to do something. No answer means that there is no daemon.

import type { BotConfig } from "../bot/config/config.ts";
import type { Status } from "../bot/dashboard/status.ts";
import { KeyFileError } from "../bot/execution/key-file.ts";
import { type Heartbeat, readHeartbeat } from "../bot/service/watchdog/heartbeat.ts";
import type { Clock } from "../kernel/clock.ts";
import { findToken } from "./admin-token.ts";
import type { Host } from "./host.ts";

const ANSWER_MS_MAX = 2000;

type Server = BotConfig["server"];

/** `nobody`: no daemon answers. `refused`: it will not, and why. */
export type DaemonAnswer = { readonly kind: "done"; readonly body: unknown } | Refused | { readonly kind: "nobody" };
export type Refused = { readonly kind: "refused"; readonly httpStatus: number; readonly why: string };

/** The daemon of a configuration, with what it asks for. */
export type Daemon = { readonly url: string; readonly token: string | undefined; readonly clock: Clock };

/** A token that cannot be read is said on stderr: the daemon is asked all the same, and refuses. */
export function daemonOf(config: Pick<BotConfig, "file" | "server">, host: Host): Daemon {
  const daemon = { url: urlOf(config.server), clock: host.clock };
  try {
    return { ...daemon, token: findToken(config, host)?.token };
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    host.stderr(`quoin: ${error.message}\n`);
    return { ...daemon, token: undefined };
  }
}

/** Undefined when no daemon answers there. */
export async function askStatus({ url, token, clock }: Daemon): Promise<Status | undefined> {
  const init = { method: "GET", headers: authorized(token) };
  const answer = await ask(url, "/status.json", init, { timeoutMs: ANSWER_MS_MAX, clock });
  return answer.kind === "done" ? (answer.body as Status) : undefined;
}

/** Undefined when nothing that beats answers within `timeoutMs`. */
export async function askHeartbeat(
  url: string,
  timeoutMs: number,
  clock: Clock,
): Promise<Heartbeat | Refused | undefined> {
  const answer = await ask(url, "/heartbeat", { method: "GET" }, { timeoutMs, clock });
  if (answer.kind === "refused" && isWrongPlace(answer)) return answer;
  return answer.kind === "done" ? readHeartbeat(answer.body) : undefined;
}

/** Whoever answers there is no daemon of this configuration, or does not know its token or its name. */
export const isWrongPlace = ({ httpStatus }: Refused): boolean => [401, 403, 404].includes(httpStatus);

/** Posts a request. */
export function postToDaemon(
  { url, token, clock }: Daemon,
  path: string,
  request: Readonly<Record<string, unknown>>,
  timeoutMs = ANSWER_MS_MAX,
): Promise<DaemonAnswer> {
  const headers = { ...authorized(token), "content-type": "application/json" };
  return ask(url, path, { method: "POST", headers, body: JSON.stringify(request) }, { timeoutMs, clock });
}

const authorized = (token: string | undefined): Readonly<Record<string, string>> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

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
    if (response.ok) return { kind: "done", body: await response.json() };
    return { kind: "refused", httpStatus: response.status, why: whyIn(await response.text()) };
  } catch {
    return { kind: "nobody" }; // refused, broken off or no JSON: no daemon of ours
  } finally {
    timer.cancel();
  }
}

/** Of a daemon's answer its words; of anybody else's its beginning. */
function whyIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    return String(error);
  } catch {
    return text.trim().slice(0, 200);
  }
}
