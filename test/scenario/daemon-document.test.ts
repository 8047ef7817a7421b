// What a running daemon answers is what its OpenAPI document says, refusals too.

import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, expect, it } from "vitest";
import { postHeaders, startDaemon } from "./daemon.ts";
import { resting } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

type Response = { readonly content: Readonly<Record<string, { readonly schema: object }>> };
type Documented = { readonly responses: Readonly<Record<string, Response>> };
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  readonly components: object;
};

const scene = sceneForAll();
const ajv = new Ajv2020({ strict: false, allErrors: true });
let url: string;
let document: Document;

beforeAll(async () => {
  ({ url } = await startDaemon(scene));
  await resting(scene, 4);
  document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  ajv.addSchema({ $id: "document", components: document.components });
});

async function fits(method: string, path: string, documented: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: postHeaders(url),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = document.paths[documented]?.[method.toLowerCase()]?.responses[answer.status];
  const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
  expect(response?.content[type], `${method} ${path} answers ${answer.status} ${type}`).toBeDefined();
  if (type !== "application/json") {
    await answer.body?.cancel();
    return null;
  }
  const schema = JSON.parse(
    JSON.stringify(response?.content[type]?.schema).replaceAll("#/components", "document#/components"),
  ) as object;
  const content: unknown = await answer.json();
  const isRight = ajv.compile(schema);
  expect(isRight(content), `${method} ${path}: ${ajv.errorsText(isRight.errors)}`).toBe(true);
  return content;
}

it("every read", async () => {
  const reads = Object.entries(document.paths).flatMap(([path, of]) => ("get" in of ? [path] : []));
  expect(reads.length).toBeGreaterThan(10);
  for (const path of reads) await fits("GET", path, path);
  await fits("GET", "/trades.json?from=never", "/trades.json");
  await fits("GET", "/pnl.json?by=month&market=1", "/pnl.json");
});

it("every act, and what is malformed", async () => {
  const place = { account: "12", market: 1 };
  const path = "accounts.12.markets.1.params.halfSpreadBps";
  await fits("POST", "/preview", "/preview", { ...place, params: { halfSpreadBps: 9 } });
  await fits("POST", "/params", "/params", { reason: "a test", ...place, params: { halfSpreadBps: 9 } });
  const { id } = (await fits("POST", "/proposals", "/proposals", { path, value: 8, reason: "x" })) as {
    readonly id: string;
  };
  await fits("POST", "/proposals", "/proposals", { path, value: 7, reason: "x" });
  for (const verdict of ["approve", "refuse"])
    await fits("POST", `/proposals/${id}/${verdict}`, `/proposals/{id}/${verdict}`, {});
  await fits("POST", "/cancel", "/cancel", { account: "12", order: "1" });
  await fits("POST", "/promote", "/promote", place);
  for (const act of ["reduce", "halt", "flatten", "resume"])
    await fits("POST", `/${act}`, `/${act}`, act === "flatten" ? {} : { reason: "a test" });
  for (const [at, of] of Object.entries(document.paths))
    if ("post" in of) await fits("POST", at.replace("{id}", "9"), at, { nonsense: 1 });
});
