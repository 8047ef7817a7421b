// Laws of the whole engine under arbitrary use: money is neither made nor lost, a refusal leaves no trace, nobody opens what
// the margin does not carry, and a resumed exchange cannot be told from one that never stopped.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlaceOrder } from "../../src/devnet/engine/calls.ts";
import type { ChainEvent } from "../../src/devnet/event.ts";
import { type AccountId, accountId, size, usdc } from "../../src/domain/units.ts";
import {
  ACCOUNTS,
  anyDeed,
  asPrice,
  beginRun,
  ctxOf,
  type Deed,
  live,
  options,
  type ProcessRun,
  plainOrder,
} from "./matching-world.ts";

const lives = fc.array(anyDeed, { minLength: 40, maxLength: 160, size: "max" });
const isolatedLives = lives.map((deeds) =>
  deeds.map(
    (deed): Deed => (deed.kind === "place" ? { ...deed, order: { ...deed.order, marginMode: "Isolated" } } : deed),
  ),
);
const place = (account: number, order: Partial<PlaceOrder>): Deed => ({
  kind: "place",
  order: { ...plainOrder, accountId: ACCOUNTS[account]!, ...order },
});
const anyContracts = (min: number, max: number) =>
  fc.integer({ min: min * 1_000_000, max: max * 1_000_000 }).map((units) => size(BigInt(units)));

/** A poor account with a position and several orders on one side; then a print, and a rich account that takes them all, or some. */
const sweptLives = fc
  .record({
    marketId: fc.constantFrom(1, 2),
    marginMode: fc.constantFrom(...(["Cross", "Cross", "Isolated"] as const)),
    held: anyContracts(0.1, 45),
    bought: fc.boolean(),
    orders: fc.array(
      fc.record({
        size: anyContracts(0.1, 30),
        price: fc.integer({ min: 190, max: 210 }).map(asPrice),
        reduceOnly: fc.integer({ min: 0, max: 4 }).map((draw) => draw === 0),
        leverage: fc.constantFrom(0, 0, 0, 3, 10),
      }),
      { minLength: 2, maxLength: 6 },
    ),
    onPosition: fc.boolean(),
    ticks: fc.integer({ min: 188, max: 212 }),
    taken: anyContracts(0.1, 60),
  })
  .map(({ marketId, marginMode, held, bought, orders, onPosition, ticks, taken }): readonly Deed[] => {
    const [side, other] = bought ? (["buy", "sell"] as const) : (["sell", "buy"] as const);
    const [rests, takes] = onPosition ? [side, other] : [other, side];
    return [
      place(3, { marketId, side: other, size: held }),
      place(0, { marketId, side, size: held, marginMode }),
      ...orders.map((order) => place(0, { marketId, side: rests, marginMode, ...order })),
      { kind: "print", marketId, ticks, validMs: 100_000 },
      place(3, { marketId, side: takes, size: taken, price: asPrice(takes === "buy" ? 205 : 195), timeInForce: "IOC" }),
    ];
  });
const closing = { leverage: 20, marginMode: "Isolated" } as const;

