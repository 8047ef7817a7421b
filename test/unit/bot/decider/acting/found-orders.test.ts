// What a start does to orders that the exchange lists and that the ledger does not know.

import { describe, expect, test } from "vitest";
import { processTiming } from "../../../../../src/bot/timing.ts";
import type { Account, Unreadable } from "../../../../../src/domain/account.ts";
import type { StoredIntent } from "../../../../../src/domain/intent.ts";
import type { Order, StoredOrder } from "../../../../../src/domain/order.ts";
import { orderId, price, size } from "../../../../../src/domain/units.ts";
import { AGENT, CONTRACT, listed, account as read, refused, USD } from "../../scene.ts";
import { account, World } from "../../service/desks.ts";

const stored = (id: bigint, of: Partial<StoredOrder> = {}): StoredOrder => ({
  accountId: account,
  orderId: orderId(id),
  marketId: 1,
  side: "buy",
  price: price(200n * USD),
  size: size(3n * CONTRACT),
  isOver: false,
  ...of,
});

type Before = {
  readonly known?: readonly StoredOrder[];
  readonly open?: readonly StoredIntent[];
  readonly agents?: Account["agents"];
  readonly isLedgerLost?: boolean;
  readonly foreignOrders?: "keep" | "cancel";
  readonly openOrders?: readonly Order[];
  readonly unreadable?: readonly Unreadable[];
  /** What the exchange says to a cancel that no list bears out, and whether it lists at all. */
  readonly lists?: "gone" | "still" | "nothing";
};

/** Starts with a list of order 7 alone; returns the orders that were canceled, and those that may rest or have been filled. */
function start(before: Before) {
  const { known = [stored(7n)], open = [], agents = [], openOrders = [listed(7n)], unreadable = [] } = before;
  const { isLedgerLost = false, foreignOrders = "keep", lists = "gone" } = before;
  const world = new World();
  for (const order of known) world.ledger.keep({ kind: "order", order });
  world.ledger.commit();
  world.start({}, [1, 2], {}, { foreignOrders });
  const canceled: { readonly id: bigint; readonly atMs: number }[] = [];
  const left: (number | null)[] = [];
  let ends = 0;
  world.carryOut = (wanted) => {
    if (wanted.kind === "done") ends += 1;
    if (wanted.kind === "submit" && wanted.command.kind === "cancelAll") left.push(wanted.command.marketId);
    if (wanted.kind === "submit" && wanted.command.kind === "cancel") {
      canceled.push({ id: wanted.command.orderId, atMs: world.nowMs() });
      world.time.after(1, () => world.answer(wanted, refused));
    }
    if (wanted.kind !== "read") return;
    const unread = { why: "HTTP 503", isImplausible: false };
    const answer = lists === "still" ? { openOrders, unreadable } : {};
    world.time.after(1, () =>
      world.driver.feed(
        lists === "nothing" ? { kind: "unread", read: wanted.read, unread } : world.readAnswer(wanted, answer),
      ),
    );
  };
  const found = read({ accountId: account, openOrders, agents, unreadable });
  const isLedgerNew = known.length === 0;
  world.driver.feed({
    kind: "act",
    number: 1,
    act: { kind: "found", account: found, open, isLedgerLost, isLedgerNew },
  });
  world.advance(20 * processTiming.startAgainMs);
  world.ledger.commit();
  expect([ends, left], "the machine says once that it is done").toEqual([1, []]);
  const [ids, times] = [canceled.map(({ id }) => id), canceled.map(({ atMs }) => atMs)];
  world.driver.feed({ kind: "start", lastOrderedMs: new Map() });
  return {
    left,
    canceled: ids,
    apartMs: times.slice(1).map((atMs, nth) => atMs - times[nth]!),
    log: world.lines.filter((line) => line.includes("start.foundOrders")).join(""),
    live: Array.from(world.state.accounts.get(account)!.orders.live, ({ order }) => order),
    kept: world.ledger.read.knownOrders(account, 10),
  };
}

test("an order that the ledger knows is ours: the first resync cancels it", () => {
  expect(start({})).toMatchObject({ canceled: [], live: [], log: "" });
});

