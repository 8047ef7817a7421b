// Proposals: one token proposes, another decides, once, in time, on the same configuration and the same text.

import { beforeEach, describe, expect, test } from "vitest";
import type { BotConfig } from "../../../../../src/bot/config/config.ts";
import type { ParamsRequest } from "../../../../../src/bot/service/operator/params.ts";
import { type Judged, Proposals } from "../../../../../src/bot/service/operator/proposals.ts";
import type { OperatorRefusal } from "../../../../../src/bot/service/operator/trading-state.ts";
import { createLog } from "../../../../../src/bot/telemetry/log.ts";
import { microtasks } from "../../../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../../../src/kernel/virtual-clock.ts";

const PATH = "accounts.12.markets.1.params.halfSpreadBps";
let clock: ReturnType<typeof createVirtualClock>;
let proposals: Proposals;
let runs: string;
let judged: Judged | OperatorRefusal;
let done: BotConfig | OperatorRefusal;
let carriedOut: ParamsRequest[];
let told: string[];
/** Resolves before a change is carried out. */
let beforeDone: Promise<unknown>;

beforeEach(() => {
  clock = createVirtualClock({ startMs: 0, settle: microtasks });
  runs = "a";
  judged = { running: "a", makes: "b", difference: ["market 1 of account 12: halfSpreadBps 10 -> 12"] };
  done = {} as BotConfig;
  carriedOut = [];
  told = [];
  beforeDone = Promise.resolve();
  proposals = new Proposals({
    clock,
    log: createLog("error", { write: () => {}, terminal: false, wallMs: () => 0 }),
    tell: ({ reason }) => told.push(reason),
    runs: () => runs,
    judge: async () => judged,
    carryOut: async (request) => {
      await beforeDone;
      carriedOut.push(request);
      return done;
    },
  });
});

const body = (value: unknown = 12, path = PATH): string => JSON.stringify({ path, value, reason: "wider at night" });
async function proposed(token: string | null = "agent"): Promise<string> {
  const made = await proposals.propose(body(), token);
  if ("kind" in made) throw new Error(made.why);
  await clock.advance(1000);
  return made.id;
}
const states = () => proposals.list().map(({ state }) => state);

test("a proposal shows what it would change, by whom and why, and is told to people", async () => {
  const id = await proposed();
  const [line] = proposals.list();
  expect(line).toMatchObject({
    id,
    state: "open",
    path: PATH,
    value: 12,
    by: "agent",
    reason: "wider at night",
    difference: ["market 1 of account 12: halfSpreadBps 10 -> 12"],
    expiresAt: "1970-01-01T00:10:00.000Z",
    text: `{"changes":[{"path":"${PATH}","value":12}],"config":"a","expiresAt":"1970-01-01T00:10:00.000Z","number":1}`,
  });
  expect(id).toMatch(/^1-[0-9a-f]{12}$/);
  expect(told).toEqual([expect.stringContaining(`refuse proposal ${id}`)]);
  expect(carriedOut).toEqual([]);
});

test("another token approves, and the change is carried out once", async () => {
  const id = await proposed();
  expect(await proposals.decide(id, "approve", "desk")).toMatchObject({ id, state: "approved" });
  expect(carriedOut).toMatchObject([{ accountId: 12n, marketId: 1, params: { halfSpreadBps: 12 }, limits: {} }]);
  for (const verdict of ["approve", "refuse"] as const)
    expect(await proposals.decide(id, verdict, null)).toMatchObject({ kind: "closed", why: "proposal 1 is approved" });
  expect(carriedOut).toHaveLength(1);
});

