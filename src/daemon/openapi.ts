// The daemon's HTTP as an OpenAPI 3.1 document, served as GET /openapi.json: what each route takes and answers, and the scope that it needs.

import { periods } from "../bot/report/columns.ts";
import { ROWS_MAX } from "../bot/report/question.ts";
import { previewChanges } from "../bot/service/operator/preview.ts";
import { scopeOf } from "../bot/telemetry/scopes.ts";
import { liftables } from "../domain/latch.ts";

type Schema = Readonly<Record<string, unknown>>;

/** `answer`: the schema of a JSON answer with status 200, or the type of another one. `refusals`: statuses of an expected refusal. */
type Operation = {
  readonly id: string;
  readonly summary: string;
  readonly query?: Readonly<Record<string, Schema>>;
  readonly body?: Schema;
  readonly answer: Schema | "text/plain" | "text/event-stream";
  readonly refusals?: readonly number[];
};

const text = { type: "string" };
const texts = { type: "array", items: text };
const number = { type: "number" };
const whole = { type: "integer" };
const time = { type: "string", description: "a date or time of ISO 8601, UTC unless it names a zone" };
const account = { type: ["string", "integer"], pattern: "^\\d{1,20}$", description: "an account id" };
const market = { type: "integer", minimum: 0, maximum: 65_535, description: "a market id" };
const reason = { type: "string", minLength: 1, maxLength: 200, description: "why; kept in the ledger" };
const chainId = { type: "string", description: "the exchange that is meant; another one is refused" };
const values = { type: "object", minProperties: 1, description: "values by name, as in the configuration's file" };
const path = {
  type: "string",
  description: "accounts.ID.markets.ID.params.NAME, accounts.ID.markets.ID.limits.NAME or accounts.ID.limits.NAME",
};

/** Exactly these keys; `optional` may be absent. */
const body = (required: Readonly<Record<string, Schema>>, optional: Readonly<Record<string, Schema>> = {}): Schema => ({
  type: "object",
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
});

/** At least these keys. */
const answer = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});
const listOf = (items: Schema): Schema => ({ type: "array", items });

const within = { from: time, to: time, market };
const limit = { type: "integer", minimum: 1, maximum: ROWS_MAX, description: "the newest rows" };
const narrowed = { chainId, account, market };
const change = { account, params: values, limits: values };
const operated = answer({
  done: text,
  accounts: listOf(
    answer({
      accountId: text,
      state: text,
      latches: texts,
      lifted: texts,
      holds: texts,
      isWritten: { type: "boolean" },
    }),
  ),
});
const proposal = answer({
  id: text,
  state: { enum: ["open", "approved", "refused", "expired", "stale"] },
  path: text,
  value: {},
  by: text,
  reason: text,
  difference: texts,
  expiresAt: time,
  text,
});
const preview = answer({
  markets: listOf(
    answer({
      accountId: text,
      marketId: whole,
      change: { enum: previewChanges },
      keeps: whole,
      cancels: whole,
      modifies: whole,
      places: whole,
    }),
  ),
  beside: texts,
});
const rows = (name: string): Schema => answer({ [name]: listOf({ type: "object" }) });

