// The mass cancel beside a daemon, or after its end: by what the lists name and by what is known, order by order, and with no nonce of anybody's.

import { describe, expect, test } from "vitest";
import { locklessCancel } from "../../../../src/bot/execution/lockless-cancel.ts";
import type { VenueReads } from "../../../../src/bot/venue/port.ts";
import type { Account } from "../../../../src/domain/account.ts";
import { orderId } from "../../../../src/domain/units.ts";
import { delivered } from "./model-venue.ts";
import { account, ended, keyNamed, quoting, type World } from "./world.ts";

const nowhere = (): Promise<never> => Promise.reject(new Error("no answer"));

/** The exchange as it is seen beside a daemon. */
const beside = ({ model, clock }: World, account: () => Promise<Account> = model.account) => ({
  clock,
  venue: { submit: model.submit, reads: { account, orders: model.openOrders, node: nowhere } as unknown as VenueReads },
});
const ofOurs = { accountId: account, chainId: "test", agentKey: keyNamed("one"), readLagMaxMs: 3000 };

test("CancelOrder alone, with no nonce of anybody's taken", async () => {
  const world = await quoting(20);
  const before = world.model.submitted.length;
  const result = await ended(world, () => locklessCancel(ofOurs, beside(world)), 10_000);
  expect(result.confirmed).toBe(true);
  expect(new Set(world.model.submitted.slice(before).map(({ transaction }) => transaction.type))).toEqual(
    new Set(["CancelOrder"]),
  );
});

test("nothing is known but reads: one that lists what was canceled shows nothing", async () => {
  const world = await quoting(4);
  world.model.control.past = [...world.model.orders.values()];
  world.model.control.namesCanceled = false;
  const result = await ended(world, () => locklessCancel({ ...ofOurs, deadlineMs: 8000 }, beside(world)), 10_000);
  expect(result.confirmed).toBe(false);
  expect(world.model.orders.size).toBe(0);
});

test("one list that cannot be read confirms nothing, and is told of", async () => {
  const world = await quoting(2);
  world.model.openOrders = () => Promise.reject(new Error("GET /v1/accounts/12/orders: HTTP 503"));
  const options = { ...ofOurs, deadlineMs: 6000 };
  const result = await ended(world, () => locklessCancel(options, beside(world)), 7000);
  expect(result).toMatchObject({ confirmed: false, remaining: [], unread: ["GET /v1/accounts/12/orders: HTTP 503"] });
});

test("an order may rest that no list names yet: they are asked until they cannot be so old", async () => {
  const world = await quoting(1);
  world.model.control.past = [];
  const run = ended(world, () => locklessCancel(ofOurs, beside(world)), 10_000);
  world.clock.after(2000, () => {
    world.model.control.past = null;
  });
  const result = await run;
  expect(result).toMatchObject({ confirmed: true, canceled: 1 });
  expect(world.model.orders.size).toBe(0);
});

describe("of orders that are known by name", () => {
  /** Reads list nothing of what rests; the first cancel of an order is lost. */
  async function hidden() {
    const world = await quoting(4);
    world.model.control.past = [];
    const lost = new Set<bigint>();
    world.model.control.fate = ({ transaction }) => {
      if (transaction.type !== "CancelOrder" || lost.has(transaction.orderId)) return delivered;
      lost.add(transaction.orderId);
      return { arrivesMs: null, answer: "lost" };
    };
    return { world, modules: beside(world) };
  }
  const named = [1n, 2n, 9n].map((id) => ({ orderId: orderId(id), marketId: null }));
  const ofIts = { ...ofOurs, own: () => named };

  test("reads that do not list them show nothing: each is canceled until that is answered, one that is gone too", async () => {
    const { world, modules } = await hidden();
    const options = { ...ofIts, begin: "cancelAll", keep: new Set([orderId(3n)]) } as const;
    const result = await ended(world, () => locklessCancel(options, modules), 10_000);
    expect(result).toMatchObject({ confirmed: true, canceled: 2 });
    expect([...world.model.orders.keys()]).toEqual([3n, 4n]);
  });

  test("it is not confirmed while one of them has no answer", async () => {
    const { world, modules } = await hidden();
    world.model.control.fate = ({ transaction }) =>
      transaction.type === "CancelOrder" ? { arrivesMs: null, answer: "notSent" } : delivered;
    const result = await ended(world, () => locklessCancel({ ...ofIts, deadlineMs: 3000 }, modules), 10_000);
    expect(result).toMatchObject({ confirmed: false, remaining: named });
  });

  test("where CancelAllOrders may be used, none that its answer names is canceled by name", async () => {
    const { world, modules } = await hidden();
    const result = await ended(world, () => locklessCancel({ ...ofIts, begin: "cancelAll" }, modules), 10_000);
    expect(result).toMatchObject({ confirmed: true, unresolved: 0 });
    expect(world.model.orders.size).toBe(0);
    const byName = world.model.submitted.flatMap(({ transaction }) =>
      transaction.type === "CancelOrder" ? transaction.orderId : [],
    );
    expect(new Set(byName)).toEqual(new Set([9n]));
  });
});

test("a read that gets no answer is asked again before it is given up", async () => {
  const world = await quoting(2);
  let silent = 3;
  const accountRead = async () => {
    silent -= 1;
    return silent >= 0 ? await new Promise<never>(() => {}) : await world.model.account();
  };
  const result = await ended(world, () => locklessCancel(ofOurs, beside(world, accountRead)), 10_000);
  expect(result).toMatchObject({ confirmed: true, remaining: [] });
  expect(result.tookMs).toBeLessThan(5000);
});

describe("orders that cannot be read", () => {
  const odd = { what: "order", marketId: null, side: null, why: "price: is required" } as const;

  test("are canceled by their ids, and one without an id is named", async () => {
    const world = await quoting(4);
    const [named] = world.model.orders.keys();
    const shown = async (): Promise<Account> => {
      const seen = await world.model.account();
      const openOrders = seen.openOrders.filter((order) => order.orderId !== named);
      const unreadable = openOrders.length < seen.openOrders.length ? [{ ...odd, orderId: named ?? null }] : [];
      return { ...seen, openOrders, unreadable: [...unreadable, { ...odd, orderId: null }] };
    };
    const result = await ended(
      world,
      () => locklessCancel({ ...ofOurs, deadlineMs: 3000 }, beside(world, shown)),
      10_000,
    );
    expect(world.model.orders.size).toBe(0);
    expect(result).toMatchObject({ confirmed: false, remaining: [{ ...odd, orderId: null }] });
  });
});
