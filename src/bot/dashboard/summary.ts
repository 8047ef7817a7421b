// One line for a terminal: position, quotes, PnL and gates of every market.

import type { MarketStatus, OrderLine, Status } from "./status.ts";

export function summaryLine(status: Status): string {
  const markets = status.accounts.flatMap((account) => account.markets.map(marketPart));
  const head = status.reasons.length === 0 ? status.phase : `${status.phase}, not ready: ${status.reasons[0]}`;
  return `${head} | ${markets.join(" | ")}`;
}

function marketPart(market: MarketStatus): string {
  const closed = market.gates.filter((gate) => !gate.open).map((gate) => gate.gate);
  const gates = closed.length === 0 ? "gates open" : `closed: ${closed.join(", ")}`;
  const quotes = `${best(market.bids)} / ${best(market.asks)}`;
  const pnl = `${market.pnl.total >= 0 ? "+" : ""}${market.pnl.total.toFixed(2)} USDC`;
  return `${market.name} ${signed(market.position)} at ${price(market.oraclePrice)}, quotes ${quotes}, ${pnl} (${market.fillCount} fills), ${gates}`;
}

const best = (orders: readonly OrderLine[]): string => price(orders[0]?.price ?? null);
const price = (usd: number | null): string => (usd === null ? "—" : usd.toFixed(2));
const signed = (contracts: number): string => `${contracts > 0 ? "+" : ""}${contracts}`;
