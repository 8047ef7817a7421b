// What the bot listens to: every market's book, trades, prints and funding, every account's fills, orders and liquidations.

import type { QuotedAccount } from "../../config/config.ts";
import type { Channel } from "../../venue/port.ts";

export function channelsOf(accounts: readonly QuotedAccount[]): readonly Channel[] {
  const markets = new Set(accounts.flatMap((account) => account.markets.map(({ marketId }) => marketId)));
  return [
    ...[...markets].flatMap((marketId): Channel[] => [
      { channel: "orderbook", marketId },
      { channel: "trades", marketId },
      { channel: "oracleUpdates", marketId },
      { channel: "funding", marketId },
    ]),
    ...accounts.flatMap(({ accountId }): Channel[] => [
      { channel: "fills", accountId },
      { channel: "orders", accountId },
      { channel: "liquidations", accountId },
    ]),
  ];
}
