// The reference that the devnet serves: valid by the published schemas of OpenAPI and AsyncAPI, complete, and true of every answer.

import asyncApiSchema from "@asyncapi/specs/schemas/3.0.0.json" with { type: "json" };
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { createCredentials } from "../../../../src/devnet/api/http/credentials.ts";
import type { Described, Operation } from "../../../../src/devnet/api/reference/operation.ts";
import { restOperations, validatorOperations } from "../../../../src/devnet/api/reference/operations.ts";
import { createHistory } from "../../../../src/devnet/api/routes/history.ts";
import { restRoutes } from "../../../../src/devnet/api/routes/rest.ts";
import { createServedReads } from "../../../../src/devnet/api/routes/served-reads.ts";
import { validatorRoutes } from "../../../../src/devnet/api/routes/validator.ts";
import { startDevnet } from "../../../../src/devnet/devnet.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";
import { lookText } from "../../../../src/look/files.ts";
import { refusal } from "../../../../src/wire/answer.ts";
import type { JsonSchema } from "../../../../src/wire/description.ts";
import { createSigner, createVerifier } from "../../../../src/wire/signing.ts";
import {
  ALICE,
  agent,
  alice,
  aliceKey,
  bob,
  bobs,
  config,
  contracts,
  dollars,
  order,
  usd,
} from "../../../interface/actors.ts";
import { openWorld, type World } from "../../../interface/world.ts";
import { expectOfSchema } from "../../wire/json-schema.ts";

const hosts = [
  { host: "validator", operations: validatorOperations, rest: undefined },
  { host: "REST", operations: restOperations, rest: true },
] as const;

describe.each(hosts)("the reference of the $host", ({ operations, rest }) => {
  it("is valid OpenAPI 3.1, every reference in it leads somewhere", async () => {
    await using world = await openWorld();
    const { json } = await world.get("/openapi.json", { ...(rest && { rest }) });
    const validator = new Validator();
    expect(await validator.validate(json)).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
    for (const [, name] of JSON.stringify(json).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(json).toHaveProperty(`components.schemas.${name}`);
    }
  });

  it("is a document that generators of clients understand", async () => {
    await using world = await openWorld();
    const { json } = await world.get("/openapi.json", rest && { rest });
    const { paths, components } = json as {
      paths: Record<string, Record<string, Operated>>;
      components: { schemas: Record<string, JsonSchema> };
    };
    const operated = Object.values(paths).flatMap((methods) => Object.values(methods));
    const ids = operated.map(({ operationId }) => operationId);
    expect(ids.filter((id, at) => !/^[a-z]+[A-Za-z]*$/.test(id) || ids.indexOf(id) !== at)).toEqual([]);
    const contents = operated.flatMap(({ requestBody, responses }) => [requestBody, ...Object.values(responses)]);
    const schemas = [
      ...Object.entries(components.schemas),
      ...contents.flatMap((of) => Object.values(of?.content ?? {}).map(({ schema }) => ["a body", schema] as const)),
      ...operated.flatMap(({ parameters }) => parameters.map(({ name, schema }) => [name, schema] as const)),
    ].flatMap(([name, schema]) => Array.from(schemasIn(schema), (each) => [name, each] as const));
    expect(schemas.length).toBeGreaterThan(200);
    expect(schemas.filter(([, schema]) => !isUnderstood(schema))).toEqual([]);
  });

  it("bounds what a path and a query may hold as the exchange does", async () => {
    await using world = await openWorld();
    const ask = (path: string) => world.get(path, { headers: { "X-API-Key": aliceKey.key }, ...(rest && { rest }) });
    const edges = rest
      ? [`/v1/accounts/${ALICE}/trades?limit=1000`, `/v1/accounts/${ALICE}/trades?limit=1001`]
      : ["/v1/accounts/18446744073709551615", "/v1/accounts/18446744073709551616"];
    const [within, beyond] = await Promise.all(edges.map(ask));
    expect([within?.status, beyond?.status]).toEqual([rest ? 200 : 404, 400]);
    if (!rest) expect((await ask("/v1/transfers/history?cursor=")).status).toBe(400);
    const { text } = await ask("/openapi.json");
    expect(text).toContain(rest ? '"maximum":1000,' : '"not":{"minimum":18446744073709551616}');
  });

  it("says of what changes something that it may be refused for a time, UNWRITABLE among the reasons, and of no read", async () => {
    await using world = await openWorld();
    const { json } = await world.get("/openapi.json", rest && { rest });
    const { paths } = json as { paths: Record<string, Record<string, { responses: Record<string, unknown> }>> };
    for (const methods of Object.values(paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        expect(responses["503"]).toEqual(
          method === "post"
            ? expect.objectContaining({ description: expect.stringContaining("UNWRITABLE") })
            : undefined,
        );
      }
    }
  });

  it("reads as a page without script or outside file", async () => {
    await using world = await openWorld();
    const { text, headers } = await world.get("/docs", { ...(rest && { rest }) });
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    for (const route of Object.keys(operations)) expect(text).toContain(`<code>${route}</code>`);
    expect(text, "the look of the other pages").toContain(lookText("look.css"));
    expect(text).not.toMatch(/<script|https?:\/\/(?!json-schema)/);
  });

  it("is true: each read answers as it says, for an account that traded", async () => {
    await using world = await openWorld();
    await liveWorld(world);
    for (const [route, operation] of Object.entries(operations)) {
      const [method, pattern = ""] = route.split(" ");
      if (method !== "GET") continue;
      const path = await filled(world, pattern, operation);
      const headers = operation.ofOwner ? { "X-API-Key": aliceKey.key } : {};
      const got = await world.get(path, { headers, ...(rest && { rest }) });
      expect(got.status, path).toBe(200);
      if ("contentType" in operation.answer) {
        expect(got.headers.get("content-type"), path).toContain(operation.answer.contentType);
      } else {
        expectOfSchema(operation.answer.schema, got.text);
      }
      if (!operation.ofOwner) continue;
      const nobody = await world.get(path, { ...(rest && { rest }) });
      expect(nobody.status, path).toBe(401);
      expectOfSchema(refusal.schema, nobody.text);
    }
  });
});

