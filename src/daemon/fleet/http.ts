// The HTTP of a fleet's node: one listener for all its accounts. Each account's bot answers for itself; answers for the whole node are
// merged.

import type { FleetView } from "../../bot/dashboard/fleet.ts";
import type { Status } from "../../bot/dashboard/status.ts";
import { Watched } from "../../bot/dashboard/watched.ts";
import { FleetError } from "../../bot/fleet/database.ts";
import { readCancelRequest } from "../../bot/service/operator/cancel-order.ts";
import { readRequest } from "../../bot/service/operator/trading-state.ts";
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

/** An empty request, for questions that do not come over HTTP. */
const nothing: HttpRequest = { path: "", query: new URLSearchParams(), isAdmin: true, token: null, body: "" };

export type ShardHttp = Pick<Served, "routes" | "onPost">;

/** The accounts at work on this node, as its HTTP and its signals reach them. */
export class ServedShards {
  readonly #accounts: readonly string[];
  readonly #shards = new Map<string, ShardHttp>();
  /** Accounts that are halted as soon as they are at work. */
  readonly #toHalt = new Set<string>();

  /** `accounts`: all accounts that the node may take. */
  constructor(accounts: readonly string[]) {
    this.#accounts = accounts;
  }

  get all(): ReadonlyMap<string, ShardHttp> {
    return this.#shards;
  }

  /** From now on operators reach the account. */
  serve(account: string, shard: ShardHttp): void {
    this.#shards.set(account, shard);
    if (this.#toHalt.delete(account)) void this.operate(account, "halt", "SIGUSR2");
  }

  remove(account: string): void {
    this.#shards.delete(account);
  }

  /** Halts or resumes one account, as an operator does over HTTP. Does nothing when the account is not at work here. */
  async operate(account: string, verb: "halt" | "resume", reason: string): Promise<void> {
    const body = JSON.stringify({ reason, account });
    await this.#shards.get(account)?.routes.get(`POST /${verb}`)?.({ ...nothing, path: `/${verb}`, body });
  }

  /**
   * SIGUSR2: halts `held`, the accounts that the node holds; an account that is starting, as soon as it is at work. A node that holds none
   * halts each account that it takes, once.
   */
  halt(held: readonly string[]): void {
    for (const account of held.length === 0 ? this.#accounts : held) {
      if (this.#shards.has(account)) void this.operate(account, "halt", "SIGUSR2");
      else this.#toHalt.add(account);
    }
  }
}

/** Routes of each account that is at work on this node. */
export type ShardRoutes = ReadonlyMap<string, Pick<Served, "routes">>;

type NodeFacts = {
  readonly metrics: Metrics;
  readonly about: () => Omit<Status, "accounts" | "reasons" | "fileDifferences" | "proposals" | "phase">;
  readonly troubles: () => readonly string[];
  readonly clock: Clock;
  /** The fleet, for the page; this node's own accounts are added here. Rejects while the database does not answer. */
  readonly fleet: () => Promise<Omit<FleetView, "own" | "troubles">>;
  /** Halts or resumes all accounts on all nodes. Resolves when the database has stored it. Throws FleetError. */
  readonly order: (verb: "halt" | "resume", reason: string) => Promise<void>;
};

/** The node's routes. `shards`: the accounts at work. */
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
      // The accounts share a file, so most differences are the same.
      fileDifferences: [...new Set(all.flatMap(({ fileDifferences }) => fileDifferences))],
      proposals: all.flatMap(({ proposals }) => proposals),
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
      // An account that another node holds answers with an error: the accounts held here count.
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
        // Each account updates its own gauges in the metrics that all share, so the last answer holds everything.
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

/** Halts or resumes every account, whichever node holds it. Answers when the database has stored it. */
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
      // The commit may have succeeded although its answer was lost.
      return json(503, { error: `the fleet's database: ${error.message}; whether it has the ${verb} is not known` });
    }
    return json(200, { done: verb });
  };
