// Worst case and its margin in numbers worked out by hand.

import { describe, expect, test } from "vitest";
import { marginBase, marginNeed } from "../../../../src/bot/risk/limits/margin.ts";
import { exposureRatio, worstCase } from "../../../../src/domain/exposure.ts";
import { usdc } from "../../../../src/domain/units.ts";
import { plainHeld } from "../../../support/plain-bot.ts";
import { healthyLimits, healthyView, lots, market, order, usd } from "./healthy.ts";

describe("worst case", () => {
  const orders = [
    order(1, "buy", 199, 2, { remainingSize: lots(1.5) }),
    order(2, "buy", 198, 1, { state: "unknown", orderId: null }),
    order(3, "buy", 198, 1, { state: "canceling" }),
    order(4, "sell", 201, 4, { state: "inFlight", orderId: null }),
    order(5, "sell", 201, 9, { reduceOnly: true }),
  ];

  test("is each side alone: bids never net against asks, reduce-only orders do not count beyond flat", () => {
    expect(worstCase(plainHeld(lots(3)), orders)).toEqual({ long: lots(6.5), short: lots(4) });
    expect(worstCase(plainHeld(lots(11)), orders)).toEqual({ long: lots(14.5), short: lots(2) });
    expect(worstCase(plainHeld(lots(-3)), orders)).toEqual({ long: lots(0.5), short: lots(7) });
    expect(worstCase(plainHeld(lots(0)), [])).toEqual({ long: 0n, short: 0n });
  });

  test("what waits for a trigger reduces nothing yet", () => {
    const stop = order(6, "sell", 201, 9, { reduceOnly: true, isConditional: true });
    expect(worstCase(plainHeld(lots(3)), [stop])).toEqual({ long: lots(3), short: lots(-3) });
  });

  test("over the limit is a ratio per side, never below nothing", () => {
    const worst = worstCase(plainHeld(lots(-3)), orders);
    expect(exposureRatio(worst, lots(20), "buy")).toBe(0.025);
    expect(exposureRatio(worst, lots(20), "sell")).toBe(0.35);
    expect(exposureRatio(worstCase(plainHeld(lots(-3)), []), lots(20), "buy")).toBe(0);
  });
});

describe("margin of a worst case", () => {
  const funds = healthyView.funds.state === "fresh" ? healthyView.funds.value : undefined;
  const need = (contracts: number, changes: object = {}, inventory = 0) => {
    if (funds === undefined) throw new Error("the healthy view knows its funds");
    const facts = { market, oraclePrice: usd(200), funds: { ...funds, ...changes }, inventory: lots(inventory) };
    return marginNeed(lots(contracts), marginBase(facts, healthyLimits.market));
  };

  test("below the first floor: a 20th initially, 2.5 % for maintenance, twice that to be kept", () => {
    // 10 contracts = 2,000 USDC.
    expect(need(10)).toEqual({
      initial: usdc(100_000_000n),
      initialAllowed: usdc(90_000_000_000n),
      maintenance: usdc(100_000_000n),
      equityAfterShock: usdc(99_900_000_000n),
    });
  });

  test("above the floor of 10,000 USDC: a tenth, and 5 % less the deduction", () => {
    // 100 contracts = 20,000 USDC: maintenance 1,000 - 250 = 750.
    expect(need(100)).toMatchObject({ initial: usdc(2_000_000_000n), maintenance: usdc(1_500_000_000n) });
  });

  test("what other markets need is added; our own position's part of the account's maintenance is not counted twice", () => {
    expect(need(10, { initialMarginElsewhere: usdc(7n) }).initial).toBe(usdc(100_000_007n));
    // Held: 4 contracts = 800 USDC, 20 of maintenance; the account says 50, so 30 are elsewhere.
    expect(need(10, { maintenanceMargin: usdc(50_000_000n) }, -4).maintenance).toBe(usdc(160_000_000n));
    expect(need(10, { maintenanceMargin: usdc(10_000_000n) }, 4).maintenance).toBe(usdc(100_000_000n));
  });

  test("law: a larger worst case never needs less", () => {
    let last = need(0);
    for (let contracts = 1; contracts <= 200; contracts += 1) {
      const next = need(contracts);
      expect(next.initial >= last.initial && next.maintenance >= last.maintenance).toBe(true);
      expect(next.equityAfterShock <= last.equityAfterShock).toBe(true);
      last = next;
    }
  });
});