/** Keys are `METHOD /path`, as the document writes them. */
export const operations: Readonly<Record<string, Operation>> = {
  "GET /livez": { id: "livez", summary: "200 while the process turns", answer: "text/plain", refusals: [503] },
  "GET /readyz": {
    id: "readyz",
    summary: "200 when able to trade, else 503 with every reason",
    answer: answer({ ready: { type: "boolean" }, phase: text, reasons: texts }),
    refusals: [503],
  },
  "GET /metrics": { id: "metrics", summary: "Metrics of Prometheus", answer: "text/plain" },
  "GET /heartbeat": {
    id: "heartbeat",
    summary: "For the watchdog",
    answer: answer({ phase: text, turns: whole, kept: texts }),
  },
  "GET /status.json": {
    id: "status",
    summary: "Accounts, markets, orders, gates, halts, PnL, open proposals",
    answer: answer({
      version: text,
      config: text,
      chainId: text,
      phase: text,
      reasons: texts,
      fileDifferences: texts,
      proposals: listOf(proposal),
      accounts: listOf(
        answer({
          accountId: text,
          state: text,
          latches: texts,
          markets: listOf(answer({ marketId: whole, name: text, position: number })),
        }),
      ),
    }),
  },
  "GET /events": {
    id: "events",
    summary: "The page's live stream: a snapshot, then an update a second",
    answer: "text/event-stream",
  },
  "GET /risk.json": {
    id: "risk",
    summary: "What would be lost now",
    answer: answer({ atMs: number, accounts: listOf({ type: "object" }) }),
  },
  "GET /meanings.json": {
    id: "meanings",
    summary: "What settings mean",
    answer: answer({ limits: { type: "object" }, params: { type: "object" } }),
  },
  "GET /log.json": {
    id: "log",
    summary: "What changed, oldest first",
    answer: answer({ notes: listOf(answer({ atMs: number, text })) }),
  },
  "GET /ledger.json": {
    id: "ledger",
    summary: "Where the ledger's file is",
    answer: answer({ file: { type: ["string", "null"] } }),
  },
  "GET /trades.json": {
    id: "trades",
    summary: "Fills, oldest first",
    query: { ...within, limit },
    answer: rows("trades"),
    refusals: [400, 503],
  },
  "GET /pnl.json": {
    id: "pnl",
    summary: "PnL by period, account, market and source",
    query: { ...within, by: { enum: periods }, limit },
    answer: rows("pnl"),
    refusals: [400, 503],
  },
  "GET /report.json": {
    id: "report",
    summary: "A period: PnL, markouts, time quoted, halts, changes",
    query: within,
    answer: answer({ kind: text, from: time, to: time, seconds: whole, about: texts }),
    refusals: [400, 503],
  },
  "GET /proposals": {
    id: "proposals",
    summary: "Proposals of this run, oldest first",
    answer: answer({ proposals: listOf(proposal) }),
  },
  "GET /openapi.json": { id: "openapi", summary: "This document", answer: { type: "object" } },
  "POST /halt": {
    id: "halt",
    summary: "Cancels every order of ours and blocks new ones until resume",
    body: body({}, { reason, ...narrowed }),
    answer: operated,
    refusals: [400, 404],
  },
  "POST /reduce": {
    id: "reduce",
    summary: "Allows only what reduces positions",
    body: body({ reason }, narrowed),
    answer: operated,
    refusals: [400, 404],
  },
  "POST /resume": {
    id: "resume",
    summary: "Lifts halts",
    body: body({ reason }, { ...narrowed, latch: { enum: liftables } }),
    answer: operated,
    refusals: [400, 404],
  },
  "POST /cancel": {
    id: "cancel",
    summary: "Cancels one order of ours",
    body: body({ account, order: account }, { chainId }),
    answer: answer({ done: text, accountId: text, marketId: whole, orderId: text, isConfirmed: { type: "boolean" } }),
    refusals: [400, 404, 409, 504],
  },
  "POST /flatten": {
    id: "flatten",
    summary: "Closes positions reduce-only; everything must be halted",
    body: body({}, { maxSlippageBps: { type: "integer", minimum: 1, maximum: 5000 }, chainId }),
    answer: answer({ accounts: listOf(answer({ accountId: text, kind: text, lines: texts })) }),
    refusals: [400, 404, 409],
  },
  "POST /params": {
    id: "params",
    summary: "Changes parameters within their bounds and tightens limits",
    body: body({ reason, account }, { market, params: values, limits: values }),
    answer: answer({ done: text, config: text, settings: listOf(answer({ path: text, value: {} })) }),
    refusals: [400],
  },
  "POST /preview": {
    id: "preview",
    summary: "What a change would do now; only the administrator may name a file",
    body: {
      oneOf: [body({ account }, { ...change, market, reason }), body({ file: text }), body({ saved: { const: true } })],
    },
    answer: preview,
    refusals: [400, 404],
  },
  "POST /promote": {
    id: "promote",
    summary: "Makes a market's shadow the strategy that trades",
    body: body({ account, market }),
    answer: answer({ accountId: text, marketId: whole, from: text, to: text, kept: whole, canceled: whole }),
    refusals: [400, 404],
  },
  "POST /proposals": {
    id: "propose",
    summary: "Proposes a change, which a person approves or refuses within ten minutes",
    body: body({ path, value: {}, reason }),
    answer: proposal,
    refusals: [400, 429],
  },
  "POST /proposals/{id}/approve": {
    id: "approve",
    summary: "Carries a proposal out",
    body: body({}),
    answer: proposal,
    refusals: [400, 404, 409],
  },
  "POST /proposals/{id}/refuse": {
    id: "refuse",
    summary: "Closes a proposal",
    body: body({}),
    answer: proposal,
    refusals: [400, 404, 409],
  },
  "POST /signals/{id}": {
    id: "pushSignal",
    summary: "Takes a value of a pushed signal",
    body: body({ value: { type: ["string", "number"] }, asOf: text }),
    answer: answer({ done: text, name: text }),
    refusals: [400, 404, 413, 429],
  },
};

const meanings: Readonly<Record<number, string>> = {
  400: "malformed, or what the request asks for is not allowed",
  401: "no token, or a wrong one",
  403: "the token lacks the scope, or Host or Origin is another's",
  404: "not of this daemon",
  409: "over, not the caller's to decide, or not possible in this state",
  429: "too many or too soon",
  503: "not now",
  504: "the exchange did not answer: unknown",
};

export function openApiOf(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [route, operation] of Object.entries(operations)) {
    const [method = "", at = ""] = route.split(" ");
    paths[at] = { ...paths[at], [method.toLowerCase()]: described(method, at, operation) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "The daemon of Quoin",
      version,
      description:
        "Reads are open on loopback unless server.requireTokenForReads says otherwise. Each operation names the scope that its token needs.",
    },
    paths,
    components: {
      schemas: { Refusal: answer({ error: text }) },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

function described(
  method: string,
  at: string,
  { id, summary, query = {}, body: taken, answer: given, refusals = [] }: Operation,
): object {
  const needed = scopeOf(method, at.replace("{id}", "ID"));
  const isOpen = ["livez", "readyz", "heartbeat", "metrics"].includes(id);
  const refused = { content: { "application/json": { schema: { $ref: "#/components/schemas/Refusal" } } } };
  const statuses = [...refusals, ...(isOpen ? [403] : [401, 403])];
  const type = typeof given === "string" ? given : "application/json";
  return {
    operationId: id,
    summary,
    description: isOpen
      ? "Needs no token."
      : `Needs ${needed === null ? "the administrator's token" : `the scope ${needed}`}.`,
    parameters: [
      ...(at.includes("{id}") ? [{ name: "id", in: "path", required: true, schema: text }] : []),
      ...Object.entries(query).map(([name, schema]) => ({ name, in: "query", required: false, schema })),
    ],
    ...(taken !== undefined && { requestBody: { required: true, content: { "application/json": { schema: taken } } } }),
    responses: {
      200: { description: "done", content: { [type]: { schema: typeof given === "string" ? text : given } } },
      ...Object.fromEntries(
        statuses.toSorted().map((status) => [status, { description: meanings[status] ?? "refused", ...refused }]),
      ),
    },
    security: isOpen ? [] : method === "GET" ? [{}, { token: [] }] : [{ token: [] }],
  };
}
