// What an operator asks: read strictly, carried out where it is meant and nowhere else, kept over the death of the process.

import { beforeEach, describe, expect, test } from "vitest";
import { tradingStateOf } from "../../../../../src/bot/risk/latches.ts";
import {
  NO_REASON,
  type OperatorRequest,
  type OperatorVerb,
  operate,
  operatorVerbs,
  readRequest,
} from "../../../../../src/bot/service/operator/trading-state.ts";
import { accountId } from "../../../../../src/domain/units.ts";
import { account, CHAIN, other, World } from "../desks.ts";

const all: OperatorRequest = { reason: "why", chainId: null, accountId: null, marketId: null, latch: null };

describe("a request", () => {
  test("is a reason, and what narrows it", () => {
    expect(readRequest('{"reason":"why"}', "halt")).toEqual(all);
    const body = { reason: "why", chainId: CHAIN, account: "18446744073709551615", market: 7, latch: "loss" };
    expect(readRequest(JSON.stringify(body), "resume")).toEqual({
      reason: "why",
      chainId: CHAIN,
      accountId: 18_446_744_073_709_551_615n,
      marketId: 7,
      latch: "loss",
    });
    expect(readRequest('{"reason":"why","account":12}', "halt")).toMatchObject({ accountId: 12n });
  });

  test("a reason without an end is cut", () => {
    expect(readRequest(JSON.stringify({ reason: "x".repeat(1000) }), "halt")).toMatchObject({
      reason: "x".repeat(200),
    });
  });

  test.each([
    "",
    "null",
    "[]",
    "12",
    '"reason"',
    '{"reason":""}',
    '{"reason":"\\t "}',
    '{"reason":7}',
    '{"reason":"x","acount":"12"}',
    '{"reason":"x","account":""}',
    '{"reason":"x","account":"-1"}',
    '{"reason":"x","account":"18446744073709551616"}',
    '{"reason":"x","account":1.5}',
    '{"reason":"x","account":["12"]}',
    '{"reason":"x","account":true}',
    '{"reason":"x","market":"1"}',
    '{"reason":"x","market":-1}',
    '{"reason":"x","market":65536}',
    '{"reason":"x","latch":"none"}',
    '{"reason":"x","chainId":5}',
  ])("%s is malformed for every verb", (body) => {
    for (const verb of operatorVerbs) expect(readRequest(body, verb)).toMatchObject({ kind: "malformed" });
  });

  test("a halt alone may leave its reason out", () => {
    expect(readRequest("{}", "halt")).toEqual({ ...all, reason: NO_REASON });
    expect(readRequest("{}", "reduce")).toMatchObject({ kind: "malformed" });
    expect(readRequest("{}", "resume")).toMatchObject({ kind: "malformed" });
  });

  test("a kind of latch is for resume alone: nobody halts by loss", () => {
    const body = '{"reason":"x","latch":"loss"}';
    expect(readRequest(body, "resume")).toMatchObject({ latch: "loss" });
    expect(readRequest(body, "halt")).toMatchObject({ kind: "malformed" });
    expect(readRequest(body, "reduce")).toMatchObject({ kind: "malformed" });
  });
});

