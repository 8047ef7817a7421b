// Who owns the orders that rest on an account, by the tracker. If foreign orders are to be canceled, none must stay; if another node may
// have the account, or its key is approved on another one, orders that must stay may rest in any market.

import type { TrackedOrder } from "../../../domain/order.ts";
import type { MarketId } from "../../../domain/units.ts";
import type { AccountState } from "../../account/account-state.ts";
import { unreadableIn } from "../../account/unreadable.ts";
import type { AccountDesk } from "../desks/account-desk.ts";
import type { Readings } from "../input.ts";
import type { OrderOwnership } from "./mass-cancel.ts";

export function ownershipOf(
  desk: AccountDesk,
  account: AccountState,
  readings: () => Pick<Readings, "isElsewhere" | "keysElsewhere">,
): OrderOwnership {
  const { orders } = account;
  const live = (): readonly TrackedOrder[] => [...orders.resting()];
  const isKeyElsewhere = (): boolean => readings().keysElsewhere.has(desk.accountId);
  return {
    own: () =>
      live().flatMap((order) =>
        order.orderId === null || order.isForeign ? [] : [{ ...order, orderId: order.orderId }],
      ),
    isOurs: (orderId) => orderId !== null && orders.isOurs(orderId),
    isGone: (orderId) => orders.isOver(orderId),
    isKeyElsewhere,
    foreignMarkets() {
      if (readings().isElsewhere || isKeyElsewhere()) return new Set(desk.markets.keys());
      if (desk.quoted.foreignOrders === "cancel") return new Set();
      const foreign = live().filter(({ isForeign }) => isForeign);
      const unreadable = [...desk.markets.keys()].filter(isUnreadableIn(account));
      return new Set([...foreign.map(({ marketId }) => marketId), ...unreadable]);
    },
  };
}

/** Whether an unreadable order that must stay may rest in the market. */
const isUnreadableIn = (account: AccountState) => (marketId: MarketId) =>
  unreadableIn(account, marketId).some(({ what }) => what === "order");
