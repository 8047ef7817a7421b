// What a start does to orders that the exchange lists and that the ledger does not know.

import { describe, expect, test } from "vitest";
import { type FoundModules, judgeFoundOrders } from "../../../../../src/bot/service/lifecycle/found-orders.ts";
import { createLog } from "../../../../../src/bot/telemetry/log.ts";
import type { Account } from "../../../../../src/domain/account.ts";
import type { CancelAllCommand, CancelCommand } from "../../../../../src/domain/command.ts";
import type { StoredIntent } from "../../../../../src/domain/intent.ts";
import type { StoredOrder } from "../../../../../src/domain/order.ts";
import { orderId, price, size } from "../../../../../src/domain/units.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import { AGENT, CONTRACT, listed, account as read, USD } from "../../scene.ts";
import { account, World } from "../desks.ts";

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
};

/** Starts with a list of order 7 alone; returns the orders that were canceled, and those that may rest or have been filled. */
async function start(before: Before) {
  const { known = [stored(7n)], open = [], agents = [] } = before;
  const { isLedgerLost = false, foreignOrders = "keep" } = before;
  const world = new World();
  for (const order of known) world.ledger.keep({ kind: "order", order });
  world.ledger.commit();
  const canceled: bigint[] = [];
  const lines: string[] = [];
  const nowMs = 1_790_000_000_000;
  world.start();
  const state = world.state.accounts.get(account)!;
  const modules: FoundModules = {
    state,
    driver: world.driver,
    desk: Object.assign(world.desks.get(account)!, { quoted: { ...world.desk().quoted, foreignOrders } }),
    execution: {
      cancel(command: CancelCommand | CancelAllCommand) {
        if (command.kind === "cancel") canceled.push(command.orderId);
        return Promise.resolve({ kind: "refused", hash: "h", error: "no such order" });
      },
    },
    ledger: { openIntents: () => open, read: world.ledger.read },
    isLedgerLost,
    reads: { account: () => Promise.reject(new Error("not asked")) },
    clock: { ...systemClock, wallMs: () => nowMs },
    log: createLog("info", { write: (line) => lines.push(line), terminal: false, wallMs: () => nowMs }),
  };
  await judgeFoundOrders(read({ accountId: account, openOrders: [listed(7n)], agents }), modules);
  world.ledger.commit();
  return {
    canceled,
    log: lines.join(""),
    live: Array.from(state.orders.live, ({ order }) => order),
    kept: world.ledger.read.knownOrders(account, 10),
  };
}

test("an order that the ledger knows is ours: the first resync cancels it", async () => {
  expect(await start({})).toMatchObject({ canceled: [], live: [], log: "" });
});

test.each([
  ["may be what a transaction became whose answer was lost", listed(7n).price, []],
  ["of another price than every one of those stays, and is named", price(1n), [{ orderId: 7n, isForeign: true }]],
])("an unknown order %s", async (_, at, expected) => {
  const { marketId, side, size: whole } = listed(7n);
  const command = { kind: "place", accountId: account, marketId, side, price: at, size: whole } as const;
  const open = [{ id: 1, accountId: account, command } as never];
  expect((await start({ known: [stored(8n)], open })).live).toMatchObject(expected);
});

test("with a new ledger, an order that is found counts as ours, and the ledger keeps what may be left of it", async () => {
  const { price: at, size: whole } = listed(7n);
  expect((await start({ known: [] })).kept).toEqual([stored(7n, { price: at, size: whole })]);
});

describe("with a new ledger, where another key is approved on the account", () => {
  const agents = [
    { pubkey: AGENT, name: "ours", expiresAtSec: null },
    { pubkey: "ab".repeat(32), name: "first", expiresAtSec: null },
  ];

  test("what is found may be a second daemon's: it stays, and orders and key are named", async () => {
    const { kept, live, canceled, log } = await start({ known: [], agents });
    expect([kept, canceled]).toEqual([[], []]);
    expect(live).toMatchObject([{ orderId: 7n, isForeign: true }]);
    expect(log).toContain("another key is approved on the account (first abababab)");
    expect(log).toContain("stay: foreign orders are left alone");
  });

  test("it is canceled where the configuration says so", async () => {
    const { kept, canceled } = await start({ known: [], agents, foreignOrders: "cancel" });
    expect(kept).toEqual([]);
    expect(new Set(canceled)).toEqual(new Set([7n]));
  });

  test("a lost ledger knew of orders of ours: they count as ours", async () => {
    expect((await start({ known: [], agents, isLedgerLost: true })).live).toEqual([]);
    expect((await start({ known: [], agents, isLedgerLost: true })).kept).toMatchObject([{ orderId: 7n }]);
  });
});
