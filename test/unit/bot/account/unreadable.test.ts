// What the exchange shows of the account and nobody understands: it counts where it may be, and the rest is read as always.

import { describe, expect } from "vitest";
import type { Unreadable } from "../../../../src/domain/account.ts";
import { orderId } from "../../../../src/domain/units.ts";
import { account, CONTRACT, listed, position, test } from "../scene.ts";

const odd = (of: Partial<Unreadable> = {}): Unreadable => ({
  what: "order",
  orderId: orderId(77n),
  marketId: 1,
  side: "buy",
  why: "price: is required",
  ...of,
});

describe("an order", () => {
  test("is told once, shown to the guard while it is listed, and leaves the account reconciled", ({ scene }) => {
    const read = (...unreadable: readonly Unreadable[]) =>
      scene.tell({ kind: "accountRead", account: account({ unreadable }) });
    expect(read(odd())).toContainEqual(expect.objectContaining({ kind: "unreadable", item: odd() }));
    expect(read(odd()).map(({ kind }) => kind)).not.toContain("unreadable");
    expect(scene.view()).toMatchObject({ unreadable: [odd()], reconciled: { state: "fresh" } });
    expect(scene.view().position.state).toBe("fresh");
    read();
    expect(scene.view().unreadable).toEqual([]);
  });

  test("of another market is none of this one; of an unknown one it may be", ({ scene }) => {
    scene.tell({ kind: "accountRead", account: account({ unreadable: [odd({ marketId: 2 })] }) });
    expect(scene.view().unreadable).toEqual([]);
    scene.tell({ kind: "accountRead", account: account({ unreadable: [odd({ marketId: null })] }) });
    expect(scene.view().unreadable).toHaveLength(1);
  });

  test("of ours counts as we know it: it is not missing, and closes nothing", ({ scene }) => {
    scene.rest(1n, 77n);
    for (let round = 0; round < 4; round += 1) {
      scene.advance(60_000);
      scene.tell({ kind: "accountRead", account: account({ unreadable: [odd()] }) });
    }
    expect(scene.orders()).toMatchObject([{ orderId: 77n, state: "working" }]);
    expect(scene.view().unreadable).toEqual([]);
    expect(scene.kinds()).not.toContain("mismatch");
  });

  test("that can be read again is an order like any other", ({ scene }) => {
    scene.tell({ kind: "accountRead", account: account({ unreadable: [odd()] }) });
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(77n)] }) });
    expect(scene.view().unreadable).toEqual([]);
    expect(scene.orders()).toMatchObject([{ orderId: 77n }]);
  });
});

describe("a position", () => {
  const unknown = odd({ what: "position", orderId: null, why: "size: is required" });

  test("is not known then, what fills made of it stands, and no read of it makes money", ({ scene }) => {
    const held = { positions: [position(2n, 199n)] };
    scene.adopt(account(held));
    const before = scene.inventory();
    expect(before).toBe(2n * CONTRACT);
    for (let round = 0; round < 3; round += 1) {
      scene.tell({ kind: "accountRead", account: account({ unreadable: [unknown] }) });
      scene.advance(1000);
    }
    expect(scene.view().position.state).toBe("absent");
    expect(scene.inventory()).toBe(before);
    scene.tell({ kind: "accountRead", account: account(held) });
    expect(scene.view().position).toMatchObject({ state: "fresh", value: { inventory: before } });
  });

  test("of an unknown market may be of any", ({ scene }) => {
    scene.tell({ kind: "accountRead", account: account({ unreadable: [{ ...unknown, marketId: null }] }) });
    expect(scene.view().position.state).toBe("absent");
  });
});
