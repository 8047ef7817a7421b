// The daemon's HTTP as a table: what each route asks of the daemon and how the daemon's answer is told.

import { beforeEach, describe, expect, test } from "vitest";
import type { Status } from "../../../../../src/bot/dashboard/status.ts";
import type { Flattened } from "../../../../../src/bot/decider/output.ts";
import type { CanceledOrder, CancelRefusal } from "../../../../../src/bot/service/operator/cancel-order.ts";
import { type RouteModules, routesOf } from "../../../../../src/bot/service/operator/routes.ts";
import { operate } from "../../../../../src/bot/service/operator/trading-state.ts";
import type { HttpAnswer } from "../../../../../src/bot/telemetry/http.ts";
import { createMetrics } from "../../../../../src/bot/telemetry/metrics.ts";
import type { OutsideFact } from "../../../../../src/domain/outside.ts";
import { account, CHAIN, World } from "../desks.ts";

let world: World;
let reasons: readonly string[];
let sinceTurnMs: number;
let flattened: Promise<readonly Flattened[]> | null;
let slippage: number[];
let refreshed: number;
let pushed: OutsideFact[];
/** What becomes of an order that is to be canceled. */
const canceled = new Map<bigint, CanceledOrder | CancelRefusal>();
let ask: (route: string, body?: string, at?: string) => Promise<HttpAnswer>;

beforeEach(() => {
  world = new World();
  reasons = [];
  sinceTurnMs = 50;
  flattened = null;
  slippage = [];
  refreshed = 0;
  pushed = [];
  const modules: RouteModules = {
    atRisk: () => ({ atMs: 5, accounts: [] }),
    meanings: () => ({ limits: {}, accountLimits: {}, params: {} }),
    metrics: createMetrics(),
    status: () => ({ phase: "trading", chainId: CHAIN, reasons }) as unknown as Status,
    refresh: () => {
      refreshed += 1;
    },
    sinceTurnMs: () => sinceTurnMs,
    heartbeat: () => ({ phase: "trading", kept: [], accounts: [], turns: 7 }),
    operate: (verb, request) => operate(verb, request, world.operated),
    cancel: async ({ orderId }) => canceled.get(orderId) ?? { kind: "elsewhere", why: `no open order ${orderId}` },
    preview: async () => ({ markets: [], beside: [] }),
    proposals: {
      list: () => [],
      propose: async () => ({ kind: "busy", why: "too many" }),
      decide: async (id) => ({ kind: "closed", why: `${id} is over` }),
    },
    promote: async () => ({ kind: "malformed", why: "nothing to promote" }),
    change: (request) => Promise.resolve({ kind: "malformed", why: JSON.stringify(request.limits) }),
    outside: {
      admits: (name) => (name === "desk" ? null : { status: 404, why: "no such signal" }),
      push: (_name, fact) => {
        pushed.push(fact);
        return null;
      },
    },
    flatten: ({ maxSlippageBps }) => {
      slippage.push(maxSlippageBps);
      return flattened;
    },
  };
  const routes = routesOf(modules);
  ask = async (route, body = "", at) => {
    const handle = routes.get(route);
    if (handle === undefined) throw new RangeError(`no route ${route}`);
    return await handle({
      path: (at ?? route).split(" ")[1] ?? "",
      query: new URLSearchParams(),
      isAdmin: true,
      token: null,
      body,
    });
  };
});

test("what would be lost is worked out when it is asked for", async () => {
  expect(await ask("GET /risk.json")).toMatchObject({ status: 200, body: '{"atMs":5,"accounts":[]}\n' });
});

describe("health", () => {
  test("alive while the loop turns, whatever the exchange does", async () => {
    reasons = ["account 12 market 1: stream"];
    expect(await ask("GET /livez")).toMatchObject({ status: 200 });
    sinceTurnMs = 5000;
    expect(await ask("GET /livez")).toMatchObject({ status: 503, body: "no turn for 5000 ms\n" });
  });

  test("ready without a reason against it, else every reason", async () => {
    expect(await ask("GET /readyz")).toMatchObject({ status: 200 });
    reasons = ["one", "two"];
    const { status, body } = await ask("GET /readyz");
    expect([status, JSON.parse(body)]).toEqual([503, { ready: false, phase: "trading", reasons: ["one", "two"] }]);
  });

  test("the heartbeat counts turns and tells the phase", async () => {
    expect(JSON.parse((await ask("GET /heartbeat")).body)).toEqual({
      phase: "trading",
      kept: [],
      accounts: [],
      turns: 7,
    });
  });

  test("gauges that nobody needs between scrapes are set for each", async () => {
    expect((await Array.fromAsync((await ask("GET /metrics")).parts ?? [])).join("")).toContain(
      "# TYPE quoin_build_info gauge",
    );
    expect(refreshed).toBe(1);
  });

  test("the status, which the page shows", async () => {
    expect(JSON.parse((await ask("GET /status.json")).body)).toMatchObject({ chainId: CHAIN });
  });
});

