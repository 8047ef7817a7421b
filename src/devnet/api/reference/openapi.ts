// OpenAPI 3.1 of one host, made from its routes and their shapes.

import { z } from "zod";
import type { JsonSchema } from "../../../wire/description.ts";
import * as accounts from "../../../wire/rest/accounts.ts";
import * as exchange from "../../../wire/rest/exchange.ts";
import * as markets from "../../../wire/rest/markets.ts";
import { answer, refusal, reportedEvent } from "../../../wire/shapes/answers.ts";
import { transaction } from "../../../wire/shapes/transactions.ts";
import { type Described, type Operation, type Parameter, pathParameter } from "./operation.ts";

/** Shapes that have a name of their own; all others stand where they are used. */
const described: Readonly<Record<string, JsonSchema>> = {
  Account: accounts.account.schema,
  Block: exchange.block.schema,
  Market: markets.market.schema,
  Order: accounts.order.schema,
  Position: accounts.position.schema,
};
const namesOf = new Map(Object.entries(described).map(([name, schema]) => [schema, name]));
const named = {
  Answer: answer,
  Refusal: refusal,
  ReportedEvent: reportedEvent,
  Transaction: transaction,
};

const shapes = z.registry<{ id: string }>();
for (const [id, shape] of Object.entries(named)) shapes.add(shape, { id });

const uri = (id: string): string => `#/components/schemas/${id}`;

/** What the document says of a route; `security` names what its credentials are. */
export type DescribedOperation = {
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

/** `operations` by "METHOD /path". */
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
      schemas: componentSchemas(),
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
        session: { type: "http", scheme: "bearer" },
      },
    },
  };
}

function describedOperation(path: string, operation: Operation): DescribedOperation {
  const { says, answer: shape, query = {}, body, ofOwner = false } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return {
    summary: says,
    parameters: [
      ...inPath.map((name) => parameter(name, "path", { ...pathParameter(path, name), required: true })),
      ...Object.entries(query).map(([name, of]) => parameter(name, "query", of)),
    ],
    ...(body && { requestBody: { required: true, content: { "application/json": { schema: schemaOf(body) } } } }),
    responses: {
      "200": { description: "done", content: contentOf(shape) },
      "4XX": { description: "refused, nothing was executed", content: contentOf(refusal) },
      ...(body && { "503": { description: UNAVAILABLE, content: contentOf(refusal) } }),
    },
    security: ofOwner ? [{ apiKey: [] }, { session: [] }] : [],
  };
}

/** Of what would change something. */
const UNAVAILABLE =
  "not executed, and may be sent again later: OVERLOADED, STOPPED, or UNWRITABLE where the exchange cannot write its data directory";

const parameter = (name: string, place: "path" | "query", { says, schema, required = false }: Parameter) => ({
  name,
  in: place,
  required,
  description: says,
  schema: schemaOf(schema),
});

const contentOf = (answered: Operation["answer"]): Content =>
  "contentType" in answered
    ? { [answered.contentType]: { schema: { type: "string" } } }
    : { "application/json": { schema: schemaOf(answered) } };

/** The schema where it is used: a reference for a named shape. */
function schemaOf(shape: Described): JsonSchema {
  if ("schema" in shape) return withNames(shape.schema);
  const id = shapes.get(shape)?.id;
  if (id !== undefined) return { $ref: uri(id) };
  const here = z.registry<{ id: string }>();
  for (const [name, each] of Object.entries(named)) here.add(each, { id: name });
  here.add(shape, { id: "Here" });
  return bare(z.toJSONSchema(here, { uri, unrepresentable: "any", io: "input" }).schemas.Here ?? {});
}

function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  const { schemas } = z.toJSONSchema(shapes, { uri, unrepresentable: "any", io: "input" });
  return Object.fromEntries([
    ...Object.entries(described).map(([id, schema]) => [id, inside(schema)]),
    ...Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]),
  ]);
}

/** The schema with a reference wherever a named one stands in it. */
function withNames(schema: JsonSchema): JsonSchema {
  const name = namesOf.get(schema);
  return name === undefined ? inside(schema) : { $ref: uri(name) };
}

const inside = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, partOf(value)]));

function partOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(partOf);
  return typeof value === "object" && value !== null ? withNames(value as JsonSchema) : value;
}

/** Without the dialect and the id, which the document says. */
function bare({ $schema: _dialect, $id: _id, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
