// One line for a terminal: position, quotes, PnL and gates of every market.

import { countText } from "../../kernel/text.ts";
import type { MarketStatus, OrderLine, Status } from "./status.ts";

export function summaryLine({ accounts, phase, reasons }: Status): string {
  const markets = accounts.flatMap((account) => account.markets.map(marketPart));
  return [reasons.length === 0 ? phase : `not ready: ${reasons[0]}`, ...markets].join(" | ");
}

/** Why less is quoted than is wanted, a line per market and side; none: everything rests. */
export const lackLines = ({ accounts }: Status): readonly string[] =>
  accounts.flatMap(({ accountId, markets }) =>
    markets.flatMap(({ name, buy, sell }) =>
      [
        { side: "buy", ...buy },
        { side: "sell", ...sell },
      ].flatMap(({ side, sentence }) =>
        sentence === null ? [] : `account ${accountId}, ${name}, ${side}: ${sentence}`,
      ),
    ),
  );

function marketPart({ name, position, oraclePrice, bids, asks, pnl, fillCount, gates }: MarketStatus): string {
  const closed = gates.filter(({ open }) => !open).map(({ gate }) => gate);
  return [
    `${name} ${held(position)}`,
    `oracle ${usd(oraclePrice)}`,
    `quotes ${best(bids)} / ${best(asks)}`,
    `PnL ${pnl.total >= 0 ? "+" : ""}${pnl.total.toFixed(2)} USDC (${countText(fillCount, "fill")})`,
    closed.length === 0 ? "gates open" : `closed: ${closed.join(" ")}`,
  ].join(", ");
}

const held = (contracts: number): string =>
  contracts === 0 ? "flat" : `${contracts > 0 ? "long" : "short"} ${Math.abs(contracts)}`;
const best = (orders: readonly OrderLine[]): string => usd(orders[0]?.price ?? null);
const usd = (value: number | null): string => (value === null ? "—" : value.toFixed(2));