describe("carried out", () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });

  const ask = (verb: OperatorVerb, request: Partial<OperatorRequest>) =>
    operate(verb, { ...all, ...request }, world.operated);
  const lifted = (verb: OperatorVerb, request: Partial<OperatorRequest>) => {
    const done = ask(verb, request);
    if ("kind" in done) throw new RangeError(done.why);
    return done.map((each) => each.lifted.map(({ kind, marketId }) => `${kind}/${marketId}`));
  };
  const state = (marketId: number, id = account) => tradingStateOf(world.desk(id).latches, id, marketId);
  const states = () => [state(1), state(2), state(1, other)];

  test.each<readonly [OperatorVerb, string, Partial<OperatorRequest>, readonly string[]]>([
    ["halt", "everything", {}, ["halted", "halted", "halted"]],
    ["reduce", "everything", {}, ["reducing", "reducing", "reducing"]],
    ["halt", "an account", { accountId: account }, ["halted", "halted", "active"]],
    ["halt", "a market of an account", { accountId: account, marketId: 2 }, ["active", "halted", "active"]],
    ["reduce", "a market of every account", { marketId: 1 }, ["reducing", "active", "reducing"]],
    ["halt", "a market that one account quotes", { marketId: 2 }, ["active", "halted", "active"]],
    ["halt", "everything on this exchange", { chainId: CHAIN }, ["halted", "halted", "halted"]],
  ])("%s %s, and a killed process remembers", (verb, _, request, expected) => {
    ask(verb, request);
    expect(states()).toEqual(expected);
    world.start();
    expect(states()).toEqual(expected);
  });

  test("a second halt finds the first one's reason in force, which stays; one of a market does not", () => {
    const found = (request: Partial<OperatorRequest>) => {
      const done = ask("halt", { accountId: account, ...request });
      if ("kind" in done) throw new RangeError(done.why);
      return done.map(({ heldAlready }) => heldAlready && [heldAlready.latch.reason, heldAlready.sinceMs]);
    };
    expect(found({ reason: "first" })).toEqual([null]);
    expect(found({ reason: "second" })).toEqual([["first", world.clock.wallMs()]]);
    expect(found({ reason: "third", marketId: 1 })).toEqual([null]);
    expect(world.desk(account).latches.map(({ reason }) => reason)).toEqual(["first", "third"]);
  });

  test.each<readonly [string, Partial<OperatorRequest>, string]>([
    ["another exchange", { chainId: "venue-v4:mainnet:chain-1" }, "elsewhere"],
    ["an account that is not ours", { accountId: accountId(99n) }, "elsewhere"],
    ["a market that nobody quotes", { marketId: 9 }, "malformed"],
    ["a market that another account quotes", { accountId: other, marketId: 2 }, "malformed"],
  ])("%s is not here, and nothing has changed", (_, request, kind) => {
    expect(ask("halt", request)).toMatchObject({ kind });
    expect(states()).toEqual(["active", "active", "active"]);
  });

  test("the stricter of two holds, whichever came first", () => {
    ask("reduce", {});
    ask("halt", { accountId: account });
    expect(states()).toEqual(["halted", "halted", "reducing"]);
    ask("reduce", {});
    expect(states()).toEqual(["halted", "halted", "reducing"]);
  });

  test("resume lifts what it names: all, a market's own, one kind", () => {
    ask("halt", { accountId: account });
    ask("halt", { accountId: account, marketId: 1 });
    expect(lifted("resume", { accountId: account, marketId: 1 })).toEqual([["operator/1"]]);
    expect(states(), "the account's own holds on").toEqual(["halted", "halted", "active"]);
    expect(lifted("resume", { accountId: account, marketId: 1 }), "and a second one lifts nothing").toEqual([[]]);
    ask("resume", { latch: "loss" });
    expect(states(), "no loss held it").toEqual(["halted", "halted", "active"]);
    ask("resume", {});
    expect(states()).toEqual(["active", "active", "active"]);
    world.start();
    expect(states()).toEqual(["active", "active", "active"]);
  });

  test("a market that is quoted no more can still be resumed", () => {
    ask("halt", { accountId: account, marketId: 2 });
    world.start({}, [1]);
    expect(ask("resume", { accountId: account, marketId: 2 })).toHaveLength(1);
    expect(world.desk().latches).toEqual([]);
  });

  test("a disk that fails halts all the same, and says that a restart may forget it", () => {
    world.failure = "no space left";
    ask("halt", {});
    expect(states()).toEqual(["halted", "halted", "halted"]);
    expect(world.lines.join("")).toContain("latch.unwritten");
  });
});
