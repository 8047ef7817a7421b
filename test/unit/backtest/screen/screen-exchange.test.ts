// Orders in a market that does not know of them: what stood before them trades first, what comes to their price meets them once, and the money is
// what the fills say.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ScreenExchange } from "../../../../src/backtest/screen/screen-exchange.ts";
import type { ChainEvent } from "../../../../src/devnet/event.ts";
import type { Book } from "../../../../src/domain/book.ts";
import type { Command, PlaceCommand } from "../../../../src/domain/command.ts";
import type { QueueModel } from "../../../../src/domain/queue.ts";
import { accountId, type OrderId, orderId, price, type Side, usdc } from "../../../../src/domain/units.ts";
import { at, bookOf, contracts, head, level, MARKET, START_MS, tradeOf } from "./scene.ts";

const us = accountId(12n);
const collateral = usdc(100_000_000_000n);

class Scene {
  readonly exchange: ScreenExchange;
  readonly events: ChainEvent[] = [];
  #nowMs = START_MS;

  constructor(model: QueueModel = "riskAverse") {
    this.exchange = new ScreenExchange(head, { accountId: us, collateral, volume30d: usdc(0n) }, model);
  }

  book(bids: Book["bids"], asks: Book["asks"]): void {
    this.#take({ kind: "book", book: bookOf(bids, asks), receivedMs: 0 });
  }

  trade(side: Side, ticks: number, count: number): void {
    this.#take({ kind: "trade", trade: tradeOf(side, ticks, count), receivedMs: 0 });
  }

  fund(fundingRate: bigint): void {
    this.#take({ kind: "fundingUpdate", marketId: MARKET, fundingRate, lastFundingTimestampSec: 1, receivedMs: 0 });
  }

  #take(event: Parameters<ScreenExchange["take"]>[0]): void {
    this.#nowMs += 200;
    this.exchange.take(event, this.#nowMs);
    this.events.push(...this.exchange.flush());
  }

