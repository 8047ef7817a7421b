// What each reason to clear a market or an account wants canceled, for how long, and who hears how it ended. How orders are canceled is
// the mass cancel's own.

import { beforeEach, describe, expect, test } from "vitest";
import { Halts } from "../../../../../src/bot/decider/acting/halts.ts";
import type { MassCancelResult } from "../../../../../src/bot/decider/acting/mass-cancel.ts";
import type { WantedMassCancel } from "../../../../../src/bot/decider/acting/start-mass-cancel.ts";
import type { AccountDesk } from "../../../../../src/bot/decider/desks/account-desk.ts";
import { type Notice, sayTo } from "../../../../../src/bot/decider/notice.ts";
import type { Latch } from "../../../../../src/domain/latch.ts";
import { type AccountId, orderId } from "../../../../../src/domain/units.ts";
import { account, Desks, other } from "../../service/desks.ts";

type Running = {
  readonly accountId: AccountId;
  readonly wanted: WantedMassCancel;
  readonly isOver: () => boolean;
  readonly end: (result: MassCancelResult) => void;
};

let world: Desks;
let desk: AccountDesk;
let halts: Halts;
/** Mass cancels that were begun and have not ended. */
let running: Running[];
let notices: Notice[];

beforeEach(() => {
  world = new Desks();
  desk = world.desk();
  begin();
});

function begin(desks: ReadonlyMap<AccountId, AccountDesk> = world.desks): void {
  running = [];
  notices = [];
  halts = new Halts({
    desks,
    massCancels: {
      start: (accountId, wanted, isOver, end) => void running.push({ accountId, wanted, isOver, end }),
    },
    log: sayTo((notice) => notices.push(notice)),
  });
}

const nothing: MassCancelResult = { confirmed: true, remaining: [], kept: [], unresolved: 0, reads: 2, unread: [] };
const left = (id: bigint) => [{ orderId: orderId(id), marketId: 1 }] as const;
const leftLine = (id: bigint) => `account 12 market 1 order ${id}: no answer and no list says that it is gone`;
/** The first of them ends: confirmed, unless orders remain. */
const end = (of: Partial<MassCancelResult> = {}): void => running.shift()?.end({ ...nothing, ...of });
const fail = (): void => end({ confirmed: false, remaining: left(7n) });

const latch = (of: Partial<Latch> = {}): Latch => ({
  ...{ kind: "operator", accountId: account, marketId: null, holds: "halted", reason: "enough", numbers: {} },
  ...of,
});
/** Holds on the desk, and is enforced. */
function halt(of: Partial<Latch> = {}): void {
  desk.trip(latch(of), 0);
  halts.enforce(desk, latch(of));
}
const lift = (marketId: number | null = null) => desk.lift({ marketId, latch: null, reason: "on" }, 0);
const scopes = () => running.map(({ accountId, wanted }) => [accountId, wanted.scope.orders, wanted.scope.marketId]);
const said = () => notices.map(({ facts }) => facts.event);

