// Laws of the whole engine under arbitrary use: money is neither made nor lost, a refusal leaves no trace, nobody opens what
// the margin does not carry, and a resumed exchange cannot be told from one that never stopped.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlaceOrder } from "../../src/devnet/engine/calls.ts";
import type { ChainEvent } from "../../src/devnet/event.ts";
import { type AccountId, accountId, size, usdc } from "../../src/domain/units.ts";
import { ACCOUNTS, anyDeed, beginLife, ctxOf, type Deed, type Life, live, options } from "./matching-world.ts";

const lives = fc.array(anyDeed, { minLength: 40, maxLength: 160, size: "max" });
const isolatedLives = lives.map((deeds) =>
  deeds.map(
    (deed): Deed => (deed.kind === "place" ? { ...deed, order: { ...deed.order, marginMode: "Isolated" } } : deed),
  ),
);
const textOf = (life: Life): string => JSON.stringify(life.engine.snapshot());

const codeOf = (result: ReturnType<typeof live>): string | null =>
  result !== null && "status" in result && result.status === "failed" ? result.code : null;

const eventsIn = (result: ReturnType<typeof live>): readonly ChainEvent[] => {
  if (result === null) return [];
  if (!("status" in result)) return result;
  return result.status === "success" ? result.events : [];
};

/** Margin that an account has left; below zero only where the price has moved against it. */
const freeOf = (life: Life, deed: Deed): bigint => {
  if (deed.kind !== "place") return 0n;
  const account = life.engine.account(deed.order.accountId)!;
  const isolated = account.positions.filter((position) => position.marginMode === "Isolated");
  const behindIsolated = isolated.reduce(
    (sum, position) => sum + position.isolatedMargin + (position.unrealizedPnl ?? 0n),
    0n,
  );
  return account.equity - behindIsolated - account.initialMargin;
};

/** What reduces may use up margin; it is checked against the equity instead. */
function mayOnlyReduce(life: Life, order: PlaceOrder): boolean {
  if (order.reduceOnly) return true;
  const position = life.engine.account(order.accountId)!.positions.find(({ marketId }) => marketId === order.marketId);
  return position !== undefined && position.side !== order.side && order.size <= position.size;
}

/**
 * A print may leave an isolated position with less than nothing behind it. Until the next block takes it away it can be closed only
 * as far as the gain lifts the rest out of debt: more of the same order may be taken where less is not.
 */
const isSunk = (life: Life, id: AccountId): boolean =>
  life.engine
    .account(id)!
    .positions.some(
      (position) => position.marginMode === "Isolated" && position.isolatedMargin + (position.unrealizedPnl ?? 0n) < 0n,
    );

describe("the engine", () => {
  it("ends and changes positions by fills alone, the backstop account's and settlement's too", () => {
    fc.assert(
      fc.property(fc.oneof(lives, isolatedLives), (deeds) => {
        const life = beginLife();
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
        const life = beginLife();
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
        const life = beginLife();
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
        const life = beginLife();
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

  it("lets nobody trade an isolated position into debt, which the insurance fund would pay", () => {
    fc.assert(
      fc.property(isolatedLives, (deeds) => {
        const life = beginLife();
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
        const life = beginLife();
        for (const deed of first) live(life, deed);
        const resumed = beginLife({
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
        const [one, two] = [beginLife(), beginLife()];
        for (const deed of deeds) expect(live(one, deed)).toEqual(live(two, deed));
        expect(Buffer.concat(one.changes).equals(Buffer.concat(two.changes))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it("pays out in funding what it takes in, but for the rounding it keeps", () => {
    fc.assert(
      fc.property(lives, (deeds) => {
        const life = beginLife();
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
        const life = beginLife();
        for (const deed of deeds) live(life, deed);
        fc.pre(freeOf(life, last) >= 0n && !isSunk(life, last.order.accountId));
        const copy = (): Life =>
          beginLife({ snapshot: life.engine.snapshot(), nowMs: life.nowMs, height: life.height });
        if (codeOf(live(copy(), last)) !== null) return;
        const richer = copy();
        const amount = usdc(BigInt(more));
        richer.engine.post({ from: "custody", to: last.order.accountId, amount }, ctxOf(richer));
        expect(codeOf(live(richer, last))).toBeNull();
        const smaller = { ...last, order: { ...last.order, size: size(last.order.size / 2n + 1n) } };
        if (smaller.order.size < last.order.size) expect(codeOf(live(copy(), smaller))).toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  it("leaves no account in debt once its positions are gone", () => {
    fc.assert(
      fc.property(lives, (deeds) => {
        const life = beginLife();
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
        const life = beginLife();
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
        const life = beginLife();
        for (const deed of deeds) {
          live(life, deed);
          for (const id of life.engine.marketIds()) {
            const market = life.engine.market(id)!;
            expect(market.openInterestLong).toBe(market.openInterestShort);
            expect(market.openInterestLong <= market.maxOpenInterest).toBe(true);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
