// Every state change of the exchange, as one union. Transactions answer with them (S6.1), the WebSocket and the indexed history receive
// them (S6.2, S4.3), and the state root covers them. `wire/` defines their wire formats.

import type { ReportedEvent } from "../domain/reported-event.ts";
import type { MarketId } from "../domain/units.ts";

/** Why an order left the book; `UserCanceled` is in the interface, the others are ours (NS-20). */
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

/** What transactions report, plus the notice that a book changed, which the stream sends as a snapshot. */
export type ChainEvent = ReportedEvent<CancelReason> | { readonly type: "BookChanged"; readonly marketId: MarketId };

/** Result of an executed transaction: every change it made, or a sentence and a stable code that say why it made none. */
export type Receipt =
  | { readonly status: "success"; readonly events: readonly ChainEvent[] }
  | { readonly status: "failed"; readonly code: string; readonly error: string };
