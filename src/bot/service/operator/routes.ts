// The daemon's HTTP as a table: metrics, health, the status, the heartbeat, and what an operator may do.

import type { BotConfig } from "../../config/config.ts";
import type { Meanings } from "../../dashboard/detail.ts";
import type { AtRisk } from "../../dashboard/risk.ts";
import type { Status } from "../../dashboard/status.ts";
import { defaultFlatten } from "../../decider/acting/flatten.ts";
import type { FlattenOptions } from "../../decider/input.ts";
import type { Flattened } from "../../decider/output.ts";
import type { OutsideFeed } from "../../live/outside-feed.ts";
import { holdsOn } from "../../risk/latches.ts";
import { type HttpAnswer, type HttpRequest, json, plain, type Routes } from "../../telemetry/http.ts";
import { exposition, type Metrics } from "../../telemetry/metrics.ts";
import { loopTiming } from "../../timing.ts";
import type { Heartbeat } from "../watchdog/heartbeat.ts";
import { type CanceledOrder, type CancelRefusal, type CancelRequest, readCancelRequest } from "./cancel-order.ts";
import { type ParamsRequest, readParamsRequest } from "./params.ts";
import { type Preview, type PreviewRequest, readPreviewRequest } from "./preview.ts";
import { type Promoted, type PromoteRequest, readPromoteRequest } from "./promotions.ts";
import type { Proposals, Verdict } from "./proposals.ts";
import { pushSignal } from "./push-signal.ts";
import { showHeldAlready, showLatch, stateOf } from "./show.ts";
import {
  fieldsOf,
  type Operated,
  type OperatorRefusal,
  type OperatorRequest,
  type OperatorVerb,
  operatorVerbs,
  readRequest,
} from "./trading-state.ts";

export type RouteModules = {
  readonly metrics: Metrics;
  readonly status: () => Status;
  /** Returns the possible loss, computed now. */
  readonly atRisk: () => AtRisk;
  /** What settings mean, and in which direction limits may go. */
  readonly meanings: () => Meanings;
  /** Sets gauges that are only computed on request. */
  readonly refresh: () => void;
  /** Milliseconds since the loop last turned. */
  readonly sinceTurnMs: () => number;
  readonly heartbeat: () => Heartbeat;
  readonly operate: (verb: OperatorVerb, request: OperatorRequest) => readonly Operated[] | OperatorRefusal;
  /** Sets parameters and lowers limits; resolves with the resulting configuration. */
  readonly change: (request: ParamsRequest) => Promise<BotConfig | OperatorRefusal>;
  /** Resolves with what another configuration would do now; nothing changes. */
  readonly preview: (request: PreviewRequest) => Promise<Preview | OperatorRefusal>;
  /** Makes a market's shadow the strategy that trades. */
  readonly promote: (request: PromoteRequest) => Promise<Promoted | OperatorRefusal>;
  readonly proposals: Pick<Proposals, "list" | "propose" | "decide">;
  /** Takes pushed values of signals. */
  readonly outside: Pick<OutsideFeed, "admits" | "push">;
  readonly cancel: (request: CancelRequest) => Promise<CanceledOrder | CancelRefusal>;
  /** Null while not every market is halted. */
  readonly flatten: (options: FlattenOptions) => Promise<readonly Flattened[]> | null;
};

type Handler = Routes extends ReadonlyMap<string, infer H> ? H : never;

export function routesOf(modules: RouteModules): Routes {
  const { metrics, status, atRisk, meanings, refresh, sinceTurnMs, heartbeat } = modules;
  const { operate, cancel, flatten, change, preview, promote, proposals, outside } = modules;
  return new Map<string, Handler>([
    [
      "GET /livez",
      () =>
        sinceTurnMs() < loopTiming.stuckMs ? plain(200, "turning") : plain(503, `no turn for ${sinceTurnMs()} ms`),
    ],
    ["GET /readyz", () => readiness(status())],
    [
      "GET /metrics",
      async () => {
        refresh();
        return { status: 200, type: metrics.ofProcess.contentType, body: "", parts: exposition(metrics) };
      },
    ],
    ["GET /status.json", () => json(200, status())],
    ["GET /risk.json", () => json(200, atRisk())],
    ["GET /meanings.json", () => json(200, meanings())],
    ["GET /heartbeat", () => json(200, heartbeat())],
    ...operatorVerbs.map((verb): [string, Handler] => [`POST /${verb}`, ({ body }) => operateBy(verb, body, operate)]),
    ["POST /cancel", ({ body }) => cancelBy(body, cancel)],
    ["POST /params", ({ body }) => changeBy(body, change)],
    ["POST /preview", (request) => previewBy(request, preview)],
    ["POST /promote", ({ body }) => promoteBy(body, promote)],
    ["GET /proposals", () => json(200, { proposals: proposals.list() })],
    ["POST /proposals", ({ body, token }) => proposeBy(body, token, proposals)],
    ["POST /proposals/*/approve", (request) => decideBy(request, "approve", proposals)],
    ["POST /proposals/*/refuse", (request) => decideBy(request, "refuse", proposals)],
    ["POST /signals/*", ({ path, body }) => pushBy(path, body, outside)],
    ["POST /flatten", ({ body }) => flattenBy(body, status().chainId, flatten)],
  ]);
}

