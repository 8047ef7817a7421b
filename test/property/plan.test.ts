// Laws of the plan over any target quotes and any orders: it ends, it is short, it is safe at every step and under every loss.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PlanContext, plan } from "../../src/bot/strategy/plan.ts";
import type { Tolerance } from "../../src/bot/strategy/quote-matching.ts";
import type { Command } from "../../src/domain/command.ts";
import type { OrderState, TrackedOrder } from "../../src/domain/order.ts";
import type { Quote, Quotes } from "../../src/domain/quotes.ts";
import { nonce, orderId, price, type Side, size } from "../../src/domain/units.ts";
import { account } from "../unit/bot/risk/healthy.ts";

const tolerance: Tolerance = { reach: price(10n), placeReach: price(2n), smallerBps: 5000, largerBps: 100 };
const context: PlanContext = {
  accountId: account,
  marketId: 1,
  inventory: size(0n),
  modifies: "all",
  permitted: "increase",
  maxOpenOrders: 1000,
  tolerance,
};

/** Prices around 10000: ten units are near. */
const prices = fc.integer({ min: 9950, max: 10_050 }).map((at) => price(BigInt(at)));
const sizes = fc.integer({ min: 1, max: 100 }).map((contracts) => size(BigInt(contracts)));
const sides = fc.constantFrom<Side>("buy", "sell");

const quote = fc.record({
  side: sides,
  level: fc.integer({ min: 0, max: 4 }),
  price: prices,
  size: sizes,
  reduceOnly: fc.boolean(),
  intent: fc.constant<Quote["intent"]>("rest"),
});
/** Bids below asks: what a sound strategy asks for. */
const soundQuotes = fc.tuple(fc.array(quote, { maxLength: 8 }), fc.integer({ min: 9950, max: 10_050 })).map(
  ([quotes, middle]): Quotes => ({
    quotes: quotes.filter(({ side, price: at }) => (side === "buy" ? at < middle : at > middle)),
    fairValueUsd: null,
    reason: null,
  }),
);

const orderOf = (states: readonly OrderState[]) =>
  fc
    .record({
      side: sides,
      price: prices,
      remaining: sizes,
      filled: fc.integer({ min: 0, max: 20 }),
      reduceOnly: fc.boolean(),
      state: fc.constantFrom(...states),
      level: fc.option(fc.integer({ min: 0, max: 4 })),
      pending: fc.option(fc.record({ price: prices, size: sizes }), { freq: 4 }),
    })
    .map(({ remaining, filled, ...rest }) => ({
      ...rest,
      remainingSize: remaining,
      size: size(remaining + BigInt(filled)),
    }));

/** Orders as they can be: none of ours crosses another of ours where it rests. */
const ordersOf = (states: readonly OrderState[], pending: "pending" | "settled") =>
  fc.tuple(fc.array(orderOf(states), { maxLength: 8 }), fc.integer({ min: 9950, max: 10_050 })).map(([drawn, middle]) =>
    drawn
      .filter(({ side, price: at }) => (side === "buy" ? at < middle : at > middle))
      .map((one, index): TrackedOrder => {
        const away = one.pending !== null && (one.side === "buy") === one.pending.price < BigInt(middle);
        return {
          ...one,
          pending: pending === "pending" && away && one.state === "working" ? one.pending : null,
          marketId: 1,
          movingTo: [],
          queueAhead: [null, size(0n), size(3n), size(1000n)][index % 4] ?? null,
          postOnly: true,
          isConditional: false,
          isForeign: false,
          nonce: nonce(BigInt(index)),
          orderId: one.state === "inFlight" || one.state === "unknown" ? null : orderId(BigInt(index)),
          sinceMs: 0,
        };
      }),
  );
const settledOrders = ordersOf(["working"], "settled");
const doubtfulOrders = ordersOf(["working", "inFlight", "unknown", "canceling"], "pending");
const inventories = fc.integer({ min: -150, max: 150 }).map((contracts) => size(BigInt(contracts)));

type Orders = readonly TrackedOrder[];

let named = 1000n;
/** The exchange: one command lands. */
function land(orders: readonly TrackedOrder[], command: Command): readonly TrackedOrder[] {
  if (command.kind === "cancel") return orders.filter((order) => order.orderId !== command.orderId);
  if (command.kind === "modify") {
    return orders.map((order) => {
      if (order.orderId !== command.orderId) return order;
      const whole = command.newSize ?? order.size;
      return {
        ...order,
        price: command.newPrice ?? order.price,
        size: whole,
        remainingSize: size(whole - (order.size - order.remainingSize)),
        level: command.level,
      };
    });
  }
  if (command.kind === "cancelAll") throw new Error("the plan cancels one by one");
  named += 1n;
  const { side, price: at, size: whole, reduceOnly, postOnly, level } = command;
  const placed: TrackedOrder = {
    nonce: nonce(named),
    orderId: orderId(named),
    marketId: 1,
    side,
    price: at,
    size: whole,
    remainingSize: whole,
    reduceOnly,
    postOnly,
    isConditional: false,
    isForeign: false,
    state: "working",
    level,
    pending: null,
    movingTo: [],
    queueAhead: null,
    sinceMs: 0,
  };
  return [...orders, placed];
}

