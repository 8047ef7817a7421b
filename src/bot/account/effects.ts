// Effects of folding an event of an account, as values: decider/effects.ts counts them and acts on them. State never calls out.

import type { Unreadable } from "../../domain/account.ts";
import type { DialectKey, DialectWord } from "../../domain/dialect.ts";
import type { Liquidity } from "../../domain/fill.ts";
import type { TrackedOrder } from "../../domain/order.ts";
import type { AccountId, MarketId, Nonce, OrderId, Price, Side, Size, Usdc } from "../../domain/units.ts";
import type { FundingEvent, PrintEvent, TransferEvent } from "../accounting/account-book.ts";
import type { AcceptedEvent, FillEvent, PositionEvent } from "../accounting/market-book.ts";
import type { ResyncReason } from "./resync-reasons.ts";

/** Where a fill was first reported. `trades` is the back-fill, which has no fee. */
export type FillSource = "answer" | "stream" | "trades";

/** Why an order can no longer fill. `reasonUnknown`: a resync, or two later lists of orders, no longer show it, and no event says why. */
export type OrderEnd =
  | "filled"
  | "canceled"
  | "refused"
  | "rejected"
  | "rateLimited"
  | "notSent"
  | "neverLanded"
  | "expired"
  | "reasonUnknown";

/** Closed set: label of `quoin_reconcile_mismatches_total`. */
export const mismatchKinds = [
  "orderMissing",
  "orderForeign",
  "orderPrice",
  "orderRemaining",
  "orderReappeared",
  "position",
  "fillMissed",
  "book",
] as const;
export type MismatchKind = (typeof mismatchKinds)[number];

/** Why orders and positions should be read now. Closed set. */
export type Suspicion =
  | "connected"
  | "answerSilent"
  | "actionFailed"
  | "illegalTransition"
  | "unknownOrder"
  | "liquidation"
  | "chainUnconfirmed"
  | "feeDiffers"
  | "difference";

/** A position that changed while the bot was down. Signed. */
export type MovedAway = { readonly marketId: MarketId; readonly from: Size; readonly to: Size };

/** What changed while the bot was down. */
export type AwayChange = {
  /** Change of the collateral. */
  readonly amount: Usdc;
  /** The part that fills, with their fees, and funding explain. */
  readonly pnl: Usdc;
  /** Change of collateral and positions together, all at the same oracle prices: without the price moves of held positions. */
  readonly worth: Usdc;
  readonly moved: readonly MovedAway[];
};

/** Commands whose success may not show its effect. */
export type ShownAction = "place" | "modify" | "cancel";

export type AccountEffect =
  /** The effect of a success is known now; its answer alone did not show it. */
  | { readonly kind: "shown"; readonly accountId: AccountId; readonly nonce: Nonce }
  /**
   * No answer, frame or read showed the effect of a success in time. `said`: the answer's content. `isTooMany`: the third of its kind in a
   * row.
   */
  | {
      readonly kind: "notUnderstood";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly action: ShownAction;
      readonly said: string;
      readonly isTooMany: boolean;
    }
  | {
      readonly kind: "dialectLearned";
      readonly accountId: AccountId;
      readonly key: DialectKey;
      readonly word: DialectWord;
    }
  /** A fill that was not known before. It is booked; keep it. */
  | (FillEvent & { readonly source: FillSource })
  /** The same fill, now with its fee and realized PnL. */
  | { readonly kind: "fillAmended"; readonly event: FillEvent }
  /** A position was taken from the exchange: keep the read. */
  | { readonly kind: "positionBooked"; readonly accountId: AccountId; readonly position: PositionEvent }
  /** A print changed the value of a position: keep the amount. */
  | { readonly kind: "printBooked"; readonly accountId: AccountId; readonly print: PrintEvent }
  /** The first read of this run was taken. `away` null: it equals what the book of earlier runs expects. */
  | {
      readonly kind: "bookOpened";
      readonly accountId: AccountId;
      readonly postings: readonly (FundingEvent | TransferEvent)[];
      readonly away: AwayChange | null;
    }
  /** An event said that the order no longer rests. `reason`: the exchange's own word; null: it may not rest, and its fills are known. */
  | {
      readonly kind: "orderEnded";
      readonly accountId: AccountId;
      /** Its last state. */
      readonly order: TrackedOrder;
      readonly why: "canceled" | "expired" | "reasonUnknown";
      readonly reason: string | null;
    }
  /** Nothing of the order can fill any longer. */
  | {
      readonly kind: "orderOver";
      readonly accountId: AccountId;
      /** Its last state. */
      readonly order: TrackedOrder;
      readonly why: OrderEnd;
      /** The exchange's own word for a cancel or refusal; null where there is none. */
      readonly reason: string | null;
    }
  /** An id that belongs to a transaction of ours whose answer was lost. Price and whole size are what the transaction asked for. */
  | {
      readonly kind: "identified";
      readonly accountId: AccountId;
      readonly orderId: OrderId;
      readonly marketId: MarketId;
      readonly side: Side;
      readonly price: Price;
      readonly size: Size;
    }
  /** An adopted read moved a position without a known fill. */
  | { readonly kind: "movementAccepted"; readonly accountId: AccountId; readonly accepted: AcceptedEvent }
  /** The market, or with null the account, must be resynchronized. */
  | {
      readonly kind: "resyncWanted";
      readonly accountId: AccountId;
      readonly marketId: MarketId | null;
      readonly reason: ResyncReason;
    }
  /** The market, or with null the account, is live again. */
  | { readonly kind: "adopted"; readonly accountId: AccountId; readonly marketId: MarketId | null }
  /** A resync found a position moved by contracts, signed, that no fill names and no lost answer can have filled. */
  | {
      readonly kind: "unattributed";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly contracts: Size;
      readonly from: Size;
      readonly to: Size;
    }
  /** An order of an earlier holder of the account has landed: it is ours, and unwanted. */
  | {
      readonly kind: "lateOrder";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly orderId: OrderId;
      readonly side: Side;
    }
  /** An order or fill that none of our transactions could have made. */
  | {
      readonly kind: "foreign";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly orderId: OrderId;
      readonly what: "order" | "fill";
    }
  /** The exchange shows an order or a position that could not be read; the read before did not. */
  | { readonly kind: "unreadable"; readonly accountId: AccountId; readonly item: Unreadable }
  /** We hold `expected`, and two reads showed `found`. */
  | {
      readonly kind: "mismatch";
      readonly accountId: AccountId | null;
      readonly marketId: MarketId | null;
      readonly what: MismatchKind;
      readonly expected: string;
      readonly found: string;
    }
  /** A change of collateral without a fill, booked under its cause. */
  | {
      readonly kind: "collateralChange";
      readonly accountId: AccountId;
      readonly postings: readonly (FundingEvent | TransferEvent)[];
    }
  | {
      readonly kind: "liquidation";
      readonly accountId: AccountId;
      readonly positionsClosed: number;
      readonly positionsRemaining: number;
    }
  | { readonly kind: "reconcileWanted"; readonly accountId: AccountId; readonly why: Suspicion }
  /** A fill paid a fee other than the scheduled one, in whole basis points: schedule and volume are read again. */
  | {
      readonly kind: "feeDiffers";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly liquidity: Liquidity;
      readonly paidBps: number;
      readonly scheduledBps: number;
    }
  /** Two reads say that the account was created at another time: its chain restarted, and our state is not of this chain. */
  | { readonly kind: "chainBegan"; readonly accountId: AccountId };

/** In the order in which they came to light; mostly empty. */
export type AccountEffects = readonly AccountEffect[];
