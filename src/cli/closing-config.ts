// The configuration of a bot that only closes positions: the markets of the file, without their strategies. Limits that are wrong in the
// file are replaced by limits that allow a reduction of any size; price collars stay.

import type { BotConfig, QuotedMarket } from "../bot/config/config.ts";
import type { EmergencyAccount, EmergencyConfig } from "../bot/config/emergency.ts";
import { marketHash } from "../bot/config/market-hash.ts";
import { botSchema } from "../bot/config/schema.ts";
import { type MarketLimits, marketLimitsSchema } from "../bot/risk/limits/limits.ts";
import type { LoadedStrategy } from "../bot/strategy/loader.ts";
import type { VenueReads } from "../bot/venue/port.ts";
import { noQuotes } from "../domain/quotes.ts";
import type { AccountId, MarketId } from "../domain/units.ts";

const quotesNothing = () => ({ memory: null, quote: () => noQuotes("positions are being closed") });

const closing: LoadedStrategy = {
  name: "closing",
  summary: "Quotes nothing.",
  version: null,
  texts: null,
  quoteAt: null,
  origin: { folder: "", extension: "", written: {} },
  params: {},
  meanings: {},
  rangeOf: () => null,
  keepsMemory: false,
  start: quotesNothing,
  resume: quotesNothing,
};

const ANY_SIZE = 1_000_000_000;
const anySize = marketLimitsSchema.parse({
  maxPosition: ANY_SIZE,
  maxOrderSize: ANY_SIZE,
  maxOpenOrders: 1,
  maxLoss: ANY_SIZE,
});

/** If an account's markets cannot be read from the file, those with a position are closed. Rejects when the positions cannot be read. */
export async function closingConfig(config: EmergencyConfig, reads: Pick<VenueReads, "account">): Promise<BotConfig> {
  const watchdog = botSchema.shape.watchdog.parse({});
  const complete = async (account: EmergencyAccount) => ({
    ...account,
    formerKeyFiles: [],
    watchdogKeyFile: null,
    foreignOrders: "keep" as const,
    // The operator has looked at the account.
    maxAwayLossRatio: Number.POSITIVE_INFINITY,
    markets: (account.markets ?? (await heldMarkets(account.accountId, reads))).map(closedMarket),
  });
  return {
    ...config,
    accounts: await Promise.all(config.accounts.map(complete)),
    watchdog: { ...watchdog, daemonUrl: null, port: null },
    log: { level: "info" },
    settings: [],
    recording: null,
    signals: [],
    webhook: null,
    hash: "",
  };
}

async function heldMarkets(accountId: AccountId, reads: Pick<VenueReads, "account">) {
  const { positions } = await reads.account(accountId);
  return positions.map(({ marketId }) => ({ marketId, limits: null }));
}

function closedMarket({ marketId, limits }: { marketId: MarketId; limits: MarketLimits | null }): QuotedMarket {
  const held = limits ?? anySize;
  const quoted = {
    strategy: closing,
    limits: held,
    requoteDepths: 0,
    queueTicks: 0,
    printSchedule: null,
    premiumBook: null,
    signals: [],
  };
  return { marketId, ...quoted, shadow: null, hash: marketHash(quoted) };
}
