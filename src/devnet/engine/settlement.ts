// The end of a market: every position is closed at the last oracle price, without fees and without the book.

import { divideCeil, divideFloor } from "../../domain/rounding.ts";
import { post } from "./accounts/postings.ts";
import { tradePosition } from "./clearing.ts";
import { coverDeficit } from "./liquidation/insurance.ts";
import { refresh } from "./margin/margin.ts";
import type { Holding, MarketState } from "./records.ts";
import type { Step } from "./step.ts";

const NOTIONAL_DIVISOR = 100_000_000n;

/** Longs are paid rounded down and shorts pay rounded up; the difference stays in the rounding ledger. */
export function settlePositions(step: Step, market: MarketState): void {
  const { log, ledgers } = step.core;
  let residue = 0n;
  for (const holding of market.holdings) if (holding.units !== 0) residue += settle(step, holding);
  post(log, ledgers.clearing, ledgers.rounding, residue);
}

/** Closes one position; returns what it paid to close less what it was paid. */
function settle(step: Step, holding: Holding): bigint {
  const { core, events } = step;
  const { account, market, units: held } = holding;
  const long = held > 0;
  const exact = BigInt(Math.abs(held)) * market.oraclePrice;
  const value = long ? divideFloor(exact, NOTIONAL_DIVISOR) : divideCeil(exact, NOTIONAL_DIVISOR);
  const realized = tradePosition(step, holding, long ? "sell" : "buy", Math.abs(held), value);
  refresh(holding);
  if (account.unrealized === 0n && account.initial === 0n) coverDeficit(core, account, market);
  events.push({
    type: "AccountChanged",
    name: "PositionSettled",
    accountId: account.id,
    facts: {
      market_id: String(market.id),
      size: String(Math.abs(held)),
      price: String(market.oraclePrice),
      realized_pnl: String(realized),
    },
  });
  return long ? -value : value;
}