describe("a latch", () => {
  beforeEach(() => halts.start());

  test("has what it halts canceled until the exchange has confirmed it, and no longer", () => {
    halt();
    expect(scopes()).toEqual([[account, "ours", null]]);
    fail();
    expect(scopes(), "again, at once").toEqual([[account, "ours", null]]);
    end();
    expect([running, said()]).toEqual([[], ["massCancel.failed", "massCancel.confirmed"]]);
    expect(notices[0]).toMatchObject({ level: "error", text: `orders may still rest: ${leftLine(7n)}` });
  });

  test("of a market reaches that market alone", () => {
    halt({ marketId: 2 });
    expect(scopes()).toEqual([[account, "ours", 2]]);
    end();
    expect(notices[0]?.text).toBe("market 2 of account 12: the exchange has confirmed that none of our orders rests");
  });

  test("that is lifted ends it: nothing is said of what rests then, for it may rest", () => {
    halt();
    expect(running[0]?.isOver()).toBe(false);
    lift();
    expect(running[0]?.isOver()).toBe(true);
    fail();
    expect([running, notices]).toEqual([[], []]);
  });

  test("of a market that is lifted goes on where the account's holds it", () => {
    halt({ marketId: 1 });
    halt();
    lift(1);
    expect(running.map(({ isOver }) => isOver())).toEqual([false, false]);
  });

  test("has everything canceled where the configuration says so of foreign orders, by the word of each round", () => {
    halt();
    desk.quoted = { ...desk.quoted, foreignOrders: "cancel" };
    fail();
    expect(scopes()).toEqual([[account, "all", null]]);
  });

  test("names the foreign orders that it left", () => {
    halt();
    end({ kept: left(9n) });
    expect(notices.at(-1)).toMatchObject({ level: "warn", facts: { event: "massCancel.kept", kept: [leftLine(9n)] } });
  });

  test("forbidden: that one which reduces only has anything canceled", () => {
    halt({ holds: "reducing" });
    expect(running).toEqual([]);
    halt({ kind: "drawdown" });
    end();
    halt({ holds: "reducing", kind: "loss" });
    expect(running, "on a halted account neither").toEqual([]);
  });
});

describe("a second call of a scope", () => {
  beforeEach(() => halts.start());

  test("joins the first and hears how that ends", () => {
    halt();
    const heard: unknown[] = [];
    desk.quoted = { ...desk.quoted, foreignOrders: "cancel" };
    halts.clear(desk, (lines) => heard.push(lines));
    halts.enforce(desk, latch());
    expect(scopes(), "the halt of our own orders, and of all").toEqual([
      [account, "ours", null],
      [account, "all", null],
    ]);
    running.pop()?.end({ ...nothing, confirmed: false, remaining: left(7n) });
    expect(heard).toEqual([[leftLine(7n)]]);
    expect(scopes(), "whoever wants it confirmed begins again").toEqual([
      [account, "ours", null],
      [account, "all", null],
    ]);
  });

  test("leaves it to the first whether it goes on, and begins its own where that gave up and it has not", () => {
    const ended: boolean[] = [];
    desk.markets.get(1)?.strategy.drain();
    halts.leaveMarket(desk, 1, (isConfirmed) => ended.push(isConfirmed));
    halt({ marketId: 1 });
    expect(running).toHaveLength(1);
    const [first] = running;
    world.start();
    desk.markets.set(1, world.market(1));
    expect(first?.isOver(), "quoted again, though a latch holds").toBe(true);
    fail();
    expect([ended, scopes()]).toEqual([[false], [[account, "ours", 1]]]);
    expect(running[0]?.isOver()).toBe(false);
    end();
    expect([running, said()]).toEqual([[], ["massCancel.confirmed"]]);
  });

  test("of another market or account is its own", () => {
    halt({ marketId: 1 });
    halt({ marketId: 2 });
    const theirs = latch({ accountId: other, marketId: 1 });
    world.desk(other).trip(theirs, 0);
    halts.enforce(world.desk(other), theirs);
    expect(scopes()).toEqual([
      [account, "ours", 1],
      [account, "ours", 2],
      [other, "ours", 1],
    ]);
  });
});

describe("before the start", () => {
  test("nothing is canceled for a latch; at the start, for each that holds by then", () => {
    halt({ marketId: 2 });
    world.desk(other).trip(latch({ accountId: other }), 0);
    halt({ kind: "drawdown", marketId: 1 });
    lift(1);
    expect(running).toEqual([]);
    halts.start();
    expect(scopes()).toEqual([
      [account, "ours", 2],
      [other, "ours", null],
    ]);
  });
});