describe("an approval is refused, and nothing changes", () => {
  test.each(["agent", null])("of one's own, %s", async (token) => {
    const id = await proposed(token);
    for (const verdict of ["approve", "refuse"] as const)
      expect(await proposals.decide(id, verdict, token)).toMatchObject({
        kind: "closed",
        why: expect.stringContaining("own"),
      });
    expect(states()).toEqual(["open"]);
  });

  test("ten minutes later, not a moment sooner", async () => {
    const id = await proposed();
    await clock.advance(598_999);
    expect(states()).toEqual(["open"]);
    await clock.advance(1);
    expect(states()).toEqual(["expired"]);
    expect(await proposals.decide(id, "approve", "desk")).toMatchObject({ kind: "closed" });
  });

  test("once the configuration has changed, even if the change was taken back", async () => {
    const id = await proposed();
    runs = "c";
    expect(states()).toEqual(["stale"]);
    runs = "a";
    expect(await proposals.decide(id, "approve", "desk")).toMatchObject({ kind: "closed", why: "proposal 1 is stale" });
  });

  test("where carrying it out finds another configuration", async () => {
    const id = await proposed();
    done = { kind: "closed", why: "changed" };
    expect(await proposals.decide(id, "approve", "desk")).toEqual(done);
    expect(states()).toEqual(["stale"]);
  });

  test("of another text under the same number", async () => {
    await proposed();
    expect(await proposals.decide("1-000000000000", "approve", "desk")).toMatchObject({ kind: "closed" });
    for (const id of ["", "1", "2-000000000000", "x-1", "__proto__"])
      expect(await proposals.decide(id, "approve", "desk")).toMatchObject({ kind: "elsewhere" });
    expect(states()).toEqual(["open"]);
  });

  test("while another approval of it is carried out", async () => {
    const id = await proposed();
    const held = Promise.withResolvers<void>();
    beforeDone = held.promise;
    const first = proposals.decide(id, "approve", "desk");
    expect(await proposals.decide(id, "approve", "chief")).toMatchObject({ kind: "closed" });
    held.resolve();
    expect(await first).toMatchObject({ state: "approved" });
    expect(carriedOut).toHaveLength(1);
  });

  test("that the change's own checks refuse: it stays open", async () => {
    const id = await proposed();
    done = { kind: "malformed", why: "too large" };
    expect(await proposals.decide(id, "approve", "desk")).toEqual(done);
    expect(states()).toEqual(["open"]);
  });
});

test("a refused proposal stays refused", async () => {
  const id = await proposed();
  expect(await proposals.decide(id, "refuse", "desk")).toMatchObject({ state: "refused" });
  expect(await proposals.decide(id, "approve", "desk")).toMatchObject({ kind: "closed" });
  expect(carriedOut).toEqual([]);
});

describe("a proposal is not taken", () => {
  test.each([
    "",
    "[]",
    "{}",
    '{"path":7,"value":1,"reason":"x"}',
    JSON.stringify({ path: PATH, reason: "no value" }),
    JSON.stringify({ path: PATH, value: 12 }),
    JSON.stringify({ path: PATH, value: 12, reason: "x", more: 1 }),
    body("x".repeat(1000)),
    body(1, "venue.chainId"),
    body(1, "accounts.12.agentKeyFile"),
    body(1, "accounts.12.params.size"),
    body(1, "accounts.12.markets.99999.params.size"),
    body(1, "accounts.12.markets.1.params.__proto__"),
  ])("%s", async (text) => {
    expect(await proposals.propose(text, "agent")).toMatchObject({ kind: "malformed" });
    expect(proposals.list()).toEqual([]);
  });

  test("that changes nothing, or that the checks refuse", async () => {
    judged = { running: "a", makes: "a", difference: [] };
    expect(await proposals.propose(body(), "agent")).toMatchObject({ kind: "malformed", why: `${PATH} is 12 already` });
    await clock.advance(1000);
    judged = { kind: "malformed", why: "a looser limit" };
    expect(await proposals.propose(body(), "agent")).toEqual(judged);
  });

  test("twice within a second of one token", async () => {
    expect(await proposals.propose(body(), "agent")).toMatchObject({ state: "open" });
    expect(await proposals.propose(body(), "agent")).toMatchObject({ kind: "busy" });
    expect(await proposals.propose(body(), "other")).toMatchObject({ state: "open" });
    await clock.advance(1000);
    expect(await proposals.propose(body(), "agent")).toMatchObject({ state: "open" });
  });

  test("beside twenty open ones", async () => {
    for (let count = 0; count < 20; count += 1) await proposed();
    expect(await proposals.propose(body(), "agent")).toMatchObject({ kind: "busy" });
    await proposals.decide(proposals.list()[0]?.id ?? "", "refuse", "desk");
    await clock.advance(1000);
    expect(await proposals.propose(body(), "agent")).toMatchObject({ state: "open" });
  });
});

test("at most a hundred of the past are listed", async () => {
  for (let count = 0; count < 103; count += 1) await proposals.decide(await proposed(), "refuse", "desk");
  expect(proposals.list()).toHaveLength(100);
  expect(proposals.list()[0]?.id).toMatch(/^4-/);
});
