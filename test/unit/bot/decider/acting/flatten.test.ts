// Closing what is held: nothing before everything is canceled, only what reduces and what the guard passes, one order at a time, and flat only
// by the exchange's word, given twice when it can be of nothing but now.

import { beforeEach, describe, expect, test } from "vitest";
import { defaultFlatten, flattenAccount } from "../../../../../src/bot/decider/acting/flatten.ts";
import type { FlattenOptions } from "../../../../../src/bot/decider/input.ts";
import type { Flattened } from "../../../../../src/bot/decider/output.ts";
import type { Answer } from "../../../../../src/bot/decider/work.ts";
import type { Verdict } from "../../../../../src/bot/risk/guard.ts";
import type { Account, Unreadable } from "../../../../../src/domain/account.ts";
import type { PlaceCommand } from "../../../../../src/domain/command.ts";
import { accountId, type Side, size } from "../../../../../src/domain/units.ts";
import { absent, type Fact, type PositionFact, type View } from "../../../../../src/domain/view.ts";
import { createVirtualClock, type VirtualClock } from "../../../../../src/kernel/virtual-clock.ts";
import { plainHeld, plainRead } from "../../../../support/plain-bot.ts";
import { CONTRACT, listed, position } from "../../scene.ts";
import { account, Desks, World } from "../../service/desks.ts";

const LAG_MS = 3000;

let clock: VirtualClock;
let desk: ReturnType<Desks["desk"]>;
/** Contracts at the exchange by market, and at most so many that anybody trades at once. */
let held: Map<number, bigint>;
let counterparty: bigint;
/** From a command to its answer. */
let answerMs: number;
let judge: (commands: readonly PlaceCommand[]) => Verdict | null;
/** What the guard passes. */
let collarBps: number;
let judged: PlaceCommand[][];
let sent: { readonly command: PlaceCommand; readonly atMs: number }[];
let underWay: number;
let mostUnderWay: number;
let readsAtMs: number[];
/** Of our view of a market: our orders there, and what may be known of the position. */
let ordersOfView: { readonly isForeign: boolean }[];
let known: (inventory: Fact<PositionFact>) => Fact<PositionFact>;
/** What is wrong with the exchange's lists. */
let accountSays: (account: Account) => Answer<Account>;
let positionsSay: (account: Account) => Answer<Account>;
let isStopping: boolean;
let clear: (onEnd: (remaining: readonly string[]) => void) => void;
let ended: Flattened[];

beforeEach(() => {
  clock = createVirtualClock({ startMs: 1_790_000_000_000 });
  desk = new Desks().desk();
  desk.trip({ kind: "operator", accountId: account, marketId: null, holds: "halted", reason: "close", numbers: {} }, 0);
  held = new Map();
  counterparty = 1000n;
  answerMs = 20;
  judge = close;
  collarBps = 1000;
  judged = [];
  sent = [];
  underWay = 0;
  mostUnderWay = 0;
  readsAtMs = [];
  ordersOfView = [];
  known = (inventory) => inventory;
  accountSays = (value) => ({ value });
  positionsSay = (value) => ({ value });
  isStopping = false;
  clear = (onEnd) => onEnd([]);
  ended = [];
});

const sizeOf = (marketId: number) => size((held.get(marketId) ?? 0n) * CONTRACT);
const heldView = (marketId: number): Fact<PositionFact> => ({
  ...{ state: "fresh", value: plainHeld(sizeOf(marketId)), ageMs: 0 },
});

/** The guard, and an exchange that trades at once and answers later. */
function close(commands: readonly PlaceCommand[]): Verdict {
  judged.push([...commands]);
  const passed = commands.find(({ maxSlippageBps }) => (maxSlippageBps ?? 0) <= collarBps);
  if (passed === undefined) {
    const numbers = { threw: `slippage of ${commands.at(-1)?.maxSlippageBps} bps` };
    const denials = [{ reason: "maxSlippageBps", numbers }] as never;
    return { approved: [], denied: [{ command: commands.at(-1) as PlaceCommand, actionClass: "reduce", denials }] };
  }
  sent.push({ command: passed, atMs: clock.monotonicMs() });
  underWay += 1;
  mostUnderWay = Math.max(mostUnderWay, underWay);
  ordersOfView = [{ isForeign: false }];
  clock.after(answerMs, () => {
    underWay -= 1;
    ordersOfView = [];
    const contracts = passed.size / CONTRACT < counterparty ? passed.size / CONTRACT : counterparty;
    const before = held.get(passed.marketId) ?? 0n;
    held.set(passed.marketId, passed.side === "sell" ? before - contracts : before + contracts);
  });
  return { approved: [passed] as never, denied: [] };
}