it("both references name every route, and nothing else", async () => {
  const enclave = { entropy: { bytes: (length: number) => new Uint8Array(length) }, signerOf: createSigner };
  const modules = { clock: systemClock, verifier: createVerifier(), enclave, log: () => undefined };
  const devnet = await startDevnet(config, modules);
  const credentials = createCredentials(config);
  const named = (routes: ReturnType<typeof restRoutes>) =>
    new Set(routes.map(({ method, path }) => `${method} ${path}`));
  expect(named(validatorRoutes(devnet.chain, createServedReads(devnet.chain.reads), credentials))).toEqual(
    new Set(Object.keys(validatorOperations)),
  );
  expect(named(restRoutes(devnet.chain, credentials, createHistory(new Set())))).toEqual(
    new Set(Object.keys(restOperations)),
  );
  await devnet.close();
});

it("the stream's reference is valid AsyncAPI 3.0, and each frame that is heard is of its shapes", async () => {
  await using world = await openWorld();
  const { json } = await world.get("/asyncapi.json");
  const ajv = new Ajv({ meta: false, validateSchema: false, strict: false, validateFormats: false, logger: false });
  expect(ajv.validate(asyncApiSchema, json), JSON.stringify(ajv.errors?.slice(0, 3))).toBe(true);
  const ofMarket = ["orderbook", "trades", "funding", "oracleUpdates"].map((channel) => ({ channel, market_id: 1 }));
  const ofAccount = ["fills", "orders", "liquidations", "positions"].map((channel) => ({ channel, account_id: 12 }));
  const ear = await world.hear([...ofMarket, ...ofAccount, { channel: "explorer" }]);
  ear.say("nonsense");
  await liveWorld(world);
  await ear.settled();
  const types = new Set(ear.frames.map(({ type }) => type));
  expect([...types].sort()).toEqual(
    expect.arrayContaining(["error", "fill", "orderPlaced", "orderbookSnapshot", "pong"]),
  );
  const { channels } = json as { channels: { stream: { messages: Record<string, { payload: JsonSchema }> } } };
  const said = { anyOf: Object.values(channels.stream.messages).map(({ payload }) => payload) };
  for (const frame of ear.frames) expectOfSchema(said, JSON.stringify(frame));
});