describe("a market that is left", () => {
  let ended: boolean[];
  beforeEach(() => {
    halts.start();
    ended = [];
  });
  const leave = () => halts.leaveMarket(desk, 1, (isConfirmed) => ended.push(isConfirmed));

  test("is canceled until the exchange has confirmed it, while its desk drains", () => {
    desk.markets.get(1)?.strategy.drain();
    leave();
    fail();
    expect([ended, scopes()]).toEqual([[], [[account, "ours", 1]]]);
    end();
    expect([ended, running]).toEqual([[true], []]);
  });

  test("and that is quoted again is not: it is not confirmed", () => {
    desk.markets.get(1)?.strategy.drain();
    leave();
    world.start();
    desk.markets.set(1, world.market(1));
    end();
    expect([ended, running]).toEqual([[false], []]);
  });

  test("without a desk is canceled like any other", () => {
    desk.markets.delete(1);
    leave();
    end();
    expect(ended).toEqual([true]);
  });
});

describe("a key that ends", () => {
  test("has the account cleared until the exchange has confirmed it, or the key ends no longer", () => {
    let isEnding = true;
    halts.beforeKeyEnds(desk, () => isEnding);
    fail();
    expect(scopes()).toEqual([[account, "ours", null]]);
    isEnding = false;
    fail();
    expect(running).toEqual([]);
    isEnding = true;
    halts.beforeKeyEnds(desk, () => isEnding);
    end();
    expect(running).toEqual([]);
  });
});

describe("clearing a halted account", () => {
  let heard: (readonly string[])[];
  beforeEach(() => {
    halts.start();
    heard = [];
    halt();
    running = [];
    halts.clear(desk, (lines) => heard.push(lines));
  });

  test("reaches foreign orders too, and is tried once: what may still rest is named", () => {
    expect(scopes()).toEqual([[account, "all", null]]);
    fail();
    expect([heard, running]).toEqual([[[leftLine(7n)]], []]);
  });

  test("leaves nothing once it is confirmed", () => {
    end();
    expect(heard).toEqual([[]]);
  });

  test("ends without a line where the halt is lifted", () => {
    lift();
    expect(running[0]?.isOver()).toBe(true);
    fail();
    expect(heard).toEqual([[]]);
  });
});

describe("a stop", () => {
  let heard: (readonly string[])[];
  beforeEach(() => {
    halts.start();
    heard = [];
  });
  const stop = () => halts.stop((lines) => heard.push(lines));

  test("cancels every account for the last time, 25 s long, and names what may still rest once the last has ended", () => {
    stop();
    expect(running.map(({ accountId, wanted }) => [accountId, wanted])).toEqual(
      [account, other].map((id) => [id, { scope: { orders: "ours", marketId: null }, deadlineMs: 25_000 }]),
    );
    expect(running.map(({ isOver }) => isOver())).toEqual([false, false]);
    running.pop()?.end({ ...nothing, confirmed: false, unresolved: 1 });
    expect(heard).toEqual([]);
    fail();
    expect(heard, "in the order of the accounts").toEqual([
      [leftLine(7n), "account 13: 1 transactions are unresolved"],
    ]);
    expect(running, "nothing begins again").toEqual([]);
  });

  test("ends what runs: it is not begun again, and nothing is said of it", () => {
    const ended: boolean[] = [];
    halt();
    desk.markets.get(2)?.strategy.drain();
    halts.leaveMarket(desk, 2, (isConfirmed) => ended.push(isConfirmed));
    stop();
    expect(running.map(({ isOver }) => isOver())).toEqual([true, true, false, false]);
    fail();
    fail();
    expect([running.length, ended, notices]).toEqual([2, [false], []]);
    end();
    end();
    expect([heard, said()]).toEqual([[[]], ["massCancel.confirmed", "massCancel.confirmed"]]);
  });

  test("lets nothing begin after it", () => {
    stop();
    running = [];
    halt();
    halts.beforeKeyEnds(desk, () => true);
    expect(running).toEqual([]);
  });

  test("of a daemon without accounts is over at once", () => {
    begin(new Map());
    stop();
    expect([heard, running]).toEqual([[[]], []]);
  });
});