  do(command: Command): void {
    this.events.push(...this.exchange.execute(command, this.#nowMs));
  }

  place(side: Side, ticks: number, count: number, of: Partial<PlaceCommand> = {}): OrderId {
    this.do({ ...placed, side, price: at(ticks), size: contracts(count), ...of });
    return this.exchange.orders(MARKET).at(-1)?.orderId ?? orderId(0n);
  }

  modify(id: OrderId, newTicks: number | null, newCount: number | null): void {
    const [newPrice, newSize] = [
      newTicks === null ? null : at(newTicks),
      newCount === null ? null : contracts(newCount),
    ];
    const of = { accountId: us, marketId: MARKET, side: "buy", reduceOnly: false, level: 0 } as const;
    this.do({ kind: "modify", ...of, orderId: id, newPrice, newSize });
  }

  /** Ticks and contracts of our fills. */
  get fills(): readonly (readonly [number, number])[] {
    return this.events.flatMap((event) =>
      event.type === "Fill" ? [[Number(event.execution.price / 1_000_000n), Number(event.execution.size) / 1e6]] : [],
    ) as readonly (readonly [number, number])[];
  }

  ahead(id: OrderId): number {
    return Number(this.exchange.queueAhead(MARKET, id)) / 1e6;
  }
}

const placed: Omit<PlaceCommand, "side" | "price" | "size"> = {
  kind: "place",
  accountId: us,
  marketId: MARKET,
  orderType: "Limit",
  reduceOnly: false,
  postOnly: true,
  timeInForce: "GTC",
  maxSlippageBps: null,
  level: 0,
};

const standing = (scene: Scene): void => scene.book([level(21_690, 5), level(21_680, 8)], [level(21_710, 5)]);

describe("a queue", () => {
  test("what stood before an order trades first", () => {
    const scene = new Scene();
    standing(scene);
    scene.place("buy", 21_690, 1);
    scene.trade("sell", 21_690, 4);
    expect(scene.fills).toEqual([]);
    scene.trade("sell", 21_690, 1.5);
    expect(scene.fills).toEqual([[21_690, 0.5]]);
    scene.trade("sell", 21_690, 9);
    expect(scene.fills).toEqual([
      [21_690, 0.5],
      [21_690, 0.5],
    ]);
  });

  test("a trade beyond its price fills it at its own price", () => {
    const scene = new Scene();
    standing(scene);
    scene.place("buy", 21_695, 1);
    scene.trade("sell", 21_680, 0.25);
    expect(scene.fills).toEqual([[21_695, 0.25]]);
  });

  test.each([
    ["riskAverse", 5],
    ["optimistic", 4],
    [{ fitted: { exponent: 0, ci95: [-1, 1], fills: 300 } }, 4.5],
  ] as const)("who leaves stood where the model says: %j", (model, ahead) => {
    const scene = new Scene(model);
    standing(scene);
    const id = scene.place("buy", 21_690, 1);
    scene.book([level(21_690, 10)], [level(21_710, 5)]);
    scene.book([level(21_690, 9)], [level(21_710, 5)]);
    expect(scene.ahead(id)).toBeCloseTo(ahead, 5);
  });

  test("a trade that shortens the level is no one leaving", () => {
    const scene = new Scene("optimistic");
    standing(scene);
    const id = scene.place("buy", 21_690, 1);
    scene.book([level(21_690, 10)], [level(21_710, 5)]);
    scene.trade("sell", 21_690, 2);
    scene.book([level(21_690, 8)], [level(21_710, 5)]);
    expect(scene.ahead(id)).toBe(3);
  });

  test("less size keeps the place, more size and another price do not", () => {
    const scene = new Scene();
    standing(scene);
    const id = scene.place("buy", 21_690, 2);
    scene.book([level(21_690, 9)], [level(21_710, 5)]);
    scene.modify(id, null, 1);
    expect(scene.ahead(id)).toBe(5);
    scene.modify(id, null, 3);
    expect(scene.ahead(id)).toBe(9);
    scene.modify(id, 21_680, null);
    expect(scene.ahead(id)).toBe(0);
  });
});

describe("whoever comes to our price", () => {
  test("meets our order, and is not offered again", () => {
    const scene = new Scene();
    standing(scene);
    scene.place("buy", 21_700, 4);
    const crossing = [level(21_700, 1.5), level(21_710, 5)];
    scene.book([level(21_690, 5)], crossing);
    scene.book([level(21_690, 6)], crossing);
    expect(scene.fills).toEqual([[21_700, 1.5]]);
    scene.book([level(21_690, 6)], [level(21_700, 2), level(21_710, 5)]);
    expect(scene.fills.slice(1)).toEqual([[21_700, 0.5]]);
  });
});

describe("an order", () => {
  test("that only rests and would trade is refused", () => {
    const scene = new Scene();
    standing(scene);
    scene.place("buy", 21_710, 1);
    expect([scene.events, scene.exchange.orders(MARKET)]).toEqual([[], []]);
  });

  test("that takes fills down to its limit, pays the taker's fee, and its rest goes", () => {
    const scene = new Scene();
    scene.book([level(21_690, 5)], [level(21_710, 1), level(21_720, 1), level(21_730, 1)]);
    scene.place("buy", 21_720, 5, { postOnly: false, timeInForce: "IOC" });
    expect(scene.fills).toEqual([
      [21_710, 1],
      [21_720, 1],
    ]);
    expect(scene.exchange.orders(MARKET)).toEqual([]);
    const fees = scene.events.map((event) => (event.type === "Fill" ? event.execution.takerFee : 0n));
    expect(fees.filter((fee) => fee !== 0n)).toEqual([108_550n, 108_600n]);
  });

  test("that may only reduce never opens or turns a position", () => {
    const scene = new Scene();
    standing(scene);
    scene.place("sell", 21_700, 2, { reduceOnly: true });
    scene.trade("buy", 21_700, 1);
    expect([scene.fills, scene.exchange.orders(MARKET)]).toEqual([[], []]);
    scene.place("buy", 21_695, 1);
    scene.trade("sell", 21_695, 1);
    scene.place("sell", 21_700, 2, { reduceOnly: true });
    scene.trade("buy", 21_700, 2);
    expect(scene.fills).toEqual([
      [21_695, 1],
      [21_700, 1],
    ]);
  });
});

test("funding is paid on the position: a long pays a positive rate, rounded up", () => {
  const scene = new Scene();
  standing(scene);
  scene.place("buy", 21_695, 1);
  scene.trade("sell", 21_695, 1);
  const before = scene.exchange.collateral;
  scene.fund(1_000_001n);
  // 217 USD x 0.001000001.
  expect(scene.exchange.collateral - before).toBe(-217_001n);
  expect(scene.events.at(-1)).toMatchObject({ type: "FundingPaid", amount: -217_001n, inventory: 1_000_000n });
});

test("collateral and position are what the fills add up to, and equity is what the recorder reads", () => {
  const step = fc.record({
    side: fc.constantFrom("buy" as const, "sell" as const),
    ticks: fc.integer({ min: 21_691, max: 21_709 }),
    count: fc.integer({ min: 1, max: 5 }),
    trade: fc.constantFrom("buy" as const, "sell" as const),
    traded: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const scene = new Scene();
      standing(scene);
      for (const { side, ticks, count, trade, traded } of steps) {
        scene.place(side, ticks, count);
        scene.trade(trade, trade === "buy" ? 21_709 : 21_691, traded);
      }
      let [inventory, cash] = [0n, 0n];
      for (const event of scene.events) {
        if (event.type !== "Fill") continue;
        const { takerSide, price: of, size: filled, makerFee } = event.execution;
        const sign = takerSide === "sell" ? 1n : -1n;
        inventory += sign * filled;
        cash -= (sign * of * filled) / 100_000_000n + makerFee;
      }
      const account = scene.exchange.chain.reads.account(us);
      const [position] = account?.positions ?? [];
      const held = position === undefined ? 0n : (position.side === "buy" ? 1n : -1n) * position.size;
      expect(held).toBe(inventory);
      const equity = (account?.collateral ?? 0n) + (position?.unrealizedPnl ?? 0n);
      expect(equity).toBe(collateral + cash + (inventory * price(at(21_700))) / 100_000_000n);
    }),
  );
});