/** Begins it, and lets time pass. */
function flatten(ms: number, options: Partial<FlattenOptions> = {}): void {
  const read = (says: typeof accountSays) => (_: unknown, onEnd: (answer: Answer<Account>) => void) => {
    readsAtMs.push(clock.monotonicMs());
    const positions = [...held].map(([marketId, contracts]) => position(contracts, 200n, { marketId }));
    const answer = says(plainRead({ accountId: account, positions }));
    clock.after(1, () => onEnd(answer));
  };
  flattenAccount(
    desk,
    { ...defaultFlatten, ...options },
    {
      work: {
        clock,
        after: clock.after,
        readAccount: read((of) => accountSays(of)),
        listPositions: read((of) => positionsSay(of)),
      },
      clear: (of, onEnd) => {
        expect(of).toBe(desk);
        clear(onEnd);
      },
      view: (_, marketId) => ({ position: known(heldView(marketId)), orders: ordersOfView }) as unknown as View,
      close: (commands) => judge(commands as readonly PlaceCommand[]),
      underWay: () => underWay,
      readLagMaxMs: LAG_MS,
      isStopping: () => isStopping,
    },
    (flattened) => ended.push(flattened),
  );
  clock.advanceSync(ms);
}
const flat = { accountId: account, kind: "flat", lines: [] };
const notFlat = (...lines: readonly string[]) => ({ accountId: account, kind: "notFlat", lines });
const LATE_MS = 120_000;

describe("what rests", () => {
  test("is cleared before anything is read or closed", () => {
    held.set(1, 1n);
    let cleared = (_: readonly string[]): void => {};
    clear = (onEnd) => {
      cleared = onEnd;
    };
    flatten(10_000);
    expect([readsAtMs, judged, ended]).toEqual([[], [], []]);
    cleared([]);
    clock.advanceSync(10_000);
    expect(ended).toEqual([flat]);
  });

  test("and may go on to rest is named, and nothing is closed", () => {
    held.set(1, 1n);
    clear = (onEnd) => onEnd(["account 12 market 1 order 7: rests"]);
    flatten(LATE_MS);
    expect(ended).toEqual([
      { accountId: account, kind: "ordersMayRest", lines: ["account 12 market 1 order 7: rests"] },
    ]);
    expect([readsAtMs, judged]).toEqual([[], []]);
  });
});

describe("a step", () => {
  test.each<readonly [bigint, Side, readonly bigint[]]>([
    [5n, "sell", [2n, 2n, 1n]],
    [-3n, "buy", [2n, 1n]],
  ])(
    "of %i contracts reduces with market orders of %s, none above the largest order, one at a time",
    (contracts, side, sizes) => {
      held.set(1, contracts);
      flatten(LATE_MS);
      expect(ended).toEqual([flat]);
      expect(sent.map(({ command }) => command.size / CONTRACT)).toEqual(sizes);
      expect(mostUnderWay).toBe(1);
      for (const { command } of sent)
        expect(command).toMatchObject({
          ...{ kind: "place", accountId: account, marketId: 1, side, orderType: "Market", price: 0n },
          ...{ reduceOnly: true, postOnly: false, timeInForce: "IOC", maxSlippageBps: 100 },
        });
    },
  );

  test("offers the guard the most slippage first, then half of it each time, and takes the largest that passes", () => {
    held.set(1, 1n);
    collarBps = 30;
    flatten(LATE_MS);
    expect(judged[0]?.map(({ maxSlippageBps }) => maxSlippageBps)).toEqual([100, 50, 25, 12, 6, 3, 1]);
    expect(sent.map(({ command }) => command.maxSlippageBps)).toEqual([25]);
  });

  test.each([
    [1, [1]],
    [5000, [5000, 2500, 1250, 625, 312, 156, 78, 39, 19, 9, 4, 2, 1]],
  ])("with %i bps as the most", (maxSlippageBps, offered) => {
    held.set(1, 1n);
    flatten(10, { maxSlippageBps });
    expect(judged[0]?.map((command) => command.maxSlippageBps)).toEqual(offered);
  });

  test("comes in each market that holds something", () => {
    held.set(1, 1n).set(2, -1n);
    flatten(LATE_MS);
    expect(sent.map(({ command }) => [command.marketId, command.side])).toEqual([
      [1, "sell"],
      [2, "buy"],
    ]);
    expect(ended).toEqual([flat]);
  });

  test("is tried again where nobody traded, a moment later", () => {
    held.set(1, 1n);
    counterparty = 0n;
    flatten(1000);
    expect(sent.length).toBeGreaterThan(1);
    expect(sent[1]!.atMs - sent[0]!.atMs).toBeGreaterThanOrEqual(250);
    counterparty = 1n;
    clock.advanceSync(LATE_MS);
    expect(ended).toEqual([flat]);
  });

  test.each<readonly [string, () => void]>([
    ["while an order of ours rests or is on its way", () => (ordersOfView = [{ isForeign: false }])],
    ["where the position is not known", () => (known = () => absent)],
    ["where it is doubted", () => (known = () => ({ state: "stale", value: plainHeld(sizeOf(1)), ageMs: 0 }))],
    ["where nothing is held", () => held.set(1, 0n)],
  ])("forbidden: %s", (_, make) => {
    held.set(1, 1n);
    make();
    flatten(LATE_MS);
    expect(judged).toEqual([]);
  });

  test("goes beside a foreign order", () => {
    held.set(1, 1n);
    ordersOfView = [{ isForeign: true }];
    flatten(10);
    expect(sent).toHaveLength(1);
  });
});

