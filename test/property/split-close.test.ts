// A close in pieces realizes what the same close in one fill does, in the exchange's engine and in the bot's book, to the base unit.

import fc from "fast-check";
import { expect, test } from "vitest";
import { afterFill, type Holding, realizedBy } from "../../src/bot/accounting/holding.ts";
import { bookTrade } from "../../src/devnet/engine/margin/position.ts";
import { notional } from "../../src/domain/rounding.ts";
import { price, type Side, size, usdc } from "../../src/domain/units.ts";

/** At whole cents so much of a contract is worth a whole base unit: no fill is rounded. */
const WHOLE = 100;

const closes = fc.record({
  opened: fc.constantFrom<Side>("buy", "sell"),
  cents: fc.record({ entry: fc.integer({ min: 1, max: 50_000 }), exit: fc.integer({ min: 1, max: 50_000 }) }),
  /** In the unit of `WHOLE`. */
  pieces: fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 12 }),
  /** What rounding may have left in the cost. */
  odd: fc.integer({ min: -5, max: 5 }),
});

type Close = typeof closes extends fc.Arbitrary<infer C> ? C : never;

function realized({ opened, cents, odd }: Close, pieces: readonly number[]): { engine: bigint; book: bigint } {
  const total = pieces.reduce((sum, piece) => sum + piece, 0);
  const sign = opened === "buy" ? 1n : -1n;
  const at = (of: number) => price(BigInt(of) * 1_000_000n);
  const cost = usdc(sign * notional(at(cents.entry), size(BigInt(total))) + BigInt(odd));
  const held = { units: Number(sign) * total, cost };
  let holding: Holding = { inventory: size(sign * BigInt(total)), cost };
  let [engine, book] = [0n, 0n];
  const side = opened === "buy" ? "sell" : "buy";
  for (const piece of pieces) {
    const fill = { side, price: at(cents.exit), size: size(BigInt(piece)) } as const;
    engine += bookTrade(held, side, piece, notional(fill.price, fill.size));
    const profit = realizedBy(holding, fill);
    book += profit;
    holding = afterFill(holding, fill, profit);
  }
  expect([held.units, held.cost, holding.inventory, holding.cost]).toEqual([0, 0n, 0n, 0n]);
  return { engine, book };
}

test("law: in any pieces of whole base units it realizes the same", () => {
  fc.assert(
    fc.property(closes, (close) => {
      const pieces = close.pieces.map((piece) => piece * WHOLE);
      const whole = realized(close, [pieces.reduce((sum, piece) => sum + piece, 0)]);
      expect(realized(close, pieces)).toEqual(whole);
      expect(whole.engine).toBe(whole.book);
    }),
  );
});

test("law: where fills are rounded it differs by less than a base unit a piece, and engine and book agree", () => {
  fc.assert(
    fc.property(closes, (close) => {
      const split = realized(close, close.pieces);
      const whole = realized(close, [close.pieces.reduce((sum, piece) => sum + piece, 0)]);
      const apart = Number(split.engine - whole.engine);
      expect(Math.abs(apart)).toBeLessThan(close.pieces.length + 1);
      expect(split.engine).toBe(split.book);
    }),
  );
});
