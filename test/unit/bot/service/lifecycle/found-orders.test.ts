// What a start does to orders of the last life that the first list lacks: the list may be older than they are.

import { describe, expect, test } from "vitest";
import { createAccountBook } from "../../../../../src/bot/accounting/account-book.ts";
import type { FillEvent } from "../../../../../src/bot/accounting/market-book.ts";
import { createAccountState } from "../../../../../src/bot/feed/account/account-state.ts";
import { type FoundModules, judgeFoundOrders } from "../../../../../src/bot/service/lifecycle/found-orders.ts";
import { createLog } from "../../../../../src/bot/telemetry/log.ts";
import type { Account } from "../../../../../src/domain/account.ts";
import type { CancelAllCommand, CancelCommand } from "../../../../../src/domain/command.ts";
import type { StoredIntent } from "../../../../../src/domain/intent.ts";
import type { StoredOrder } from "../../../../../src/domain/order.ts";
import { orderId, price, size } from "../../../../../src/domain/units.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import { filled } from "../../accounting/books.ts";
import { CONTRACT, listed, account as read, USD } from "../../feed/scene.ts";
import { account, World } from "../desks.ts";

const BOUND_MS = 90_000;

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
  readonly lastOrderedAgoMs?: number | null;
  readonly fills?: readonly FillEvent[];
  readonly open?: readonly StoredIntent[];
  readonly agents?: Account["agents"];
  readonly isLedgerLost?: boolean;
  readonly foreignOrders?: "keep" | "cancel";
};

/** Starts with a list of order 7 alone; returns the orders that were canceled, and those that may rest or have been filled. */
async function start(before: Before) {
  const { known = [stored(7n), stored(8n)], lastOrderedAgoMs = 0, fills = [], open = [], agents = [] } = before;
  const { isLedgerLost = false, foreignOrders = "keep" } = before;
  const world = new World();
  for (const order of known) world.ledger.order(order);
  world.ledger.commit();
  const canceled: bigint[] = [];
  const lines: string[] = [];
  const nowMs = 1_790_000_000_000;
  const state = createAccountState({
    accountId: account,
    agentPubkey: "",
    knownOrders: known,
    book: createAccountBook(),
  });
  const lastOrderedMs = () => (lastOrderedAgoMs === null ? null : nowMs - lastOrderedAgoMs);
  const modules: FoundModules = {
    state,
    desk: Object.assign(world.desks.get(account)!, { quoted: { ...world.desk().quoted, foreignOrders } }),
    execution: {
      cancel(command: CancelCommand | CancelAllCommand) {
        if (command.kind === "cancel") canceled.push(command.orderId);
        return Promise.resolve({ kind: "refused", hash: "h", error: "no such order" });
      },
    },
    ledger: { openIntents: () => open, read: { ...world.ledger.read, lastOrderedMs, fills: () => fills } },
    isLedgerLost,
    landingBoundMs: BOUND_MS,
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

test.each([
  ["of a life that just ended: canceled, which does no harm where it is gone", BOUND_MS, [8n]],
  ["of one that ended long ago: every list has what is left of it", BOUND_MS + 1, []],
  ["of no life at all", null, []],
] as const)("an order that the list lacks, %s", async (_, lastOrderedAgoMs, expected) => {
  expect((await start({ lastOrderedAgoMs })).canceled).toEqual(expected);
});

test("an order that the ledger knows to be over is left in peace", async () => {
  expect(await start({ known: [stored(7n), stored(8n, { isOver: true })] })).toMatchObject({ canceled: [], live: [] });
});

test("what may be left of an order that the list lacks counts", async () => {
  const one = (id: bigint): FillEvent => {
    const event = filled({ key: `${id}`, side: "buy", price: 200n * USD, size: CONTRACT });
    return { ...event, fill: { ...event.fill, orderId: orderId(id) } };
  };
  const { live } = await start({ fills: [one(8n), one(9n)] });
  expect(live).toMatchObject([{ orderId: 8n, side: "buy", size: 3n * CONTRACT, remainingSize: 2n * CONTRACT }]);
});

test("at its largest, where nobody knows whether a modify landed", async () => {
  const modify = { kind: "modify", accountId: account, marketId: 1, orderId: orderId(8n), side: "buy" } as const;
  const open = [5n, 4n, null].map((contracts, id) => {
    const newSize = contracts === null ? null : size(contracts * CONTRACT);
    return { id, accountId: account, command: { ...modify, newSize } } as never;
  });
  expect((await start({ open })).live).toMatchObject([{ remainingSize: 5n * CONTRACT }]);
});

test("one whose size the ledger does not know is canceled all the same", async () => {
  expect(await start({ known: [stored(7n), stored(8n, { size: null })] })).toMatchObject({ canceled: [8n], live: [] });
});

test("with a new ledger, an order that is found counts as ours, and the ledger keeps what may be left of it", async () => {
  const { price: at, size: whole } = listed(7n);
  expect((await start({ known: [] })).kept).toEqual([stored(7n, { price: at, size: whole })]);
});

describe("with a new ledger, where another key is approved on the account", () => {
  const agents = [
    { pubkey: "", name: "ours", expiresAtSec: null },
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