describe("flat", () => {
  /** How long both lists had said so before it ended, after the last thing of ours had ended. */
  const sinceQuietMs = (quietMs: number) => readsAtMs.slice(-2).map((atMs) => atMs - quietMs);

  test("is what two lists say that were asked once no read can be of before the last step's end", () => {
    held.set(1, 3n);
    flatten(LATE_MS);
    const quietMs = sent.at(-1)!.atMs + answerMs;
    expect(ended).toEqual([flat]);
    for (const sinceMs of sinceQuietMs(quietMs)) expect(sinceMs).toBeGreaterThanOrEqual(LAG_MS);
    expect(readsAtMs, "the first look, and the last").toHaveLength(4);
  });

  test("needs that though the first lists show nothing: they may be of before", () => {
    flatten(LAG_MS);
    expect(ended).toEqual([]);
    clock.advanceSync(1000);
    expect([ended, judged]).toEqual([[flat], []]);
    for (const sinceMs of sinceQuietMs(0)) expect(sinceMs).toBeGreaterThanOrEqual(LAG_MS);
  });

  test("waits for what has no answer", () => {
    underWay = 1;
    flatten(20_000);
    expect([ended, readsAtMs.length]).toEqual([[], 2]);
    underWay = 0;
    clock.advanceSync(LAG_MS);
    expect(ended).toEqual([]);
    clock.advanceSync(1000);
    expect(ended).toEqual([flat]);
  });

  test("is not asked about while an order rests by what is known", () => {
    ordersOfView = [{ isForeign: true }];
    flatten(20_000);
    expect(readsAtMs).toHaveLength(2);
    ordersOfView = [];
    clock.advanceSync(1000);
    expect([readsAtMs.length, ended]).toEqual([4, [flat]]);
  });

  test.each(["account", "positions"] as const)("forbidden: where the %s alone shows a position", (which) => {
    const shows = (of: Account): Answer<Account> => ({ value: { ...of, positions: [position(1n)] } });
    if (which === "account") accountSays = shows;
    else positionsSay = shows;
    flatten(30_000);
    expect(ended).toEqual([]);
    clock.advanceSync(LATE_MS);
    const [said, listed] = which === "account" ? ["long 1 at 200", "flat"] : ["flat", "long 1 at 200"];
    const line = `account 12 market 1: ${said} by the account, ${listed} by its list of positions`;
    expect(ended).toEqual([notFlat(`${line}; no counterparty within the slippage cap`)]);
  });

  test("forbidden: where an order rests by the list, or something cannot be read", () => {
    const unreadable: Unreadable = {
      ...{ what: "position", orderId: null, marketId: 2, side: null, why: "size: missing" },
    };
    accountSays = (of) => ({ value: { ...of, openOrders: [listed(7n)], unreadable: [unreadable] } });
    positionsSay = (of) => ({ value: { ...of, unreadable: [unreadable] } });
    flatten(30_000);
    expect(ended, "an order may go").toEqual([]);
    clock.advanceSync(LATE_MS);
    const why = "account 12: a position in market 2 cannot be read: size: missing";
    expect(ended).toEqual([notFlat("account 12 market 1: order 7 rests", why)]);
    accountSays = (of) => ({ value: of });
    flatten(10);
    expect(ended[1], "what nobody can close here is not waited for").toEqual(notFlat(why));
  });
});