test.each([
  ["may be what a transaction became whose answer was lost", listed(7n).price, []],
  ["of another price than every one of those stays, and is named", price(1n), [{ orderId: 7n, isForeign: true }]],
])("an unknown order %s", (_, at, expected) => {
  const { marketId, side, size: whole } = listed(7n);
  const command = { kind: "place", accountId: account, marketId, side, price: at, size: whole } as const;
  const open = [{ id: 1, accountId: account, command } as never];
  expect(start({ known: [stored(8n)], open }).live).toMatchObject(expected);
});

test("with a new ledger, an order that is found counts as ours, and the ledger keeps what may be left of it", () => {
  const { price: at, size: whole } = listed(7n);
  expect(start({ known: [] }).kept).toEqual([stored(7n, { price: at, size: whole })]);
});

describe("with a new ledger, where another key is approved on the account", () => {
  const agents = [
    { pubkey: AGENT, name: "ours", expiresAtSec: null },
    { pubkey: "ab".repeat(32), name: "first", expiresAtSec: null },
  ];

  test("what is found may be a second daemon's: it stays, and orders and key are named", () => {
    const { kept, live, canceled, log } = start({ known: [], agents });
    expect([kept, canceled]).toEqual([[], []]);
    expect(live).toMatchObject([{ orderId: 7n, isForeign: true }]);
    expect(log).toContain("another key is approved on the account (first abababab)");
    expect(log).toContain("stay: foreign orders are left alone");
  });

  test("it is canceled where the configuration says so", () => {
    const { kept, canceled } = start({ known: [], agents, foreignOrders: "cancel" });
    expect(kept).toEqual([]);
    expect(new Set(canceled)).toEqual(new Set([7n]));
  });

  test("a lost ledger knew of orders of ours: they count as ours", () => {
    expect(start({ known: [], agents, isLedgerLost: true }).live).toEqual([]);
    expect(start({ known: [], agents, isLedgerLost: true }).kept).toMatchObject([{ orderId: 7n }]);
  });
});

test.each([
  ["only reduces", { reduceOnly: true }],
  ["waits for a price", { triggerPrice: price(1n) }],
  ["is in a market that is not ours", { marketId: 9 }],
])("forbidden, with a new ledger: to take an order for ours that %s", (_, of) => {
  const { kept, live } = start({ known: [], openOrders: [listed(7n, of)] });
  expect([kept, live]).toMatchObject([[], [{ orderId: 7n, isForeign: true }]]);
});

test("a market with orders of ours that the configuration no longer names is left once orders may be sent", () => {
  expect(start({ openOrders: [listed(7n, { marketId: 9 })] }).left).toContain(9);
  expect(start({}).left).not.toContain(9);
});

describe("a foreign order that the configuration has canceled", () => {
  const foreign = { known: [stored(8n)], foreignOrders: "cancel" } as const;

  test("is done with once a list lacks it, and is named", () => {
    const { canceled, live, log } = start(foreign);
    expect([canceled, live]).toEqual([[7n], []]);
    expect(log).toContain("were canceled: 7");
  });

  test.each(["still", "nothing"] as const)(
    "goes five times, a moment apart, where the lists say %s of it; then it is one that stays",
    (lists) => {
      const { canceled, apartMs, live, log } = start({ ...foreign, lists });
      expect(canceled).toEqual([7n, 7n, 7n, 7n, 7n]);
      expect(Math.min(...apartMs)).toBeGreaterThanOrEqual(processTiming.startAgainMs);
      expect(live).toMatchObject([{ orderId: 7n, isForeign: true }]);
      expect(log).toContain("stay: foreign orders are left alone: 7");
      expect(log).not.toContain("were canceled");
    },
  );
});

describe("an order that cannot be read", () => {
  const unread = (id: bigint | null): Unreadable => ({
    ...{ what: "order", orderId: id === null ? null : orderId(id), marketId: 1, side: null, why: "price: missing" },
  });

  test("goes where it is ours", () => {
    expect(start({ openOrders: [], unreadable: [unread(7n)] }).canceled).toEqual([7n]);
  });

  test.each([
    ["keep", []],
    ["cancel", [9n]],
  ] as const)(
    "of which nobody knows whose it is: as the configuration says of foreign ones, %s",
    (foreignOrders, ids) => {
      expect(start({ openOrders: [], unreadable: [unread(9n)], foreignOrders }).canceled).toEqual(ids);
    },
  );

  test("forbidden: a cancel without an id", () => {
    expect(start({ openOrders: [], unreadable: [unread(null)], foreignOrders: "cancel" }).canceled).toEqual([]);
  });
});
