// One HTTP listener for all accounts of a node: each account's bot answers for itself, and what is asked of all is put together.

import type { FleetView } from "../../bot/dashboard/fleet.ts";
import type { Status } from "../../bot/dashboard/status.ts";
import { Watched } from "../../bot/dashboard/watched.ts";
import { FleetError } from "../../bot/fleet/database.ts";
import { readCancelRequest } from "../../bot/service/operator/cancel-order.ts";
import { readRequest } from "../../bot/service/operator/operator.ts";
import {
  type HttpAnswer,
  type HttpRequest,
  json,
  plain,
  type Routes,
  type Served,
  stream,
} from "../../bot/telemetry/http.ts";
import { exposition, type Metrics } from "../../bot/telemetry/metrics.ts";
import type { Clock } from "../../kernel/clock.ts";

/** A question that nobody asked over HTTP. */
const nothing: HttpRequest = { path: "", query: new URLSearchParams(), body: "" };

/** Of each account that is at work here. */
export type ShardRoutes = ReadonlyMap<string, Pick<Served, "routes">>;

type NodeFacts = {
  readonly metrics: Metrics;
  readonly about: () => Omit<Status, "accounts" | "reasons" | "fileDifferences" | "phase">;
  readonly troubles: () => readonly string[];
  readonly clock: Clock;
  /** For the fleet's page, whose own accounts are added here. Rejects while the database does not answer. */
  readonly fleet: () => Promise<Omit<FleetView, "own" | "troubles">>;
  /** Of all accounts on all nodes; resolves when the database has it. Throws FleetError. */
  readonly order: (verb: "halt" | "resume", reason: string) => Promise<void>;
};

/** `held`: accounts of this node, those that are starting included. `about`: what the node is, for its status. */
export function nodeRoutes(shards: ShardRoutes, node: NodeFacts): Routes {
  const each = async (key: string, request: HttpRequest): Promise<readonly HttpAnswer[]> =>
    Promise.all([...shards.values()].flatMap(({ routes }) => routes.get(key)?.(request) ?? []));
  const ofAccount = (account: string, key: string, request: HttpRequest) =>
    shards.get(account)?.routes.get(key)?.(request) ??
    json(404, { error: `this node does not hold account ${account}` });
  const status = async (request: HttpRequest): Promise<Status> => {
    const all = (await each("GET /status.json", request)).map(({ body }) => JSON.parse(body) as Status);
    const first = all[0];
    return {
      ...(first ?? node.about()),
      phase: first?.phase ?? "trading",
      reasons: [
        ...node.troubles(),
        ...(all.length === 0 ? ["the node holds no account"] : all.flatMap(({ reasons }) => reasons)),
      ],
      // The accounts share a file, and mostly differ from it in the same.
      fileDifferences: [...new Set(all.flatMap(({ fileDifferences }) => fileDifferences))],
      accounts: all.flatMap(({ accounts }) => accounts),
    };
  };
  let seen: Awaited<ReturnType<typeof node.fleet>> | null = null;
  const page = new Watched(node.clock, async (): Promise<FleetView | null> => {
    const { accounts } = await status(nothing);
    seen = await node.fleet().catch(() => seen);
    const own = Object.fromEntries(accounts.map(({ accountId, latches }) => [accountId, latches]));
    return seen && { ...seen, own, troubles: node.troubles() };
  });
  const operate =
    (verb: string) =>
    async (request: HttpRequest): Promise<HttpAnswer> => {
      const answers = await each(`POST /${verb}`, request);
      const done = answers.filter((answer) => answer.status === 200);
      // An account that another node holds is not one of ours: the others answer for the request.
      if (done.length === 0) return answers[0] ?? json(404, { error: "this node holds no account" });
      const accounts = done.flatMap(({ body }) => (JSON.parse(body) as { accounts: unknown[] }).accounts);
      return json(200, { done: verb, accounts });
    };
  const cancelOf = (request: HttpRequest) => {
    const wanted = readCancelRequest(request.body);
    if ("kind" in wanted) return json(400, { error: wanted.why });
    return ofAccount(`${wanted.accountId}`, "POST /cancel", request);
  };
  return new Map<string, (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>>([
    [
      "GET /livez",
      async (request) =>
        (await each("GET /livez", request)).find((answer) => answer.status !== 200) ?? plain(200, "turning"),
    ],
    [
      "GET /readyz",
      async (request) => {
        const { phase, reasons } = await status(request);
        return json(reasons.length === 0 ? 200 : 503, { ready: reasons.length === 0, phase, reasons });
      },
    ],
    [
      "GET /metrics",
      async (request) => {
        // Each brings its own gauges up to date; all of them write the same metrics.
        const shown = (await each("GET /metrics", request)).at(-1);
        const type = node.metrics.ofProcess.contentType;
        return shown ?? { status: 200, type, body: "", parts: exposition(node.metrics) };
      },
    ],
    [
      "GET /events",
      (request) => {
        const account = request.query.get("account");
        return account === null ? stream((sink) => page.open(sink)) : ofAccount(account, "GET /events", request);
      },
    ],
    ["GET /risk.json", (request) => ofAccount(request.query.get("account") ?? "", "GET /risk.json", request)],
    ["GET /meanings.json", (request) => ofAccount(request.query.get("account") ?? "", "GET /meanings.json", request)],
    ["GET /status.json", async (request) => json(200, await status(request))],
    ...["halt", "reduce", "resume", "flatten"].map((verb) => [`POST /${verb}`, operate(verb)] as const),
    ["POST /cancel", (request) => cancelOf(request)],
    ...(["halt", "resume"] as const).map((verb) => [`POST /fleet/${verb}`, orderFleet(verb, node)] as const),
  ]);
}

/** Of every account, whichever node holds it; answered when the database has it. */
const orderFleet =
  (verb: "halt" | "resume", { order, about }: Pick<NodeFacts, "order" | "about">) =>
  async ({ body }: HttpRequest): Promise<HttpAnswer> => {
    const request = readRequest(body, verb);
    if ("kind" in request) return json(400, { error: request.why });
    const { reason, accountId, marketId, latch } = request;
    if (accountId !== null || marketId !== null || latch !== null)
      return json(400, { error: `fleet/${verb} is of every account: account, market and latch are for ${verb}` });
    const { chainId } = about();
    if (request.chainId !== null && request.chainId !== chainId)
      return json(404, { error: `this fleet trades on ${chainId}` });
    try {
      await order(verb, reason);
    } catch (error) {
      if (!(error instanceof FleetError)) throw error;
      // A commit whose answer was lost counts.
      return json(503, { error: `the fleet's database: ${error.message}; whether it has the ${verb} is not known` });
    }
    return json(200, { done: verb });
  };
