// Cancels one order of ours for an operator, outside any turn: signed, counted and written down like every other cancel. The strategy may
// place another one at once; only a halt prevents that.

import { contractsOf, usdOf } from "../../../domain/rounding.ts";
import { type AccountId, accountId, type MarketId, type OrderId, orderId } from "../../../domain/units.ts";
import type { BotState } from "../../account/account-state.ts";
import type { Asks } from "../../live/asks.ts";
import { fieldsOf, isAccountNumber, malformed, type OperatorRefusal } from "./trading-state.ts";

export type CancelRequest = {
  /** The intended exchange; null: whatever the daemon trades on. */
  readonly chainId: string | null;
  readonly accountId: AccountId;
  readonly orderId: OrderId;
};

/** Prices in USD, sizes in contracts. `isConfirmed`: the exchange has said that the order is gone, not only that the cancel executed. */
export type CanceledOrder = {
  readonly accountId: string;
  readonly marketId: MarketId;
  readonly orderId: string;
  readonly side: "buy" | "sell";
  readonly size: number;
  readonly price: number;
  readonly isConfirmed: boolean;
};

/** `unanswered`: the order may still rest. */
export type CancelRefusal = OperatorRefusal | { readonly kind: "unanswered"; readonly why: string };

const SHAPE = 'the body must be {"account":"12","order":"345"}';

/** A request as JSON; ids as text, since a number of JSON does not hold every id. */
export function readCancelRequest(body: string): CancelRequest | OperatorRefusal {
  const { account, order, chainId = null, ...unknown } = fieldsOf(body) ?? {};
  if (!isAccountNumber(account) || !isAccountNumber(order) || Object.keys(unknown).length > 0) return malformed(SHAPE);
  if (chainId !== null && typeof chainId !== "string") return malformed("chainId must be a text");
  return { chainId, accountId: accountId(BigInt(account)), orderId: orderId(BigInt(order)) };
}

export type CancelModules = {
  readonly chainId: string;
  readonly state: Pick<BotState, "accounts">;
  readonly asks: Pick<Asks, "ask">;
};

/** Sends a CancelOrder for an open order of ours and waits for the answer. Never rejects. */
export async function cancelOrder(
  { chainId, accountId: account, orderId: id }: CancelRequest,
  modules: CancelModules,
): Promise<CanceledOrder | CancelRefusal> {
  if (chainId !== null && chainId !== modules.chainId)
    return { kind: "elsewhere", why: `this daemon trades on ${modules.chainId}` };
  const orders = modules.state.accounts.get(account)?.orders;
  if (orders === undefined) return { kind: "elsewhere", why: `account ${account} is not one of this daemon's` };
  const name = `order ${id} of account ${account}`;
  const order = [...orders.resting()].find(({ orderId: of }) => of === id);
  if (order === undefined) {
    if (orders.isOurs(id)) return { kind: "closed", why: `${name} is no longer open: filled or canceled` };
    return { kind: "elsewhere", why: `account ${account} has no open order ${id}` };
  }
  if (order.isForeign)
    return {
      kind: "closed",
      why: `${name} was not placed by Quoin: whoever placed it cancels it, or cancel-all cancels every order`,
    };
  if (order.state === "canceling") return { kind: "closed", why: `a cancel of ${name} is already on its way` };
  const { marketId, side, remainingSize, price } = order;
  const command = { kind: "cancel", accountId: account, marketId, orderId: id } as const;
  const { outcome } = await modules.asks.ask({ kind: "cancelOrder", order: command });
  if (outcome.kind === "executed") {
    const [size, usd] = [contractsOf(remainingSize), usdOf(price)];
    const isConfirmed = orders.isOver(id);
    return { accountId: `${account}`, marketId, orderId: `${id}`, side, size, price: usd, isConfirmed };
  }
  if (outcome.kind === "unknown")
    return { kind: "unanswered", why: `the exchange did not answer (${outcome.why}): ${name} may still rest` };
  if (outcome.kind === "notSent") return { kind: "closed", why: `nothing was sent: ${outcome.why}` };
  return { kind: "closed", why: `the exchange refused to cancel ${name}: ${outcome.error}` };
}