/** What the bot believes of commands that left and are unanswered: the worst price and size of both, the level it was placed for. */
function send(orders: readonly TrackedOrder[], command: Command): readonly TrackedOrder[] {
  if (command.kind === "place") {
    return land(orders, command).map((order, index) =>
      index === orders.length ? { ...order, state: "inFlight", orderId: null } : order,
    );
  }
  return orders.map((order): TrackedOrder => {
    if (command.kind === "cancelAll" || order.orderId !== command.orderId) return order;
    if (command.kind === "cancel") return { ...order, state: "canceling" };
    const goal = command.newPrice ?? order.price;
    const sooner = (order.side === "buy") === goal > order.price ? goal : order.price;
    const whole = highest([command.newSize ?? order.size, order.size]);
    const filled = order.size - order.remainingSize;
    return { ...order, pending: { price: sooner, size: size(whole) }, remainingSize: size(whole - filled) };
  });
}

const highest = (values: readonly bigint[]) => values.reduce((a, b) => (b > a ? b : a), -1n);
const lowest = (values: readonly bigint[]) => values.reduce((a, b) => (b < a ? b : a), 1n << 64n);
const pricesOf = (orders: readonly TrackedOrder[], side: Side) =>
  orders
    .filter((order) => order.side === side)
    .flatMap(({ price: at, pending }) => (pending ? [at, pending.price] : [at]));
const apart = (orders: readonly TrackedOrder[]) => highest(pricesOf(orders, "buy")) < lowest(pricesOf(orders, "sell"));
const exposure = (orders: readonly TrackedOrder[], side: Side) =>
  orders.filter((order) => order.side === side).reduce((sum, { remainingSize }) => sum + remainingSize, 0n);