it("what was submitted is of the published envelope, and a refusal of the published refusal", async () => {
  await using world = await openWorld();
  const refused = await world.post("{}");
  expect(refused.status).toBe(400);
  expectOfSchema(refusal.schema, refused.text);
  const { answer } = validatorOperations["POST /v1/tx"] as { readonly answer: Described };
  const done = await world.postText('{"CancelAllOrders":{"market_id":null}}');
  expect(done).toMatchObject({ status: 200 });
  expectOfSchema(answer.schema, done.text);
});

/** Trades, an order with exits, a vault, a withdrawal, a transfer, a delegation: nothing that is read is empty for want of activity. */
async function liveWorld(world: World): Promise<void> {
  await world.run(bobs({ price: usd(200), size: contracts(2) }), bob);
  await world.run(order({ price: usd(200), size: contracts(1) }), agent);
  await world.run(
    order({ price: usd(190), takeProfit: { triggerPrice: usd(230) }, stopLoss: { triggerPrice: usd(150) } }),
  );
  await world.run({ type: "CreateVault", accountId: ALICE, name: "fund", amount: dollars(5) }, alice);
  await world.run(
    { type: "RequestWithdrawal", accountId: ALICE, tokenId: 0, amount: dollars(5), destination: "0xabc" },
    alice,
  );
}

type Contents = { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
type Operated = {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly schema: JsonSchema }[];
  readonly requestBody?: Contents;
  readonly responses: Readonly<Record<string, Contents>>;
};

/** The schema and all within. */
function* schemasIn(schema: JsonSchema): Generator<JsonSchema> {
  yield schema;
  const { properties = {}, items, additionalProperties, oneOf = [], anyOf = [] } = schema;
  const within = [...Object.values(properties as object), items, additionalProperties, oneOf, anyOf].flat();
  for (const inner of within) if (typeof inner === "object") yield* schemasIn(inner);
}

/**
 * One type, or one and null; forms of a choice are named; lists say what they hold; numbers have bounds, and int64 where int32 is too
 * narrow; patterns have no escapes.
 */
function isUnderstood(schema: JsonSchema): boolean {
  if ("$ref" in schema) return true;
  const forms = [schema.oneOf, schema.anyOf].flat().filter((form) => form !== undefined) as JsonSchema[];
  if (forms.length > 0) return forms.length > 1 && forms.every((form) => "$ref" in form);
  const [type, ...more] = [schema.type].flat();
  if (more.some((other) => other !== "null")) return false;
  const { format, minimum, maximum, not, pattern, items } = schema;
  if (type === "array") return typeof items === "object" && items !== null && Object.keys(items).length > 0;
  if (type === "string") return pattern === undefined || !String(pattern).includes("\\");
  if (type !== "integer") return type === "boolean" || type === "object";
  const least = minimum as number | bigint;
  const most = (maximum ?? (not as JsonSchema).minimum) as number | bigint;
  return format === (least >= -(2 ** 31) && most < 2 ** 31 ? "int32" : "int64");
}

async function filled(world: World, pattern: string, { query = {} }: Operation): Promise<string> {
  const vault = (await world.client.accounts.ownedBy(alice.publicKey)).find(({ isVault }) => isVault);
  const id = /markets|oracle/.test(pattern) ? "1" : pattern.includes("vaults") ? `${vault?.accountId}` : `${ALICE}`;
  const path = pattern.replace("{id}", id).replace("{owner}", alice.publicKey).replace("{height}", "1");
  return query.kind === undefined ? path : `${path}?kind=username&value=bob`;
}
