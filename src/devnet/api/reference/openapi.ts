// OpenAPI 3.1 of one host, made from its routes and their shapes.

import { z } from "zod";
import * as accounts from "../../../wire/shapes/accounts.ts";
import { answer, refusal, reportedEvent } from "../../../wire/shapes/answers.ts";
import * as exchange from "../../../wire/shapes/exchange.ts";
import * as markets from "../../../wire/shapes/markets.ts";
import { transaction } from "../../../wire/shapes/transactions.ts";
import { type Operation, type Parameter, pathParameter } from "./operation.ts";

/** JSON Schema of the 2020-12 dialect, which OpenAPI 3.1 takes as it is. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Shapes that have a name of their own; all others stand where they are used. */
const named = {
  Account: accounts.account,
  Answer: answer,
  Block: exchange.block,
  Market: markets.market,
  Order: accounts.order,
  Position: accounts.position,
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
    paths[path] = { ...paths[path], [method.toLowerCase()]: described(path, operation) };
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

function described(path: string, operation: Operation): DescribedOperation {
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
function schemaOf(shape: z.ZodType): JsonSchema {
  const id = shapes.get(shape)?.id;
  if (id !== undefined) return { $ref: uri(id) };
  const here = z.registry<{ id: string }>();
  for (const [name, each] of Object.entries(named)) here.add(each, { id: name });
  here.add(shape, { id: "Here" });
  return bare(z.toJSONSchema(here, { uri, unrepresentable: "any", io: "input" }).schemas.Here ?? {});
}

function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  const { schemas } = z.toJSONSchema(shapes, { uri, unrepresentable: "any", io: "input" });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
}

/** Without the dialect and the id, which the document says. */
function bare({ $schema: _dialect, $id: _id, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