describe("law", () => {
  test("applied to the end, the same plan again is empty", () => {
    fc.assert(
      fc.property(soundQuotes, settledOrders, inventories, (quotes, orders, inventory) => {
        const at = { ...context, inventory };
        let resting: Orders = orders;
        // A quote that would meet an own order waits until that one has gone or stepped back, and so does one whose slot is
        // being emptied: two turns, and a third for what waited for both.
        for (let turn = 0; turn < 3; turn += 1)
          resting = plan(quotes, resting, at).commands.reduce<Orders>(land, resting);
        expect(plan(quotes, resting, at).commands).toEqual([]);
      }),
    );
  });

  test("while nothing is answered it soon falls silent, and nothing is doubled", () => {
    fc.assert(
      fc.property(soundQuotes, doubtfulOrders, inventories, (quotes, orders, inventory) => {
        const at = { ...context, inventory };
        let sent: Orders = orders;
        for (let turn = 0; turn < 3; turn += 1) sent = plan(quotes, sent, at).commands.reduce<Orders>(send, sent);
        expect(plan(quotes, sent, at).commands).toEqual([]);
        for (const side of ["buy", "sell"] as const) {
          for (const reduceOnly of [true, false]) {
            const ofKind = (one: Quote | TrackedOrder) => one.side === side && one.reduceOnly === reduceOnly;
            const live = (all: Orders) => all.filter((one) => ofKind(one) && one.state !== "canceling").length;
            const wanted = quotes.quotes.filter(ofKind).length;
            expect(live(sent)).toBeLessThanOrEqual(Math.max(wanted, live(orders)));
          }
        }
      }),
    );
  });

  test("own bids stay below own asks, whichever of its commands land", () => {
    const lost = fc.array(fc.boolean(), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(soundQuotes, doubtfulOrders, inventories, lost, (quotes, orders, inventory, drops) => {
        fc.pre(apart(orders));
        let resting: Orders = orders;
        for (const [index, command] of plan(quotes, orders, { ...context, inventory }).commands.entries()) {
          if (drops[index] !== true) resting = land(resting, command);
          expect(apart(resting)).toBe(true);
        }
      }),
    );
  });

  test("every prefix exposes a side no more than the start or the end does", () => {
    fc.assert(
      fc.property(soundQuotes, doubtfulOrders, inventories, (quotes, orders, inventory) => {
        const commands = plan(quotes, orders, { ...context, inventory }).commands;
        const states = commands.map((_, index) => commands.slice(0, index + 1).reduce<Orders>(land, orders));
        for (const side of ["buy", "sell"] as const) {
          const exposures = [orders, ...states].map((resting) => exposure(resting, side));
          const bound = highest([exposures[0] ?? 0n, exposures.at(-1) ?? 0n]);
          for (const one of exposures) expect(one <= bound).toBe(true);
        }
      }),
    );
  });

  test("what has a transaction on its way is not touched, and no order twice", () => {
    fc.assert(
      fc.property(soundQuotes, doubtfulOrders, inventories, (quotes, orders, inventory) => {
        const touched = plan(quotes, orders, { ...context, inventory }).commands.flatMap((command) =>
          command.kind === "cancel" || command.kind === "modify" ? [command.orderId] : [],
        );
        expect(new Set(touched).size).toBe(touched.length);
        for (const id of touched) {
          const order = orders.find((one) => one.orderId === id);
          expect(order?.state).toBe("working");
          expect(order?.pending).toBe(null);
        }
      }),
    );
  });

  test("fewest commands: as many as orders or quotes, less what fits as it is", () => {
    const plain = (quotes: Quotes): Quotes => ({
      ...quotes,
      quotes: quotes.quotes.map((one) => ({ ...one, reduceOnly: false })),
    });
    fc.assert(
      fc.property(soundQuotes.map(plain), settledOrders, (quotes, drawn) => {
        const orders = drawn.map((order) => ({ ...order, reduceOnly: false }));
        let fewest = 0;
        for (const side of ["buy", "sell"] as const) {
          const wanted = firstOfEachLevel(quotes.quotes.filter((one) => one.side === side));
          const resting = orders.filter((order) => order.side === side);
          // An order in the way of the other side's quotes does not stay, however near it is to its own.
          const against = firstOfEachLevel(quotes.quotes.filter((one) => one.side !== side)).map((one) => one.price);
          const edge = side === "buy" ? lowest(against) : highest(against);
          const clear = resting.filter((order) => (side === "buy" ? order.price < edge : order.price > edge));
          fewest += Math.max(wanted.length, resting.length) - mostKept(wanted, clear);
        }
        const commands = plan(quotes, orders, context).commands;
        // Fewer only where a quote waits for an own order of the other side to be gone.
        expect(commands.length).toBeLessThanOrEqual(fewest);
        const settled = plan(quotes, commands.reduce<Orders>(land, orders), context).commands;
        if (settled.length === 0) expect(commands.length).toBe(fewest);
      }),
    );
  });

  test("reduce-only orders that it asks for stay within the position", () => {
    fc.assert(
      fc.property(soundQuotes, inventories, (quotes, inventory) => {
        const placed = plan(quotes, [], { ...context, inventory }).commands.flatMap((one) =>
          one.kind === "place" ? [one] : [],
        );
        const reducing = placed.filter(({ reduceOnly }) => reduceOnly);
        for (const { side } of reducing) expect(side).toBe(inventory > 0n ? "sell" : "buy");
        const total = reducing.reduce((sum, { size: contracts }) => sum + contracts, 0n);
        expect(total <= (inventory < 0n ? -inventory : inventory)).toBe(true);
      }),
    );
  });

  test("with only reductions permitted, nothing that adds is left resting or asked for", () => {
    fc.assert(
      fc.property(soundQuotes, settledOrders, inventories, (quotes, orders, inventory) => {
        const at: PlanContext = { ...context, inventory, permitted: "reduce" };
        let resting: Orders = orders;
        for (let turn = 0; turn < 3; turn += 1)
          resting = plan(quotes, resting, at).commands.reduce<Orders>(land, resting);
        for (const order of resting) expect(order.reduceOnly && (order.side === "sell") === inventory > 0n).toBe(true);
      }),
    );
  });
});

function firstOfEachLevel(quotes: readonly Quote[]): readonly Quote[] {
  return quotes.filter((one, index) => quotes.findIndex(({ level }) => level === one.level) === index);
}

/** The largest number of quotes that can be served by an order of their own as it is, by trying them all. */
function mostKept(quotes: readonly Quote[], orders: readonly TrackedOrder[]): number {
  const [first, ...rest] = quotes;
  if (first === undefined) return 0;
  const withFirst = orders
    .filter((order) => isKept(first, order))
    .map(
      (order) =>
        1 +
        mostKept(
          rest,
          orders.filter((other) => other !== order),
        ),
    );
  return Math.max(mostKept(rest, orders), ...withFirst);
}

function isKept(wanted: Quote, order: TrackedOrder): boolean {
  const off = Math.abs(Number(order.price - wanted.price));
  const excess = Number(order.remainingSize - wanted.size) / Number(wanted.size);
  return off <= 10 && excess <= 0.01 && excess >= -0.5;
}