/** An isolated position that gained, and parts of it closed at a loss, as taker and as maker. */
const closingLives = fc
  .record({
    ticks: fc.integer({ min: 200, max: 216 }),
    parts: fc.array(
      fc.record({
        units: fc.integer({ min: 1, max: 8_000_000 }),
        at: fc.integer({ min: 181, max: 210 }),
        rests: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .map(({ ticks, parts }): readonly Deed[] => [
    place(3, { side: "sell", size: size(9_000_000n) }),
    place(0, { ...closing, size: size(9_000_000n) }),
    { kind: "print", marketId: 1, ticks, validMs: 100_000 },
    ...parts.flatMap(({ units, at, rests }): readonly Deed[] => {
      const bid = place(3, { size: size(BigInt(units)), price: asPrice(at) });
      const ask = place(0, { ...closing, side: "sell", size: size(BigInt(units)), price: asPrice(at) });
      return rests ? [ask, bid] : [bid, ask];
    }),
    { kind: "block", advanceMs: 200 },
  ]);
const textOf = (life: ProcessRun): string => JSON.stringify(life.engine.snapshot());

const codeOf = (result: ReturnType<typeof live>): string | null =>
  result !== null && "status" in result && result.status === "failed" ? result.code : null;

const eventsIn = (result: ReturnType<typeof live>): readonly ChainEvent[] => {
  if (result === null) return [];
  if (!("status" in result)) return result;
  return result.status === "success" ? result.events : [];
};

/** Margin that the account of an order has left; below zero only where the price has moved against it. */
const freeOf = (life: ProcessRun, deed: Deed): bigint =>
  deed.kind === "place" ? freeIn(life, deed.order.accountId) : 0n;

const freeIn = (life: ProcessRun, id: AccountId): bigint => {
  const account = life.engine.account(id)!;
  const isolated = account.positions.filter((position) => position.marginMode === "Isolated");
  const behindIsolated = isolated.reduce(
    (sum, position) => sum + position.isolatedMargin + (position.unrealizedPnl ?? 0n),
    0n,
  );
  return account.equity - behindIsolated - account.initialMargin;
};

/** What reduces may use up margin; it is checked against the equity instead. */
function mayOnlyReduce(life: ProcessRun, order: PlaceOrder): boolean {
  if (order.reduceOnly) return true;
  const position = life.engine.account(order.accountId)!.positions.find(({ marketId }) => marketId === order.marketId);
  return position !== undefined && position.side !== order.side && order.size <= position.size;
}

/** Signed positions by market. */
const heldIn = (life: ProcessRun, id: AccountId): ReadonlyMap<number, bigint> =>
  new Map(
    life.engine
      .account(id)!
      .positions.map((position) => [
        position.marketId,
        position.side === "buy" ? BigInt(position.size) : -BigInt(position.size),
      ]),
  );

/**
 * A print may leave an isolated position with less than nothing behind it. Until the next block takes it away it can be closed only
 * as far as the gain lifts the rest out of debt: more of the same order may be taken where less is not.
 */
const isSunk = (life: ProcessRun, id: AccountId): boolean =>
  life.engine
    .account(id)!
    .positions.some(
      (position) => position.marginMode === "Isolated" && position.isolatedMargin + (position.unrealizedPnl ?? 0n) < 0n,
    );

describe("the engine", () => {
  it("ends and changes positions by fills alone, the backstop account's and settlement's too", () => {
    fc.assert(
      fc.property(fc.oneof(lives, isolatedLives), (deeds) => {
        const life = beginRun();
        const sums = new Map<string, bigint>();
        const add = (account: AccountId, market: number, by: bigint) =>
          sums.set(`${account}:${market}`, (sums.get(`${account}:${market}`) ?? 0n) + by);
        for (const deed of deeds) {
          for (const event of eventsIn(live(life, deed))) {
            if (event.type !== "Fill") continue;
            const { marketId, takerSide, size: filled, takerAccountId, makerAccountId } = event.execution;
            const signed = takerSide === "buy" ? filled : -filled;
            add(takerAccountId, marketId, signed);
            add(makerAccountId, marketId, -signed);
          }
        }
        for (const [key, sum] of sums) {
          const [id, market] = key.split(":");
          const position = life.engine
            .account(accountId(BigInt(id ?? 0)))
            ?.positions.find(({ marketId }) => String(marketId) === market);
          const held = position === undefined ? 0n : position.side === "buy" ? position.size : -position.size;
          expect(held).toBe(sum);
        }
      }),
    );
  });

  it("balances to the base unit after every call", () => {
    fc.assert(
      fc.property(lives, (deeds) => {
        const life = beginRun();
        for (const deed of deeds) {
          live(life, deed);
          life.engine.auditBalances();
        }
      }),
      { numRuns: 150 },
    );
  });

  it("is left as it was by a refusal", () => {
    fc.assert(
      fc.property(lives, (deeds) => {
        const life = beginRun();
        for (const deed of deeds) {
          const before = textOf(life);
          const told = life.changes.length;
          const result = live(life, deed);
          if (result === null || !("status" in result) || result.status !== "failed") continue;
          expect(textOf(life)).toBe(before);
          expect(life.changes.length).toBe(told);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("lets nobody open what their margin does not carry", () => {
    fc.assert(
      fc.property(lives, (deeds) => {
        const life = beginRun();
        for (const deed of deeds) {
          const before = freeOf(life, deed);
          const reduces = deed.kind === "place" && mayOnlyReduce(life, deed.order);
          const result = live(life, deed);
          if (deed.kind !== "place" || result === null || !("status" in result) || result.status === "failed") continue;
          if (before >= 0n && !reduces) expect(freeOf(life, deed) >= 0n).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("lets no maker open what their margin does not carry, however many of its orders one taker hits", () => {
    fc.assert(
      fc.property(fc.oneof(sweptLives, lives, isolatedLives), (deeds) => {
        const life = beginRun();
        for (const deed of deeds) {
          const before = new Map(ACCOUNTS.map((id) => [id, heldIn(life, id)]));
          const result = live(life, deed);
          if (deed.kind === "block") continue;
          for (const event of eventsIn(result)) {
            if (event.type !== "Fill") continue;
            const { makerAccountId: id, marketId } = event.execution;
            const [held, holds] = [before.get(id)?.get(marketId) ?? 0n, heldIn(life, id).get(marketId) ?? 0n];
            const opened = held >= 0n ? holds > held || holds < 0n : holds < held || holds > 0n;
            if (opened) expect(freeIn(life, id) >= 0n).toBe(true);
          }
        }
      }),
    );
  });

  it("brings no bucket below zero but by funding, and then only where neither free collateral nor the book had anything", () => {
    const sunken = (life: ProcessRun, id: AccountId) =>
      life.engine.account(id)!.positions.filter(({ isolatedMargin }) => isolatedMargin < 0n);
    fc.assert(
      fc.property(fc.oneof(isolatedLives, closingLives), (deeds) => {
        const life = beginRun();
        for (const deed of deeds) {
          const before = ACCOUNTS.map((id) => sunken(life, id).length);
          live(life, deed);
          for (const [at, id] of ACCOUNTS.entries()) {
            if (deed.kind !== "block") expect(sunken(life, id).length <= before[at]!).toBe(true);
            else if (sunken(life, id).length > 0) expect(life.engine.account(id)!.availableCollateral).toBe(0n);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it("lets nobody trade an isolated position into debt, which the insurance fund would pay", () => {
    fc.assert(
      fc.property(isolatedLives, (deeds) => {
        const life = beginRun();
        for (const deed of deeds) {
          const fund = life.engine.systemBalance("insurance");
          const sunk = ACCOUNTS.some((id) => isSunk(life, id));
          live(life, deed);
          if (deed.kind !== "block" && !sunk) expect(life.engine.systemBalance("insurance") >= fund).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("goes on from a snapshot as if it had never stopped", () => {
    fc.assert(
      fc.property(lives, lives, (first, second) => {
        const life = beginRun();
        for (const deed of first) live(life, deed);
        const resumed = beginRun({
          snapshot: JSON.parse(textOf(life)),
          nowMs: life.nowMs,
          height: life.height,
        });
        expect(textOf(resumed)).toBe(textOf(life));
        const told = life.changes.length;
        for (const deed of second) {
          live(life, deed);
          live(resumed, deed);
        }
        resumed.engine.auditBalances();
        expect(textOf(resumed)).toBe(textOf(life));
        expect(Buffer.concat(resumed.changes).equals(Buffer.concat(life.changes.slice(told)))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("says the same thing twice when asked the same twice", () => {
    fc.assert(
      fc.property(lives, (deeds) => {
        const [one, two] = [beginRun(), beginRun()];
        for (const deed of deeds) expect(live(one, deed)).toEqual(live(two, deed));
        expect(Buffer.concat(one.changes).equals(Buffer.concat(two.changes))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it("pays out in funding what it takes in, but for the rounding it keeps", () => {
    fc.assert(
      fc.property(lives, (deeds) => {
        const life = beginRun();
        for (const deed of deeds) {
          const kept = life.engine.systemBalance("rounding");
          const result = live(life, deed);
          if (deed.kind !== "block" || result === null || !("length" in result)) continue;
          let paid = 0n;
          for (const event of result) if (event.type === "FundingPaid") paid += event.amount;
          const keptMore = life.engine.systemBalance("rounding") - kept;
          expect(paid + keptMore).toBe(0n);
          expect(keptMore >= 0n).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("takes from the richer whatever it takes from the poorer, and less of it too", () => {
    fc.assert(
      fc.property(lives, anyDeed, fc.integer({ min: 1, max: 1_000_000_000 }), (deeds, last, more) => {
        fc.pre(last.kind === "place" && last.order.triggerPrice === null && !last.order.reduceOnly);
        if (last.kind !== "place") return;
        const life = beginRun();
        for (const deed of deeds) live(life, deed);
        fc.pre(freeOf(life, last) >= 0n && !isSunk(life, last.order.accountId));
        const copy = (): ProcessRun =>
          beginRun({ snapshot: life.engine.snapshot(), nowMs: life.nowMs, height: life.height });
        if (codeOf(live(copy(), last)) !== null) return;
        const richer = copy();
        const amount = usdc(BigInt(more));
        richer.engine.post({ from: "custody", to: last.order.accountId, amount }, ctxOf(richer));
        expect(codeOf(live(richer, last))).toBeNull();
        const smaller = { ...last, order: { ...last.order, size: size(last.order.size / 2n + 1n) } };
        if (smaller.order.size < last.order.size) expect(codeOf(live(copy(), smaller))).toBeNull();
      }),
    );
  });

  it("leaves no account in debt once its positions are gone", () => {
    fc.assert(
      fc.property(lives, (deeds) => {
        const life = beginRun();
        for (const deed of deeds) {
          live(life, deed);
          if (deed.kind !== "block") continue;
          for (const id of ACCOUNTS) {
            const account = life.engine.account(id)!;
            if (account.positions.length === 0) expect(account.collateral >= 0n).toBe(true);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it("keeps every account's open orders within their cap, exits included", () => {
    const cap = options(() => undefined).openOrderCap;
    fc.assert(
      fc.property(lives, (deeds) => {
        const life = beginRun();
        for (const deed of deeds) {
          live(life, deed);
          for (const id of ACCOUNTS) expect(life.engine.account(id)!.openOrders.length <= cap).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("keeps open interest within its limit and equal on both sides", () => {
    fc.assert(
      fc.property(lives, (deeds) => {
        const life = beginRun();
        for (const deed of deeds) {
          live(life, deed);
          for (const id of life.engine.marketIds()) {
            const market = life.engine.market(id)!;
            expect(market.openInterestLong).toBe(market.openInterestShort);
            expect(market.openInterestLong! <= market.maxOpenInterest!).toBe(true);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
