// The daemon's OpenAPI document: valid, complete, and with the scope that each route really needs.

import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { type RouteModules, routesOf } from "../../../src/bot/service/operator/routes.ts";
import { createMetrics } from "../../../src/bot/telemetry/metrics.ts";
import { openApiOf, operations } from "../../../src/daemon/openapi.ts";

test("it is valid", async () => {
  expect(await new Validator().validate(openApiOf("1.2.3") as Record<string, unknown>)).toEqual({ valid: true });
});

test("it names every route of the bot, and of the daemon around it", () => {
  const routes = [...routesOf({ metrics: createMetrics() } as RouteModules).keys()].map((key) =>
    key.replace("*", "{id}"),
  );
  const around = ["events", "log.json", "openapi.json", "ledger.json", "trades.json", "pnl.json", "report.json"];
  expect(new Set(Object.keys(operations))).toEqual(new Set([...routes, ...around.map((name) => `GET /${name}`)]));
});

test("each operation says which token it needs", () => {
  const { paths } = openApiOf("1.2.3") as {
    paths: Record<string, Record<string, { description: string; security: object[] }>>;
  };
  const said = (path: string, method: string) => paths[path]?.[method]?.description;
  expect([
    said("/halt", "post"),
    said("/flatten", "post"),
    said("/proposals", "post"),
    said("/proposals/{id}/approve", "post"),
  ]).toEqual([
    "Needs the scope operate.",
    "Needs the administrator's token.",
    "Needs the scope propose.",
    "Needs the scope change.",
  ]);
  expect([said("/status.json", "get"), said("/livez", "get")]).toEqual(["Needs the scope read.", "Needs no token."]);
});
