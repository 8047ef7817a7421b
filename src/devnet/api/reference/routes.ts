// The API reference of a host, served by the host itself: `/openapi.json` for programs, `/docs` for people.

import type { JsonObject } from "../../../kernel/json.ts";
import { json, type Reply } from "../http/reply.ts";
import { get, type Route } from "../http/router.ts";
import { asyncApiOf } from "./asyncapi.ts";
import { type OpenApi, openApiOf } from "./openapi.ts";
import type { Operation } from "./operation.ts";
import { pageOf } from "./page.ts";

/** Each document is made on first request, so a simulated exchange never makes one. */
export function referenceRoutes(host: string, operations: Readonly<Record<string, Operation>>): readonly Route[] {
  let made: OpenApi | undefined;
  const document = (): OpenApi => {
    made ??= openApiOf(host, operations);
    return made;
  };
  return [
    get("/openapi.json", () => json(document() as JsonObject)),
    get("/docs", (): Reply => ({ status: 200, contentType: "text/html; charset=utf-8", text: pageOf(document()) })),
  ];
}

/** `/asyncapi.json`: describes the stream at `path` of the same host. */
export const streamReferenceRoute = (path: string): Route =>
  get("/asyncapi.json", () => json(asyncApiOf(path) as JsonObject));
