// Which markets an event is about: those to look at now, and those that the next tick looks at.

import { marketOfEvent, type VenueEvent } from "../../../domain/event.ts";
import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { Input } from "../input.ts";

/** Null: all of them. */
export type Concern = { readonly account: AccountId | null; readonly market: MarketId | null };

/** The accounts that we run, by id. */
type Ours = ReadonlyMap<AccountId, unknown>;

/** Returns the markets to look at now; null: the next tick is soon enough. */
export function concerns(event: VenueEvent, ours: Ours): Concern | null {
  switch (event.kind) {
    case "execution":
      return isOfOurs(event, ours) ? { account: null, market: event.execution.marketId } : null;
    case "book":
    case "oracleUpdate":
    case "oracleRead":
    case "fundingUpdate":
    case "marketRead":
    case "implausibleRead":
      return { account: null, market: marketOfEvent(event) };
    case "orderCanceled":
      return { account: event.accountId, market: event.marketId };
    case "accountRead":
      return { account: event.account.accountId, market: null };
    case "adopted":
      return { account: event.account.accountId, market: event.marketId };
    case "answered":
    case "resolved":
      return { account: event.command.accountId, market: event.command.marketId };
    case "streamClosed":
      return everyMarket;
    default:
      return null;
  }
}

/** Inputs, other than events, that may change what the last turn of any market was based on. */
export const changesMarkets: ReadonlySet<Input["kind"]> = new Set([
  "start",
  "act",
  "trip",
  "lift",
  "slow",
  "rekey",
  "account",
  "take",
  "requote",
  "drain",
] as const);

export const everyMarket: Concern = { account: null, market: null };

/** Returns the markets that an event may matter to: also those that share the account's money or the exchange's clock. */
export function touchedBy(event: VenueEvent, ours: Ours): Concern {
  switch (event.kind) {
    case "execution":
      return isOfOurs(event, ours) ? everyMarket : { account: null, market: event.execution.marketId };
    case "book":
    case "bookRead":
    case "trade":
    case "fundingRead":
    case "fundingUpdate":
      return { account: null, market: marketOfEvent(event) };
    case "sent":
    case "answered":
    case "resolved":
      return { account: event.command.accountId, market: null };
    case "orderPlaced":
    case "orderCanceled":
    case "orderModified":
    case "ordersRead":
    case "rateLimitRead":
      return { account: event.accountId, market: null };
    case "accountRead":
    case "adopted":
      return { account: event.account.accountId, market: null };
    default:
      return everyMarket;
  }
}

const isOfOurs = ({ execution }: Extract<VenueEvent, { readonly kind: "execution" }>, ours: Ours): boolean =>
  ours.has(execution.takerAccountId) || ours.has(execution.makerAccountId);