describe("the operator's", () => {
  test("a halt is told with what it changed", async () => {
    const { status, body } = await ask("POST /halt", '{"reason":"enough","account":"12"}');
    expect([status, JSON.parse(body)]).toEqual([
      200,
      {
        done: "halt",
        accounts: [
          {
            accountId: "12",
            state: "halted",
            markets: [
              { marketId: 1, state: "halted" },
              { marketId: 2, state: "halted" },
            ],
            latches: ["operator: enough"],
            lifted: [],
            holds: ["operator: enough"],
            heldAlready: null,
            isWritten: true,
          },
        ],
      },
    ]);
    expect(world.desk().isHalted()).toBe(true);
    const { body: again } = await ask("POST /halt", '{"reason":"more","account":"12"}');
    const heldAlready = { holds: "halted", reason: "enough", since: new Date(world.clock.wallMs()).toISOString() };
    expect(JSON.parse(again)).toMatchObject({ accounts: [{ holds: ["operator: enough"], heldAlready }] });
  });

  test("a resume is told with what it lifted and what still holds the market that it names", async () => {
    await ask("POST /halt", '{"account":"12"}');
    await ask("POST /halt", '{"account":"12","market":2,"reason":"both"}');
    const resume = async (body: object) =>
      JSON.parse((await ask("POST /resume", JSON.stringify({ reason: "on", account: "12", ...body }))).body)
        .accounts[0];
    const whole = "operator: no reason given";
    expect(await resume({ market: 1 })).toMatchObject({ lifted: [], holds: [whole] });
    expect(await resume({ market: 2 })).toMatchObject({ lifted: ["operator (market 2): both"], holds: [whole] });
    expect(await resume({})).toMatchObject({ lifted: [whole], holds: [] });
  });

  test("a halt that the disk refuses says so: it holds, and a restart may not know of it", async () => {
    world.failure = "no space left";
    const { status, body } = await ask("POST /halt", '{"reason":"enough","account":"12"}');
    expect([status, JSON.parse(body)]).toMatchObject([200, { accounts: [{ state: "halted", isWritten: false }] }]);
  });

  test.each<readonly [string, number]>([
    ["", 400],
    ['{"reason":"x","market":9}', 400],
    ['{"reason":"x","account":"99"}', 404],
    ['{"reason":"x","chainId":"venue-v4:mainnet:chain-1"}', 404],
  ])("%j is answered with %d and changes nothing", async (body, status) => {
    for (const verb of ["halt", "reduce", "resume"]) {
      const answer = await ask(`POST /${verb}`, body);
      expect([answer.status, Object.keys(JSON.parse(answer.body))]).toEqual([status, ["error"]]);
    }
    expect(world.desk().latches).toEqual([]);
  });
});

test("a cancel of one order is told with the order; a refusal says why, and a lost answer is none", async () => {
  const order = {
    accountId: "12",
    marketId: 1,
    orderId: "7",
    side: "buy",
    size: 0.5,
    price: 99,
    isConfirmed: true,
  } as const;
  canceled.set(7n, order);
  canceled.set(8n, { kind: "closed", why: "filled" });
  canceled.set(9n, { kind: "unanswered", why: "it may rest" });
  const told = async (body: string) => {
    const { status, body: text } = await ask("POST /cancel", body);
    return [status, JSON.parse(text)];
  };
  const cancel = (id: string) => told(JSON.stringify({ account: "12", order: id }));
  expect(await cancel("7")).toEqual([200, { done: "cancel", ...order }]);
  expect(await cancel("8")).toEqual([409, { error: "filled" }]);
  expect(await cancel("9")).toEqual([504, { error: "it may rest" }]);
  expect(await cancel("18446744073709551615")).toEqual([404, { error: "no open order 18446744073709551615" }]);
  for (const wrong of [
    "",
    "{}",
    '{"account":"12"}',
    '{"account":"12","order":"x"}',
    '{"account":"12","order":"7","all":true}',
  ])
    expect(await told(wrong)).toEqual([400, { error: 'the body must be {"account":"12","order":"345"}' }]);
});

