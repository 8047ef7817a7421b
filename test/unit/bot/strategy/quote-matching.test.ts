// How the work of matching grows with quotes and orders: each read of a price or size counts, so that no machine's speed does.

import { expect, test } from "vitest";
import { matchSide } from "../../../../src/bot/strategy/quote-matching.ts";
import type { TrackedOrder } from "../../../../src/domain/order.ts";
import type { Quote } from "../../../../src/domain/quotes.ts";
import { orderId, price, type Side } from "../../../../src/domain/units.ts";
import { lots, order, usd } from "../risk/healthy.ts";
import { quote } from "./quotes.ts";

type Place = { readonly target?: Partial<Quote>; readonly order?: Partial<TrackedOrder> };
const STEP = 1_000_000n;
const at = (nth: number, ticks = 0): Quote["price"] => price(20_000_000_000n - STEP * BigInt(10 * nth + ticks));

/** By what is near what: `reach` in ticks of which ten are between two quotes. */
const scenes: Readonly<Record<string, readonly [number, (nth: number, of: number) => Place]>> = {
  "every order at its quote": [5, (nth) => ({ target: { price: at(nth) }, order: { price: at(nth) } })],
  "every order moves": [5, (nth) => ({ target: { price: at(nth, 7) }, order: { price: at(nth) } })],
  "nothing rests": [5, (nth) => ({ target: { price: at(nth) } })],
  "nothing is wanted": [5, (nth) => ({ order: { price: at(nth) } })],
  "all are on their way": [
    5,
    (nth) => ({ target: { price: at(nth) }, order: { price: at(nth), state: "inFlight", orderId: null } }),
  ],
  "all are on their way elsewhere": [
    5,
    (nth) => ({ target: { price: at(nth, 3000) }, order: { price: at(nth), state: "inFlight", level: nth + 5000 } }),
  ],
  "some twenty orders are near each quote": [
    200,
    (nth) => ({ target: { price: at(nth) }, order: { price: at(nth, 3) } }),
  ],
  "every order is near every quote": [1e6, (nth) => ({ target: { price: at(nth) }, order: { price: at(nth) } })],
  "the same with half as many orders": [
    1e6,
    (nth, of) => ({ target: { price: at(nth) }, ...(nth % 2 < 1 && of > 0 ? { order: { price: at(nth) } } : {}) }),
  ],
  "the same with sizes that never fit": [
    1e6,
    (nth) => ({ target: { price: at(nth) }, order: { price: at(nth), remainingSize: lots(9) } }),
  ],
  "the same with sizes of which some fit": [
    1e6,
    (nth) => ({
      target: { price: at(nth), size: lots(1 + ((nth * 37) % 14)) },
      order: { price: at(nth), remainingSize: lots(1 + ((nth * 91) % 14)) },
    }),
  ],
};

function readsOf(count: number, [reach, place]: readonly [number, (nth: number, of: number) => Place]): number {
  let reads = 0;
  const counting = <T extends object>(value: T): T =>
    new Proxy(value, {
      get(of, key) {
        reads += 1;
        return Reflect.get(of, key);
      },
    });
  const side: Side = "buy";
  const places = Array.from({ length: count }, (_, nth) => ({ nth, ...place(nth, count) }));
  const targets = places.flatMap(({ nth, target }) =>
    target === undefined ? [] : counting({ ...quote(side, nth, 199), ...target }),
  );
  const orders = places.flatMap(({ nth, order: of }) =>
    of === undefined
      ? []
      : counting({ ...order(nth, side, 199, 1, { level: nth }), orderId: orderId(BigInt(nth)), ...of }),
  );
  const tolerance = { reach: price(STEP * BigInt(reach)), placeReach: usd(0.01), smallerBps: 5000, largerBps: 100 };
  matchSide(targets, orders, undefined, tolerance);
  return reads;
}

test.each(Object.entries(scenes))("law: four times as many make near four times the work: %s", (_, scene) => {
  const [few, many] = [readsOf(250, scene), readsOf(1000, scene)];
  // With the square of them it is sixteen times.
  expect(many / few).toBeLessThan(9);
  expect(many).toBeLessThan(1000 * 2000);
});