describe("it ends with what is left", () => {
  const LEFT = "account 12 market 1: long 1 at 200";
  beforeEach(() => held.set(1, 1n));

  test("where the halt is lifted: no further step, and that is said", () => {
    counterparty = 0n;
    flatten(1000);
    desk.lift({ marketId: null, latch: null, reason: "on" }, 0);
    const steps = sent.length;
    clock.advanceSync(1000);
    expect(ended).toEqual([
      notFlat(`${LEFT}; no counterparty within the slippage cap`, "account 12: the halt was lifted meanwhile"),
    ]);
    clock.advanceSync(LATE_MS);
    expect(sent).toHaveLength(steps);
  });

  test("where the daemon stops: no further step, and a last look", () => {
    counterparty = 0n;
    flatten(1000);
    isStopping = true;
    const [steps, reads] = [sent.length, readsAtMs.length];
    clock.advanceSync(1000);
    expect(ended).toEqual([notFlat(`${LEFT}; no counterparty within the slippage cap`)]);
    clock.advanceSync(LATE_MS);
    expect([sent.length, readsAtMs.length]).toEqual([steps, reads + 2]);
  });

  test("where the halt was lifted, or the daemon stopped, before the first: none", () => {
    isStopping = true;
    flatten(LATE_MS);
    expect([sent, ended.map(({ kind }) => kind)]).toEqual([[], ["notFlat"]]);
  });

  test("at the deadline: no step from there on, and no longer than a last one takes to be seen", () => {
    counterparty = 0n;
    flatten(LATE_MS, { deadlineMs: 5000 });
    expect(sent.at(-1)!.atMs).toBeLessThan(5000);
    expect(ended).toEqual([notFlat(`${LEFT}; no counterparty within the slippage cap`)]);
    expect(readsAtMs.at(-1)).toBeGreaterThanOrEqual(5000 + LAG_MS);
    expect(readsAtMs.at(-1)).toBeLessThan(5000 + LAG_MS + 1000);
  });

  test("flat all the same where the last step left just before the deadline", () => {
    [counterparty, answerMs] = [0n, 400];
    flatten(4505, { deadlineMs: 4510 });
    expect([sent.at(-1)?.atMs, underWay]).toEqual([4501, 1]);
    counterparty = 1n;
    clock.advanceSync(LATE_MS);
    expect(ended).toEqual([flat]);
  });

  test("with the guard's word on the newest step", () => {
    collarBps = 0;
    flatten(30_000, { maxSlippageBps: 1 });
    expect(ended).toEqual([]);
    clock.advanceSync(LATE_MS);
    expect(ended).toEqual([notFlat(`${LEFT}; maxSlippageBps could not be judged: slippage of 1 bps`)]);
  });

  test("and no longer with it once the guard passed one that found nobody", () => {
    collarBps = 0;
    flatten(30_000);
    [collarBps, counterparty] = [1000, 0n];
    clock.advanceSync(LATE_MS);
    expect(ended).toEqual([notFlat(`${LEFT}; no counterparty within the slippage cap`)]);
  });

  test.each(["account", "positions"] as const)(
    "while the %s cannot be read, it is not known; then it goes on",
    (which) => {
      const says = which === "account" ? accountSays : positionsSay;
      let isAway = true;
      const away = (of: Account): Answer<Account> => (isAway ? { why: "HTTP 503" } : says(of));
      if (which === "account") accountSays = away;
      else positionsSay = away;
      flatten(30_000);
      expect([ended, held.get(1)], "what is known is closed").toEqual([[], 0n]);
      isAway = false;
      clock.advanceSync(1000);
      expect(ended).toEqual([flat]);
      isAway = true;
      flatten(LATE_MS);
      expect(ended[1]).toEqual(notFlat("account 12: cannot be read: HTTP 503"));
    },
  );

  test("of a market without limits: named at once, and not closed", () => {
    held = new Map([[9, -2n]]);
    flatten(1000);
    expect(ended).toEqual([
      notFlat("account 12 market 9: short 2 at 200; not in the configuration, so it has no limits"),
    ]);
    expect(judged).toEqual([]);
  });

  test("where the market is not ours to act in any more", () => {
    judge = () => null;
    flatten(LATE_MS);
    expect(ended).toEqual([notFlat(`${LEFT}; no counterparty within the slippage cap`)]);
  });

  test("of something that was on its way when it had to end", () => {
    held = new Map();
    underWay = 1;
    flatten(LATE_MS);
    expect(ended).toEqual([notFlat("account 12: shows no position, and something of ours was still on its way")]);
  });
});

test("forbidden: an account that the machine does not have is not closed", () => {
  const world = new World();
  world.driver.feed({
    ...{ kind: "act", number: 1 },
    act: { kind: "flatten", accountId: accountId(99n), options: defaultFlatten },
  });
  const flattened = { accountId: 99n, kind: "notFlat", lines: ["account 99 is not one of this daemon's"] };
  expect(world.wanted).toEqual([{ kind: "done", number: 1, result: { kind: "flatten", flattened } }]);
});