describe("flatten", () => {
  test("is refused while not every market is halted", async () => {
    expect(await ask("POST /flatten", "{}")).toMatchObject({ status: 409 });
  });

  test("tells what is left of each account", async () => {
    flattened = Promise.resolve([{ accountId: account, kind: "notFlat", lines: ["long 1"] }]);
    const { status, body } = await ask("POST /flatten", `{"maxSlippageBps":250,"chainId":"${CHAIN}"}`);
    expect([status, JSON.parse(body)]).toEqual([
      200,
      { accounts: [{ accountId: "12", kind: "notFlat", lines: ["long 1"] }] },
    ]);
    await ask("POST /flatten");
    expect(slippage).toEqual([250, 100]);
  });

  test.each<readonly [string, number]>([
    ["[", 400],
    ["null", 400],
    ['{"maxSlippageBps":0}', 400],
    ['{"maxSlippageBps":5001}', 400],
    ['{"maxSlippageBps":1.5}', 400],
    ['{"maxSlippageBps":"100"}', 400],
    ['{"slippage":100}', 400],
    ['{"chainId":7}', 400],
    ['{"chainId":"venue-v4:mainnet:chain-1"}', 404],
  ])("%s is answered with %d, and nothing is closed", async (body, status) => {
    expect(await ask("POST /flatten", body)).toMatchObject({ status });
    expect(slippage).toEqual([]);
  });
});

test("a proposal that comes too soon gets 429, a decision on one that is over 409, and an unknown key 400", async () => {
  expect(await ask("POST /proposals", "{}")).toMatchObject({ status: 429, body: '{"error":"too many"}\n' });
  for (const verdict of ["approve", "refuse"]) {
    expect(await ask(`POST /proposals/*/${verdict}`, "{}")).toMatchObject({
      status: 409,
      body: '{"error":"* is over"}\n',
    });
    for (const body of ["", "[]", '{"reason":"x"}'])
      expect(await ask(`POST /proposals/*/${verdict}`, body)).toMatchObject({ status: 400 });
  }
  expect(JSON.parse((await ask("GET /proposals")).body)).toEqual({ proposals: [] });
});

describe("a pushed value of a signal", () => {
  const push = (body: string, name = "desk") => ask("POST /signals/*", body, `POST /signals/${name}`);
  const good = { value: "217.10", asOf: "2026-11-28T14:00:00Z" };

  test("is taken as text or number, with an instant in any zone", async () => {
    expect(await push(JSON.stringify(good))).toMatchObject({ status: 200, body: '{"done":"signal","name":"desk"}\n' });
    expect((await push('{"value":217.1,"asOf":"2026-11-28T16:00:00.5+02:00"}')).status).toBe(200);
    const asOfMs = Date.parse("2026-11-28T14:00:00Z");
    expect(pushed).toEqual([
      { value: 217.1, asOfMs },
      { value: 217.1, asOfMs: asOfMs + 500 },
    ]);
  });

  test.each([
    ["", "the body must be"],
    ["[]", "the body must be"],
    [{ ...good, note: 1 }, "unknown key note"],
    [{ ...good, value: "1e3" }, "value must be"],
    [{ ...good, value: 0 }, "value must be"],
    [{ ...good, value: "-1" }, "value must be"],
    [{ ...good, value: null }, "value must be"],
    ['{"value":1e999,"asOf":"2026-11-28T14:00:00Z"}', "value must be"],
    [{ value: "1" }, "asOf must be"],
    [{ ...good, asOf: "2026-11-28T14:00:00" }, "asOf must be"],
    [{ ...good, asOf: "2026-13-28T14:00:00Z" }, "asOf must be"],
    [{ ...good, asOf: 1_790_000_000_000 }, "asOf must be"],
  ])("forbidden: %j", async (body, why) => {
    const answer = await push(typeof body === "string" ? body : JSON.stringify(body));
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(why);
    expect(pushed).toEqual([]);
  });

  test("forbidden: an unknown name, and more than 4 KiB", async () => {
    expect((await push(JSON.stringify(good), "other")).status).toBe(404);
    expect((await push(`${JSON.stringify(good)}${" ".repeat(4096)}`)).status).toBe(413);
    expect(pushed).toEqual([]);
  });
});
