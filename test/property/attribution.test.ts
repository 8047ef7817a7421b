// PnL by source over random fills, moves of the price, prints and payments: the sources sum to what the exchange's own books say to the
// last unit, and each is what its definition says, computed here without the account book.

import fc from "fast-check";
import { expect, test } from "vitest";
import { MarketRecord, PRINT_MS } from "../../src/backtest/market-record.ts";
import { createAccountBook, foldBook } from "../../src/bot/accounting/account-book.ts";
import { valueAt } from "../../src/bot/accounting/holding.ts";
import { emptyMarketBook, pnlOf } from "../../src/bot/accounting/market-book.ts";
import { bookTrade } from "../../src/devnet/engine/margin/position.ts";
import type { Fill } from "../../src/domain/fill.ts";
import { divideFloor, notional } from "../../src/domain/rounding.ts";
import { accountId, NOTIONAL_DIVISOR, orderId, price, size, usdc } from "../../src/domain/units.ts";

const MARKET = 1;
const BLOCK_MS = 400;

const step = fc.record({
  /** How far the mid moves, price units. */
  move: fc.bigInt({ min: -50_000_000n, max: 50_000_000n }),
  blocks: fc.integer({ min: 1, max: 20 }),
  act: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("fill" as const),
        isBuy: fc.boolean(),
        contracts: fc.integer({ min: 1, max: 3_000_000 }),
        edge: fc.bigInt({ min: -20_000_000n, max: 20_000_000n }),
        fee: fc.bigInt({ min: -500_000n, max: 500_000n }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("print" as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("funding" as const),
        amount: fc.bigInt({ min: -9_999_999n, max: 9_999_999n }),
      }),
    },
  ),
});

test("five sources sum to the exchange's books exactly, and are what they say", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const record = new MarketRecord(MARKET, "any", 0);
      const book = createAccountBook();
      const held = { units: 0, cost: 0n };
      /** Moves of the price under the position, in price units times size units. */
      const moved = { jump: 0n, inventory: 0n };
      const exact = { spread: 0n, fees: 0n, funding: 0n };
      let collateral = 0n;
      let mid = price(20_000_000_000n);
      let atMs = 0;
      let printMs = Number.NEGATIVE_INFINITY;
      let fills = 0;
      let prints = 0;
      const fold = (event: Parameters<typeof foldBook>[1] | null): void => {
        if (event !== null) foldBook(book, event);
      };

      for (const [nth, { move, blocks, act }] of steps.entries()) {
        for (let block = 0; block < blocks; block += 1) {
          const before = mid;
          if (block === 0) mid = price(mid + move);
          const underPrint = atMs < printMs + PRINT_MS;
          moved[underPrint ? "jump" : "inventory"] += BigInt(held.units) * (mid - before);
          atMs += BLOCK_MS;
          fold(record.block(atMs, () => mid));
        }
        if (act.kind === "print") {
          prints += 1;
          printMs = atMs;
          fold(record.printed(nth, mid, atMs));
        } else if (act.kind === "funding") {
          collateral += act.amount;
          exact.funding += act.amount;
          foldBook(book, { kind: "funding", marketId: MARKET, atSec: nth, amount: usdc(act.amount) });
        } else {
          fills += 1;
          const side = act.isBuy ? "buy" : "sell";
          const at = price(mid + act.edge);
          const contracts = size(BigInt(act.contracts));
          const realized = bookTrade(held, side, act.contracts, notional(at, contracts));
          collateral += realized - act.fee;
          exact.fees -= act.fee;
          exact.spread += (act.isBuy ? -act.edge : act.edge) * contracts;
          const fill: Fill = {
            accountId: accountId(12n),
            marketId: MARKET,
            orderId: orderId(BigInt(nth)),
            side,
            liquidity: "maker",
            price: at,
            size: contracts,
            fee: usdc(act.fee),
            realizedPnl: usdc(realized),
            txHash: "",
            timestampMs: 0,
            key: `${nth}`,
          };
          fold(record.fill(fill, mid, atMs));
        }
      }
      fold(record.end(atMs, mid));

      const equity = collateral + valueAt(mid, size(BigInt(held.units))) - held.cost;
      const pnl = pnlOf(book.markets.get(MARKET) ?? emptyMarketBook, mid);
      expect(pnl.total).toBe(equity);
      expect(pnl.spread + pnl.inventory + pnl.jump + pnl.funding + pnl.fees).toBe(pnl.total);
      expect(pnl.funding).toBe(exact.funding);
      expect(pnl.fees).toBe(exact.fees);
      // Each fill and each print is rounded once, to a base unit.
      const near = (amount: bigint, product: bigint, roundings: number): void => {
        const off = amount - divideFloor(product, NOTIONAL_DIVISOR);
        expect(off >= -roundings && off <= roundings).toBe(true);
      };
      near(pnl.spread, exact.spread, fills + 1);
      near(pnl.jump, moved.jump, prints + 1);
      near(pnl.inventory, moved.inventory, 4 * fills + prints + 2);
    }),
  );
});
