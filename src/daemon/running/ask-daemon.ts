// Requests to a running daemon over its HTTP: its status, its heartbeat, an operator's act. No answer means that no daemon runs.

import { once } from "node:events";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import https from "node:https";
import type { BotConfig } from "../../bot/config/config.ts";
import type { Status } from "../../bot/dashboard/status.ts";
import { type Heartbeat, readHeartbeat } from "../../bot/service/watchdog/heartbeat.ts";
import type { Host } from "../../host/host.ts";
import type { Clock } from "../../kernel/clock.ts";
import * as http from "../../kernel/node-http.ts";
import { printable } from "../../kernel/printable.ts";
import { PrivateFileError } from "../../kernel/private-file.ts";
import { findToken } from "./admin-token.ts";
import { runningDaemon, urlOf } from "./running-daemon.ts";

const ANSWER_MS_MAX = 2000;

/** `nobody`: no daemon answers. `refused`: the daemon does not do it, with its reason. */
export type DaemonAnswer = { readonly kind: "done"; readonly body: unknown } | Refused | { readonly kind: "nobody" };
export type Refused = { readonly kind: "refused"; readonly httpStatus: number; readonly why: string };

export type Daemon = { readonly url: string; readonly token: string | undefined; readonly clock: Clock };

/**
 * The daemon that runs on this configuration or at its address. Without a known daemon, the address and token that the configuration names.
 * A file that cannot be trusted is named on stderr and not used; without a token the daemon refuses.
 */
export async function findDaemon(config: Pick<BotConfig, "file" | "server">, host: Host): Promise<Daemon> {
  const running = await trusted(() => runningDaemon(config, host), host);
  const token = await trusted(() => findToken(config, host, running)?.token, host);
  return { url: running?.url ?? urlOf(config.server), token, clock: host.clock };
}

async function trusted<T>(read: () => T | Promise<T>, host: Host): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof PrivateFileError)) throw error;
    host.stderr(`quoin: ${error.message}\n`);
    return undefined;
  }
}

/** Undefined when no daemon answers there. */
export const askStatus = async (daemon: Daemon): Promise<Status | undefined> =>
  (await get(daemon, "/status.json")) as Status | undefined;

/** `{ file }`, the path of its ledger. Undefined when no daemon answers there. */
export const askLedger = (daemon: Daemon): Promise<unknown> => get(daemon, "/ledger.json");

/** `{ proposals }`. */
export const askProposals = (daemon: Daemon): Promise<DaemonAnswer> => getFromDaemon(daemon, "/proposals");

async function get(daemon: Daemon, path: string): Promise<unknown> {
  const answer = await getFromDaemon(daemon, path);
  return answer.kind === "done" ? answer.body : undefined;
}

export function getFromDaemon(
  { url, token, clock }: Daemon,
  path: string,
  timeoutMs = ANSWER_MS_MAX,
): Promise<DaemonAnswer> {
  return ask(url, path, { method: "GET", headers: authorized(token) }, { timeoutMs, clock });
}

/** Undefined when no heartbeat comes within `timeoutMs`. */
export async function askHeartbeat(
  url: string,
  timeoutMs: number,
  clock: Clock,
): Promise<Heartbeat | Refused | undefined> {
  const answer = await ask(url, "/heartbeat", { method: "GET" }, { timeoutMs, clock });
  if (answer.kind === "refused" && isWrongPlace(answer)) return answer;
  return answer.kind === "done" ? readHeartbeat(answer.body) : undefined;
}

/** The answer is not from this configuration's daemon, or the daemon does not accept the token or the host name. */
export const isWrongPlace = ({ httpStatus }: Refused): boolean => [401, 403, 404].includes(httpStatus);

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

type Init = { readonly method: string; readonly headers?: OutgoingHttpHeaders; readonly body?: string };

async function ask(
  url: string,
  path: string,
  init: Init,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
): Promise<DaemonAnswer> {
  const timeout = new AbortController();
  const timer = clock.after(timeoutMs, () => timeout.abort());
  try {
    const { status, text } = await send(`${url}${path}`, init, timeout.signal);
    if (status >= 200 && status < 300) return { kind: "done", body: JSON.parse(text) };
    if (status >= 300 && status < 400) return { kind: "nobody" }; // A daemon never redirects.
    return { kind: "refused", httpStatus: status, why: printable(whyIn(text)) };
  } catch {
    return { kind: "nobody" }; // No connection, no full answer, or no JSON: not a daemon of ours.
  } finally {
    timer.cancel();
  }
}

/**
 * Uses an agent of its own. With NODE_USE_ENV_PROXY, fetch and the global agent go through the environment's proxy: the token would reach
 * the proxy, and the daemon on this machine would seem to be gone.
 */
async function send(url: string, { body, ...options }: Init, signal: AbortSignal) {
  const { request, Agent } = url.startsWith("https:") ? https : http;
  const asked = request(url, { ...options, agent: new Agent(), signal });
  asked.on("error", () => {}); // An error after the response also ends the reading below.
  asked.end(body);
  const [response] = (await once(asked, "response", { signal })) as [IncomingMessage];
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return { status: response.statusCode ?? 0, text };
}

/** The daemon's reason; of any other server's answer its first 200 characters. */
function whyIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    if (typeof error === "string") return error;
  } catch {} // Not JSON: another server's answer.
  return text.trim().slice(0, 200);
}
