// A market and an account in full health, and the commands and orders of one: each test breaks the one thing that it is about.

import { accountLimitsSchema, type Limits, marketLimitsSchema } from "../../../../src/bot/risk/limits/limits.ts";
import { nothingObserved } from "../../../../src/bot/risk/observed.ts";
import type { Prints } from "../../../../src/bot/risk/prints.ts";
import { nothingStuck, type RiskState } from "../../../../src/bot/risk/risk-state.ts";
import { plainView } from "../../../../src/bot/strategy/plain-view.ts";
import type { CancelCommand, ModifyCommand, PlaceCommand } from "../../../../src/domain/command.ts";
import type { Market, Oracle } from "../../../../src/domain/market.ts";
import type { TrackedOrder } from "../../../../src/domain/order.ts";
import {
  accountId,
  nonce,
  orderId,
  type Price,
  price,
  type Side,
  type Size,
  size,
  usdc,
} from "../../../../src/domain/units.ts";
import type { Fact, View } from "../../../../src/domain/view.ts";
import { plainHeld, plainPlace } from "../../../support/plain-bot.ts";

export const usd = (dollars: number): Price => price(BigInt(Math.round(dollars * 1e8)));
export const lots = (contracts: number): Size => size(BigInt(Math.round(contracts * 1e6)));
export const now = <T>(value: T): Fact<T> => ({ state: "fresh", value, ageMs: 10 });
export const old = <T>(value: T): Fact<T> => ({ state: "stale", value, ageMs: 60_000 });

export const account = accountId(12n);
export const healthyView: View = plainView;
function of<T>(fact: Fact<T>): T {
  if (fact.state === "absent") throw new Error("the plain view knows everything");
  return fact.value;
}
export const market: Market = of(healthyView.market);
export const oracle: Oracle = of(healthyView.oracle);
export const chainTimeMs = of(healthyView.chain).timeMs;

/** Prints of the past, the newest of them at this price and trusted; a day apart. */
export const trusting = (at: number): Prints => ({
  trusted: { price: usd(at), publishedMs: oracle.lastUpdateTimestampMs },
  doubtful: null,
  newestMs: oracle.lastUpdateTimestampMs,
  intervalsMs: [86_400_000],
  against: null,
});

export const healthyLimits: Limits = {
  market: marketLimitsSchema.parse({ maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }),
  account: accountLimitsSchema.parse({}),
};

export const healthyState: RiskState = {
  latches: [],
  journal: now("healthy"),
  ledgerSpace: now("free"),
  nonceRefusal: now(null),
  eventLoopLagMs: now(5),
  budget: now(null),
  marketDailyPnl: now({ pnl: usdc(0n), best: usdc(0n) }),
  accountDailyPnl: now({ pnl: usdc(0n), best: usdc(0n) }),
  grossNotionalElsewhere: now(usdc(0n)),
  fairValueUsd: 200,
  isAccountPnlUnconfirmed: false,
  observed: { ...nothingObserved, prints: trusting(200) },
  stuckQuotes: nothingStuck,
  rejections: null,
};

export function place(side: Side, at: number, contracts: number, changes: Partial<PlaceCommand> = {}): PlaceCommand {
  return plainPlace({ accountId: account, side, price: usd(at), size: lots(contracts), ...changes });
}

export function order(
  id: number,
  side: Side,
  at: number,
  contracts: number,
  changes: Partial<TrackedOrder> = {},
): TrackedOrder {
  return {
    nonce: nonce(BigInt(id)),
    orderId: orderId(BigInt(id)),
    marketId: 1,
    side,
    price: usd(at),
    size: lots(contracts),
    remainingSize: lots(contracts),
    reduceOnly: false,
    postOnly: true,
    isConditional: false,
    isForeign: false,
    state: "working",
    level: 0,
    pending: null,
    movingTo: [],
    queueAhead: null,
    sinceMs: 0,
    ...changes,
  };
}

export function modify(target: TrackedOrder, changes: Partial<ModifyCommand>): ModifyCommand {
  return {
    kind: "modify",
    accountId: account,
    marketId: 1,
    orderId: target.orderId ?? orderId(0n),
    side: target.side,
    reduceOnly: target.reduceOnly,
    newPrice: null,
    newSize: null,
    level: target.level,
    ...changes,
  };
}

export const cancel = (target: TrackedOrder): CancelCommand => ({
  kind: "cancel",
  accountId: account,
  marketId: 1,
  orderId: target.orderId ?? orderId(0n),
});

/** A view with orders, counted as `buildView` counts them. */
export const withOrders = (view: View, orders: readonly TrackedOrder[]): View => ({
  ...view,
  orders,
  accountOrderCount: orders.length,
});

export const withInventory = (view: View, contracts: number): View => ({
  ...view,
  position: now(plainHeld(lots(contracts), usd(contracts === 0 ? 0 : 200))),
});
