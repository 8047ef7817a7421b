// Which markets an event is about: those that turn at once, and those that may not rest on what was known before it.

import { marketOfEvent, type VenueEvent } from "../../domain/event.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";

/** Null: all of them. */
export type Concern = { readonly account: AccountId | null; readonly market: MarketId | null };

/** By the accounts that we run. */
type Ours = ReadonlyMap<AccountId, unknown>;

/** Whom an event lets turn at once; null: nobody, the timer is soon enough. */
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

export const everyMarket: Concern = { account: null, market: null };

/** The one market that an event can matter to; null: it may matter to others, which share the account's money or the exchange's clock. */
export function marketAlone(event: VenueEvent, ours: Ours): MarketId | null {
  switch (event.kind) {
    case "execution":
      return isOfOurs(event, ours) ? null : event.execution.marketId;
    case "book":
    case "bookRead":
    case "trade":
    case "fundingRead":
    case "fundingUpdate":
      return marketOfEvent(event);
    default:
      return null;
  }
}

const isOfOurs = ({ execution }: Extract<VenueEvent, { readonly kind: "execution" }>, ours: Ours): boolean =>
  ours.has(execution.takerAccountId) || ours.has(execution.makerAccountId);
