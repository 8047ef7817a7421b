// An operator's acts on a whole fleet over one node's HTTP: they need a reason, apply to all accounts, and are answered when the database
// has them.

import { expect, test } from "vitest";
import { FleetError } from "../../../../src/bot/fleet/database.ts";
import { createMetrics } from "../../../../src/bot/telemetry/metrics.ts";
import { nodeRoutes } from "../../../../src/daemon/fleet/http.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";

type Order = Parameters<typeof nodeRoutes>[1]["order"];

function routesWith(order: Order, shards: Parameters<typeof nodeRoutes>[0] = new Map()) {
  const about = { version: "0", commit: "0", config: "0", tokenCommand: "quoin token", chainId: "chain", height: null };
  return nodeRoutes(shards, {
    metrics: createMetrics(),
    about: () => ({ ...about, chainTimeOffsetMs: null, startedAtMs: 0, nowMs: 0 }),
    troubles: () => [],
    clock: systemClock,
    fleet: () => Promise.reject(new FleetError("unreachable", "away")),
    order,
  });
}

function post(verb: "halt" | "resume", body: unknown, order: Order) {
  const routes = routesWith(order);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = routes.get(`POST /fleet/${verb}`)?.({
    path: "",
    query: new URLSearchParams(),
    isAdmin: true,
    token: null,
    body: text,
  });
  return Promise.resolve(answer).then((given) => [given?.status, JSON.parse(given?.body ?? "null")]);
}

test.each(["halt", "resume"] as const)("%s is answered only when the database has it", async (verb) => {
  const [committed, asked] = [Promise.withResolvers<void>(), [] as unknown[]];
  let isAnswered = false;
  const answer = post(verb, { reason: "why" }, (...order) => {
    asked.push(order);
    return committed.promise;
  }).finally(() => {
    isAnswered = true;
  });
  await new Promise(setImmediate);
  expect([asked, isAnswered]).toEqual([[[verb, "why"]], false]);
  committed.resolve();
  expect(await answer).toEqual([200, { done: verb }]);
});

test.each([
  ["", 400, "the body must be"],
  [{}, 400, "the body must be"],
  [{ reason: "  " }, 400, "the body must be"],
  [{ reason: "why", acount: "12" }, 400, "unknown key acount"],
  [{ reason: "why", account: "12" }, 400, "is of every account"],
  [{ reason: "why", chainId: "other" }, 404, "this fleet trades on chain"],
])("%j orders nothing", async (body, status, why) => {
  const order = () => Promise.reject(new Error("nothing may be asked"));
  expect(await post("resume", body, order)).toEqual([status, { error: expect.stringContaining(why) }]);
});

test("where the database does not answer, the operator hears why, and that nothing is known", async () => {
  const order = () => Promise.reject(new FleetError("unreachable", "timeout"));
  const error = "the fleet's database: timeout; whether it has the halt is not known";
  expect(await post("halt", { reason: "why" }, order)).toEqual([503, { error }]);
});

test("what would be lost is asked of the account that the node holds, and of no other", async () => {
  const held = { routes: new Map([["GET /risk.json", () => ({ status: 200, type: "text/plain", body: '"held"' })]]) };
  const routes = routesWith(() => Promise.resolve(), new Map([["12", held]]));
  const ask = async (query: string) => {
    const answer = await routes.get("GET /risk.json")?.({
      path: "",
      query: new URLSearchParams(query),
      isAdmin: true,
      token: null,
      body: "",
    });
    return [answer?.status, JSON.parse(answer?.body ?? "null")];
  };
  expect(await ask("account=12")).toEqual([200, "held"]);
  expect(await ask("account=13")).toEqual([404, { error: "this node does not hold account 13" }]);
});
