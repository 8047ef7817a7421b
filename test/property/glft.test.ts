// Laws of the closed form of Guéant, Lehalle and Fernandez-Tapia over any sound model.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { FillModel } from "../../src/bot/strategy/public.ts";
import { closedForm, gammaForInventory, strategy } from "../../strategies/glft.ts";
import { healthyView, now, withInventory } from "../unit/bot/risk/healthy.ts";

const between = (min: number, max: number) =>
  fc.double({ min: Math.log(min), max: Math.log(max), noNaN: true }).map((exponent) => Math.exp(exponent));
const model: fc.Arbitrary<FillModel> = fc.record({
  sigma: between(1e-4, 10),
  intensityA: between(1e-3, 100),
  intensityK: between(1e-2, 100),
});
const gamma = between(1e-5, 10);
const close = (a: number, b: number, within = 1e-9) => expect(Math.abs(a / b - 1)).toBeLessThan(within);

test("law: half spread and skew are finite and above zero", () => {
  fc.assert(
    fc.property(model, gamma, (given, aversion) => {
      const { halfSpreadUsd, skewUsd } = closedForm(given, aversion);
      expect(Number.isFinite(halfSpreadUsd) && halfSpreadUsd > 0).toBe(true);
      expect(Number.isFinite(skewUsd) && skewUsd > 0).toBe(true);
    }),
  );
});

test("law: the skew is in proportion to volatility, and grows with risk aversion", () => {
  fc.assert(
    fc.property(model, gamma, between(1.01, 10), (given, aversion, factor) => {
      const { skewUsd } = closedForm(given, aversion);
      close(closedForm({ ...given, sigma: given.sigma * factor }, aversion).skewUsd, factor * skewUsd);
      expect(closedForm(given, aversion * factor).skewUsd).toBeGreaterThan(skewUsd);
    }),
  );
});

test("law: prices in another currency are the same quotes, gamma and k converted", () => {
  fc.assert(
    fc.property(model, gamma, between(0.01, 100), (given, aversion, rate) => {
      const here = closedForm(given, aversion);
      const there = closedForm(
        { ...given, sigma: given.sigma * rate, intensityK: given.intensityK / rate },
        aversion / rate,
      );
      close(there.halfSpreadUsd, rate * here.halfSpreadUsd, 1e-6);
      close(there.skewUsd, rate * here.skewUsd, 1e-6);
    }),
  );
});

test("law: time in another unit is the same quotes", () => {
  fc.assert(
    fc.property(model, gamma, between(0.01, 100), (given, aversion, rate) => {
      const faster = { ...given, sigma: given.sigma * Math.sqrt(rate), intensityA: given.intensityA * rate };
      close(closedForm(faster, aversion).halfSpreadUsd, closedForm(given, aversion).halfSpreadUsd);
    }),
  );
});

test("law: the risk aversion of a wanted deviation gives that deviation back", () => {
  fc.assert(
    fc.property(model, between(0.5, 50), (given, wanted) => {
      const aversion = gammaForInventory(given, wanted);
      const { skewUsd } = closedForm(given, aversion);
      close(1 / Math.sqrt(2 * given.intensityK * skewUsd), wanted, 1e-6);
    }),
  );
});

test("law: quotes are apart, and lean against the inventory by as much long as short", () => {
  const view = { ...healthyView, book: now({ marketId: 1, bids: [], asks: [] }) };
  const tenths = fc.integer({ min: 0, max: 100 });
  fc.assert(
    fc.property(
      tenths,
      between(0.5, 50),
      between(0.05, 20),
      between(0.01, 5),
      (held, depthBps, volatilityBps, intensityA) => {
        const params = strategy.params.parse({
          size: 1,
          maxInventory: 20,
          center: "oracle",
          depthBps,
          volatilityBps,
          intensityA,
        });
        const at = (contracts: number) => {
          const { quotes } = strategy.quote(withInventory(view, contracts), params, null);
          const of = (side: "buy" | "sell") => quotes.find((quote) => quote.side === side)?.price;
          return { bid: of("buy"), ask: of("sell") };
        };
        const [long, flat, short] = [at(held / 10), at(0), at(-held / 10)];
        const center = 2n * 20_000_000_000n;
        for (const { bid, ask } of [long, flat, short])
          if (bid !== undefined && ask !== undefined) expect(bid < ask).toBe(true);
        if (long.bid !== undefined && short.ask !== undefined) expect(long.bid + short.ask).toBe(center);
        if (long.bid !== undefined && flat.bid !== undefined) expect(long.bid <= flat.bid).toBe(true);
        if (long.ask !== undefined && flat.ask !== undefined) expect(long.ask <= flat.ask).toBe(true);
      },
    ),
  );
});
