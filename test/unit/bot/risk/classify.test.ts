// What counts as a reduction, to the last unit: told by what passes while only reductions do.

import { expect, test } from "vitest";
import { check } from "../../../../src/bot/risk/guard.ts";
import type { Command } from "../../../../src/domain/command.ts";
import type { TrackedOrder } from "../../../../src/domain/order.ts";
import { absent } from "../../../../src/domain/view.ts";
import { plainHeld } from "../../../support/plain-bot.ts";
import { healthy } from "./closings.ts";
import { lots, modify, old, order, place, usd, withInventory, withOrders } from "./healthy.ts";

/** The class that the last of a batch is denied or passed as, with the stream silent: increases are denied, reductions pass. */
function classOf(contracts: number, orders: readonly TrackedOrder[], ...batch: readonly Command[]): string {
  const view = { ...withInventory(withOrders(healthy.view, orders), contracts), stream: absent };
  const { denied } = check(batch, view, healthy.limits, healthy.state);
  const last = denied.find(({ command }) => command === batch.at(-1));
  return last === undefined ? "reduce" : last.actionClass;
}
const exit = (side: "buy" | "sell", contracts: number, level = 0) =>
  place(side, side === "buy" ? 199 : 201, contracts, { reduceOnly: true, level });
const resting = order(1, "sell", 201, 1, { reduceOnly: true, level: 5 });
const stop = order(9, "sell", 0, 2, { reduceOnly: true, isConditional: true, isForeign: true });
const plain = order(2, "sell", 201, 2, { remainingSize: lots(1.5), level: 6 });

test.each<readonly [string, number, readonly TrackedOrder[], readonly Command[], string]>([
  ["a sale of all that is held", 2, [], [exit("sell", 2)], "reduce"],
  ["of the least more", 1.999_999, [], [exit("sell", 2)], "increase"],
  ["a purchase against a short position", -2, [], [exit("buy", 2)], "reduce"],
  ["a purchase on top of a long one", 2, [], [exit("buy", 1)], "increase"],
  ["anything while flat", 0, [], [exit("sell", 0.000_001)], "increase"],
  ["a sale that the exchange does not hold to reducing", 2, [], [place("sell", 201, 1)], "increase"],
  ["what fits beside another that rests", 2, [resting], [exit("sell", 1)], "reduce"],
  ["what does not", 2, [resting], [exit("sell", 1.000_001)], "increase"],
  ["all that is held, beside a stop that protects it", 2, [stop], [exit("sell", 2)], "reduce"],
  ["what fits beside another of the batch", 2, [], [exit("sell", 1), exit("sell", 1, 1)], "reduce"],
  ["what does not fit beside it", 2, [], [exit("sell", 1.5), exit("sell", 0.500_001, 1)], "increase"],
  ["an order that adds, resting beside, takes no room", 2, [plain], [exit("sell", 2)], "reduce"],
  ["a new price for a reduce-only order", 1, [resting], [modify(resting, { newPrice: usd(202) })], "reduce"],
  ["growth up to the position", 1.5, [resting], [modify(resting, { newSize: lots(1.5) })], "reduce"],
  ["growth beyond it", 1.5, [resting], [modify(resting, { newSize: lots(1.500_001) })], "increase"],
  [
    "growth beyond what another leaves",
    2,
    [resting, order(3, "sell", 202, 0.5, { reduceOnly: true, level: 7 })],
    [modify(resting, { newSize: lots(1.500_001) })],
    "increase",
  ],
  [
    "a modify of a reduce-only order that no longer fits",
    0.5,
    [resting],
    [modify(resting, { newPrice: usd(202) })],
    "increase",
  ],
  ["a smaller size of any order", 0, [plain], [modify(plain, { newSize: lots(1) })], "reduce"],
  ["its own size again", 0, [plain], [modify(plain, { newSize: lots(2) })], "reduce"],
  ["a larger size", 0, [plain], [modify(plain, { newSize: lots(2.000_001) })], "increase"],
  ["a new price, further away or not", 0, [plain], [modify(plain, { newPrice: usd(203) })], "increase"],
  ["a smaller size at a new price", 0, [plain], [modify(plain, { newPrice: usd(203), newSize: lots(1) })], "increase"],
])("%s", (_, contracts, orders, batch, expected) => {
  expect(classOf(contracts, orders, ...batch)).toBe(expected);
});

test("nothing reduces a position that nobody knows, or knew long ago", () => {
  for (const position of [absent, old(plainHeld(lots(2), usd(200)))]) {
    const { denied } = check([exit("sell", 1)], { ...healthy.view, position }, healthy.limits, healthy.state);
    expect(denied.map(({ actionClass }) => actionClass)).toEqual(["increase"]);
  }
});

test("a modify that leaves nothing to fill is malformed, and would reduce whatever the position is", () => {
  const view = { ...withOrders(healthy.view, [resting]), position: absent };
  const { denied } = check([modify(resting, { newSize: lots(0) })], view, healthy.limits, healthy.state);
  expect(denied.map(({ actionClass }) => actionClass)).toEqual(["reduce"]);
  expect(denied.flatMap(({ denials }) => denials.map(({ reason }) => reason))).toContain("wellFormed");
});
