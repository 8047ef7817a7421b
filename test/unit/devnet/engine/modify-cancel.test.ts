// Changing and taking back orders: what is refused, and that cancels always go. The rest is in test/interface/orders.test.ts.

import { describe, expect } from "vitest";
import { accountId, orderId, type Price, type Size } from "../../../../src/domain/units.ts";
import { ALICE, BOB, CAROL, codeOf, contracts, it, makeWorld, usd, type World } from "./set-up.ts";

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
  it("is refused to a post only order that would cross, which stays as it was", ({ world }) => {
    world.place({ price: usd(200) });
    const id = world.placed({ accountId: BOB, side: "sell", price: usd(201), postOnly: true });
    expect(codeOf(modify(world, id, usd(200), null))).toBe("PostOnlyWouldCross");
    expect(world.engine.order(id)).toMatchObject({ price: usd(201) });
  });

  it("is refused beyond the margin, which counts the order once", ({ world }) => {
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
  it("with nothing to cancel is a success, of an unknown account or market it is not", ({ world }) => {
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
