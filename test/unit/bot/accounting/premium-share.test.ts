// The premium book's part of a market: whatever the position, the target, prices and funding do, it and all else sum to the whole.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  fundShare,
  heldFor,
  holdAt,
  noPremiumShare,
  premiumPnl,
} from "../../../../src/bot/accounting/premium-share.ts";
import { notional } from "../../../../src/domain/rounding.ts";
import { price, size, usdc } from "../../../../src/domain/units.ts";

const contracts = fc.bigInt({ min: -50_000_000n, max: 50_000_000n }).map(size);
const mid = fc.bigInt({ min: 10_000n, max: 40_000n }).map(price);
const step = fc.record({
  target: contracts,
  inventory: contracts,
  mid,
  funding: fc.bigInt({ min: -9_000_000n, max: 9_000_000n }),
});

test("law: it holds no more than the position, no more than the target, and on the target's side", () => {
  fc.assert(
    fc.property(contracts, contracts, (target, inventory) => {
      const held = heldFor(target, inventory);
      for (const most of [target, inventory]) {
        expect(held * most).toBeGreaterThanOrEqual(0n);
        expect(held * held).toBeLessThanOrEqual(most * most);
      }
    }),
  );
});

test("law: it earns what was held times each move of the mid, and its part of funding; a base unit of rounding a step at most", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
      let share = noPremiumShare;
      let earned = 0n;
      let before: (typeof steps)[number]["mid"] | null = null;
      for (const { target, inventory, mid: at, funding } of steps) {
        const { inventory: held } = share.holding;
        if (before !== null)
          earned +=
            BigInt(Math.sign(Number(at - before))) * notional(price(at > before ? at - before : before - at), held);
        share = holdAt(share, heldFor(target, inventory), at);
        const funded = fundShare(share, usdc(funding), inventory);
        earned += funded.funding - share.funding;
        if (inventory !== 0n && share.holding.inventory === inventory)
          expect(funded.funding - share.funding).toBe(funding);
        share = funded;
        before = at;
      }
      const off = premiumPnl(share, before ?? price(1n)) - earned;
      expect(off * off).toBeLessThanOrEqual(BigInt(3 * steps.length) ** 2n);
    }),
  );
});

test("law: with a target of nothing it never holds, and never earns", () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const end = steps.reduce(
        (share, of) =>
          fundShare(holdAt(share, heldFor(size(0n), of.inventory), of.mid), usdc(of.funding), of.inventory),
        noPremiumShare,
      );
      expect(end).toBe(noPremiumShare);
    }),
  );
});
