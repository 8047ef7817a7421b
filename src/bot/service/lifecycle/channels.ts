// What the bot listens to: every market's book, trades, prints and funding, every account's fills, orders and liquidations.

import type { BotConfig } from "../../config/config.ts";
import type { Channel } from "../../venue/port.ts";

export function channelsOf(config: BotConfig): readonly Channel[] {
  const markets = new Set(config.accounts.flatMap((account) => account.markets.map(({ marketId }) => marketId)));
  return [
    ...[...markets].flatMap((marketId): Channel[] => [
      { channel: "orderbook", marketId },
      { channel: "trades", marketId },
      { channel: "oracleUpdates", marketId },
      { channel: "funding", marketId },
    ]),
    ...config.accounts.flatMap(({ accountId }): Channel[] => [
      { channel: "fills", accountId },
      { channel: "orders", accountId },
      { channel: "liquidations", accountId },
    ]),
  ];
}
