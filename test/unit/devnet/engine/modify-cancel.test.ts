// Changing and taking back orders: what keeps its place in the queue, what goes to the back, what is refused.

import { describe, expect, it } from "vitest";
import { accountId, orderId, type Price, type Size } from "../../../../src/domain/units.ts";
import {
  ALICE,
  BOB,
  CAROL,
  canceledOf,
  codeOf,
  contracts,
  fillsOf,
  makeWorld,
  typesOf,
  usd,
  type World,
} from "./set-up.ts";

const modify = (world: World, id: bigint, newPrice: Price | null, newSize: Size | null) =>
  world.engine.modify({ orderId: orderId(id), newPrice, newSize }, world.ctx());

/** Bob's ask is ahead of Carol's at 201. */
function queue(): { world: World; first: bigint; second: bigint } {
  const world = makeWorld();
  const first = world.placed({ accountId: BOB, side: "sell", price: usd(201), size: contracts(2) });
  const second = world.placed({ accountId: CAROL, side: "sell", price: usd(201), size: contracts(2) });
  return { world, first, second };
}

describe("ModifyOrder", () => {
  it("keeps the place of an order that only shrinks", () => {
    const { world, first } = queue();
    expect(typesOf(modify(world, first, null, contracts(1)))).toEqual(["OrderModified", "BookChanged"]);
    expect(fillsOf(world.place({ price: usd(201), size: contracts(1) }))).toEqual([{ at: 201, size: 1, maker: first }]);
  });

  it("sends an order that grows to the back", () => {
    const { world, first, second } = queue();
    modify(world, first, null, contracts(3));
    expect(fillsOf(world.place({ price: usd(201), size: contracts(1) }))).toMatchObject([{ maker: second }]);
    expect(world.engine.order(orderId(first))).toMatchObject({ size: contracts(3), remainingSize: contracts(3) });
  });

  it("sends an order with a new price to the back of its new queue", () => {
    const { world, first, second } = queue();
    modify(world, first, usd(202), null);
    modify(world, first, usd(201), null);
    expect(fillsOf(world.place({ price: usd(201), size: contracts(3) })).map(({ maker }) => maker)).toEqual([
      second,
      first,
    ]);
  });

  it("counts what is filled in the new size", () => {
    const { world, first } = queue();
    world.place({ price: usd(201), size: contracts(0.5) });
    expect(codeOf(modify(world, first, null, contracts(0.5)))).toBe("InvalidSize");
    modify(world, first, null, contracts(1.5));
    expect(world.engine.order(orderId(first))).toMatchObject({
      size: contracts(1.5),
      filledSize: contracts(0.5),
      remainingSize: contracts(1),
    });
  });

  it("matches at once when the new price crosses", () => {
    const { world, first } = queue();
    world.place({ price: usd(200), size: contracts(1) });
    const receipt = modify(world, first, usd(200), null);
    expect(typesOf(receipt)).toEqual(["OrderModified", "Fill", "BookChanged"]);
    expect(world.engine.book(1)?.asks[0]).toMatchObject({ price: usd(200), size: contracts(1) });
    world.engine.auditBalances();
  });

  it("is refused to a post only order that would cross, which stays as it was", () => {
    const world = makeWorld();
    world.place({ price: usd(200) });
    const id = world.placed({ accountId: BOB, side: "sell", price: usd(201), postOnly: true });
    expect(codeOf(modify(world, id, usd(200), null))).toBe("PostOnlyWouldCross");
    expect(world.engine.order(id)).toMatchObject({ price: usd(201) });
  });

  it("is refused beyond the margin, which counts the order once", () => {
    const world = makeWorld();
    const id = world.placed({ price: usd(200), size: contracts(9000) });
    expect(codeOf(modify(world, id, null, contracts(10_000)))).toBeNull();
    expect(codeOf(modify(world, id, null, contracts(10_001)))).toBe("InsufficientMargin");
  });

  it("needs something to change, on an order that is open", () => {
    const { world, first } = queue();
    expect(codeOf(modify(world, first, null, null))).toBe("NothingToModify");
    expect(codeOf(modify(world, 77n, usd(200), null))).toBe("UnknownOrder");
    expect(codeOf(modify(world, first, usd(200.005), null))).toBe("InvalidPrice");
  });
});

describe("CancelOrder and CancelAllOrders", () => {
  it("take one order, or a market's, or all of the account's", () => {
    const { world, first } = queue();
    expect(canceledOf(world.engine.cancel(orderId(first), world.ctx()))).toEqual(["UserCanceled"]);
    expect(codeOf(world.engine.cancel(orderId(first), world.ctx()))).toBe("UnknownOrder");
    world.place({ price: usd(190) });
    world.place({ price: usd(191) });
    expect(canceledOf(world.engine.cancelAll(ALICE, 1, world.ctx()))).toEqual(["UserCanceled", "UserCanceled"]);
    expect(world.engine.account(ALICE)?.openOrders).toEqual([]);
    expect(world.engine.book(1)?.asks).toHaveLength(1);
  });

  it("with nothing to cancel is a success, of an unknown account or market it is not", () => {
    const world = makeWorld();
    expect(world.engine.cancelAll(ALICE, null, world.ctx())).toEqual({ status: "success", events: [] });
    expect(codeOf(world.engine.cancelAll(ALICE, 7, world.ctx()))).toBe("UnknownMarket");
    expect(codeOf(world.engine.cancelAll(accountId(404n), null, world.ctx()))).toBe("UnknownAccount");
  });

  it("go on in every status of the market", () => {
    const { world, first } = queue();
    world.engine.setMarketStatus(1, "Paused", world.ctx());
    expect(codeOf(world.engine.cancel(orderId(first), world.ctx()))).toBeNull();
  });

  it("never mistake a number beyond all orders for one", () => {
    const { world } = queue();
    expect(codeOf(world.engine.cancel(orderId(2n ** 64n - 1n), world.ctx()))).toBe("UnknownOrder");
  });
});
