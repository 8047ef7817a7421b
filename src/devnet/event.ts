// Every change of the exchange's state, as one union. Transactions answer with these (S6.1), the WebSocket and the indexed
// history receive them (S6.2, S4.3), and the state root runs over them. Shapes on the wire are `wire/`'s business.

import type { ReportedEvent } from "../domain/reported-event.ts";
import type { MarketId } from "../domain/units.ts";

/** Why an order left the book; `UserCanceled` is the interface's, the rest are ours (NS-20). */
export type CancelReason =
  | "UserCanceled"
  | "PostOnlyWouldCross"
  | "IocRemainder"
  | "FokUnfilled"
  | "ReduceOnly"
  | "InsufficientMargin"
  | "SelfTrade"
  | "Liquidation"
  | "MarketClosed"
  | "Refused"
  | "Oco";

/** What transactions report, and that a book has changed, which goes over the stream as a snapshot. */
export type ChainEvent = ReportedEvent<CancelReason> | { readonly type: "BookChanged"; readonly marketId: MarketId };

/** The end of an executed transaction: every change it made, or one sentence and a stable code that say why it made none. */
export type Receipt =
  | { readonly status: "success"; readonly events: readonly ChainEvent[] }
  | { readonly status: "failed"; readonly code: string; readonly error: string };