function readiness({ phase, reasons }: Status): HttpAnswer {
  return json(reasons.length === 0 ? 200 : 503, { ready: reasons.length === 0, phase, reasons });
}

function operateBy(verb: OperatorVerb, body: string, operate: RouteModules["operate"]): HttpAnswer {
  const request = readRequest(body, verb);
  const done = "kind" in request ? request : operate(verb, request);
  if ("kind" in done) return refusal(done);
  const { marketId: market } = request as OperatorRequest;
  const accounts = done.map(({ desk, lifted, heldAlready, isWritten }) => ({
    accountId: `${desk.accountId}`,
    state: stateOf(desk, null),
    markets: [...desk.markets.keys()].map((marketId) => ({ marketId, state: stateOf(desk, marketId) })),
    latches: desk.latches.map(showLatch),
    lifted: lifted.map(showLatch),
    holds: holdsOn(desk.latches, desk.accountId, market).map(showLatch),
    heldAlready: heldAlready === null ? null : showHeldAlready(heldAlready),
    isWritten,
  }));
  return json(200, { done: verb, accounts });
}

const refusalStatus = { malformed: 400, elsewhere: 404, closed: 409, busy: 429, unanswered: 504 } as const;

const refusal = ({ kind, why }: CancelRefusal): HttpAnswer => json(refusalStatus[kind], { error: why });

async function cancelBy(body: string, cancel: RouteModules["cancel"]): Promise<HttpAnswer> {
  const request = readCancelRequest(body);
  const done = "kind" in request ? request : await cancel(request);
  if ("kind" in done) return refusal(done);
  return json(200, { done: "cancel", ...done });
}

async function changeBy(body: string, change: RouteModules["change"]): Promise<HttpAnswer> {
  const request = readParamsRequest(body);
  const done = "kind" in request ? request : await change(request);
  if ("kind" in done) return refusal(done);
  return json(200, { done: "params", config: done.hash, settings: done.settings });
}

async function previewBy({ body, isAdmin }: HttpRequest, preview: RouteModules["preview"]): Promise<HttpAnswer> {
  const request = readPreviewRequest(body);
  // Reading a configuration loads its strategies into the process that holds the agent key.
  if ("file" in request && !isAdmin)
    return json(403, { error: "only the administrator's token may preview a file; preview a change instead" });
  const done = "kind" in request ? request : await preview(request);
  if ("kind" in done) return refusal(done);
  return json(200, done);
}

async function promoteBy(body: string, promote: RouteModules["promote"]): Promise<HttpAnswer> {
  const request = readPromoteRequest(body);
  const done = "kind" in request ? request : await promote(request);
  if ("kind" in done) return refusal(done);
  return json(200, done);
}

async function proposeBy(
  body: string,
  token: string | null,
  proposals: RouteModules["proposals"],
): Promise<HttpAnswer> {
  const done = await proposals.propose(body, token);
  return "kind" in done ? refusal(done) : json(200, done);
}

/** The id is the whole request. A body with keys is refused rather than ignored. */
async function decideBy(
  { path, body, token }: HttpRequest,
  verdict: Verdict,
  proposals: RouteModules["proposals"],
): Promise<HttpAnswer> {
  const fields = fieldsOf(body);
  if (fields === undefined || Object.keys(fields).length > 0) return json(400, { error: "the body must be {}" });
  const done = await proposals.decide(path.split("/")[2] ?? "", verdict, token);
  return "kind" in done ? refusal(done) : json(200, done);
}

async function flattenBy(body: string, chainId: string, flatten: RouteModules["flatten"]): Promise<HttpAnswer> {
  const wanted = flattenRequest(body);
  if (wanted === undefined) {
    return json(400, { error: `the body must be {} or {"maxSlippageBps":N}, from 1 to ${SLIPPAGE_BPS_MAX}` });
  }
  if (wanted.chainId !== chainId && wanted.chainId !== null) {
    return json(404, { error: `this daemon trades on ${chainId}` });
  }
  const closing = flatten({ ...defaultFlatten, maxSlippageBps: wanted.maxSlippageBps });
  if (closing === null) return json(409, { error: "not halted: quotes would open again what this closes; halt first" });
  const accounts = (await closing).map(({ accountId, kind, lines }) => ({ accountId: `${accountId}`, kind, lines }));
  return json(200, { accounts });
}

function pushBy(path: string, body: string, outside: RouteModules["outside"]): HttpAnswer {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const refused = pushSignal(name, body, outside);
  return refused === null ? json(200, { done: "signal", name }) : json(refused.status, { error: refused.why });
}

const SLIPPAGE_BPS_MAX = 5000;

type FlattenRequest = { readonly maxSlippageBps: number; readonly chainId: string | null };

function flattenRequest(body: string): FlattenRequest | undefined {
  try {
    const fields = JSON.parse(body === "" ? "{}" : body) as Readonly<Record<string, unknown>>;
    const { maxSlippageBps = defaultFlatten.maxSlippageBps, chainId = null, ...unknown } = fields;
    if (Object.keys(unknown).length > 0 || (typeof chainId !== "string" && chainId !== null)) return undefined;
    const whole = Number.isInteger(maxSlippageBps) ? (maxSlippageBps as number) : 0;
    return whole >= 1 && whole <= SLIPPAGE_BPS_MAX ? { maxSlippageBps: whole, chainId } : undefined;
  } catch {
    return undefined;
  }
}
