// OpenAPI 3.1 document of one host, generated from its routes and message descriptions.

import { type Json, stringifyJson } from "../../../kernel/json.ts";
import { eventSchema, eventSchemas } from "../../../wire/answer/events.ts";
import { answerSchema, failure, refusal, success } from "../../../wire/answer.ts";
import type { JsonSchema } from "../../../wire/description.ts";
import { envelope, hostedRequest } from "../../../wire/envelope.ts";
import * as accounts from "../../../wire/rest/accounts.ts";
import * as exchange from "../../../wire/rest/exchange.ts";
import * as markets from "../../../wire/rest/markets.ts";
import { transaction, variants } from "../../../wire/transaction.ts";
import { type Operation, type Parameter, pathParameter } from "./operation.ts";

/** Named schemas, which client generators turn into classes; each variant of a union is among them. All others are inline. */
const named: Readonly<Record<string, JsonSchema>> = {
  Account: accounts.account.schema,
  Answer: answerSchema,
  Block: exchange.block.schema,
  Envelope: envelope.schema,
  Funding: markets.funding.schema,
  HostedRequest: hostedRequest.schema,
  Market: markets.market.schema,
  NodeInfo: exchange.node.schema,
  Oracle: markets.oracle.schema,
  Order: accounts.order.schema,
  OrderBook: markets.book.schema,
  Position: accounts.position.schema,
  RateLimit: accounts.requestBudget.schema,
  Refusal: refusal.schema,
  ReportedEvent: eventSchema,
  Succeeded: success.schema,
  Failed: failure.schema,
  Transaction: transaction.schema,
  ...Object.fromEntries(
    variants.flatMap(({ name, content, whole }) => [
      [name, content],
      [`${name}Transaction`, whole],
    ]),
  ),
  ...Object.fromEntries(Object.entries(eventSchemas).map(([type, schema]) => [`${type}Event`, schema])),
};
const namesOf = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));

const uri = (id: string): string => `#/components/schemas/${id}`;

/** A route's entry in the document; `security` names the credentials it needs. */
export type DescribedOperation = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: "path" | "query";
    readonly required: boolean;
    readonly description: string;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
};

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export type OpenApi = {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
};

/** `operations`: keyed by "METHOD /path". */
export function openApiOf(host: string, operations: Readonly<Record<string, Operation>>): OpenApi {
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  for (const [route, operation] of Object.entries(operations)) {
    const [method = "", path = ""] = route.split(" ");
    paths[path] = { ...paths[path], [method.toLowerCase()]: describedOperation(path, operation) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: `Quoin devnet: ${host}`,
      version: "1",
      description:
        "Prices, sizes and amounts are whole numbers of base units as text: prices 1e-8 USD, sizes 1e-6 contracts, USDC 1e-6. " +
        "Ids are bare digits up to 2^64 - 1: read them with a parser that keeps them exact.",
    },
    paths,
    components: {
      schemas: namedIn(paths),
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
        session: { type: "http", scheme: "bearer" },
      },
    },
  };
}

function describedOperation(path: string, operation: Operation): DescribedOperation {
  const { id, says, answer: shape, query = {}, body, ofOwner = false } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return {
    operationId: id,
    summary: says,
    parameters: [
      ...inPath.map((name) => parameter(name, "path", { ...pathParameter(path, name), required: true })),
      ...Object.entries(query).map(([name, of]) => parameter(name, "query", of)),
    ],
    ...(body && {
      requestBody: { required: true, content: { "application/json": { schema: withNames(body.schema) } } },
    }),
    responses: {
      "200": { description: "done", content: contentOf(shape) },
      "4XX": { description: "refused, nothing was executed", content: contentOf(refusal) },
      ...(body && { "503": { description: UNAVAILABLE, content: contentOf(refusal) } }),
    },
    security: ofOwner ? [{ apiKey: [] }, { session: [] }] : [],
  };
}

/** Description of the 503 of operations that change something. */
const UNAVAILABLE =
  "not executed, and may be sent again later: OVERLOADED, STOPPED, or UNWRITABLE where the exchange cannot write its data directory";

const parameter = (name: string, place: "path" | "query", { says, schema, required = false }: Parameter) => ({
  name,
  in: place,
  required,
  description: says,
  schema: parameterSchema(withNames(schema.schema)),
});

const U64_MAX = 2n ** 64n - 1n;

/** openapi-generator writes a parameter's `maximum` into Go code, where a constant beyond int64 does not compile: `not` says the same. */
function parameterSchema(schema: JsonSchema): JsonSchema {
  const { maximum, ...rest } = schema;
  return maximum === U64_MAX ? { ...rest, not: { minimum: U64_MAX + 1n } } : schema;
}

const contentOf = (answered: Operation["answer"]): Content =>
  "contentType" in answered
    ? { [answered.contentType]: { schema: { type: "string" } } }
    : { "application/json": { schema: withNames(answered.schema) } };

/** Named schemas that `content` refers to, directly or through others. */
function namedIn(content: unknown): Readonly<Record<string, JsonSchema>> {
  const found = new Map<string, JsonSchema>();
  const add = (within: unknown): void => {
    for (const [, name = ""] of stringifyJson(within as Json).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (found.has(name)) continue;
      const schema = inside(named[name] as JsonSchema);
      found.set(name, schema);
      add(schema);
    }
  };
  add(content);
  return Object.fromEntries(Array.from(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The schema with named schemas replaced by references. */
function withNames(schema: JsonSchema): JsonSchema {
  const name = namesOf.get(schema);
  return name === undefined ? inside(schema) : { $ref: uri(name) };
}

/** oapi-codegen needs `x-go-type` for uint64; no format works for every generator. */
const inside = (schema: JsonSchema): JsonSchema => ({
  ...Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, partOf(value)])),
  ...(schema.maximum === U64_MAX && { "x-go-type": "uint64" }),
});

function partOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(partOf);
  return typeof value === "object" && value !== null ? withNames(value as JsonSchema) : value;
}
