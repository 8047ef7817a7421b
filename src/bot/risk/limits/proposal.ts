// A command that places or moves an order, in the terms of the limits: how much may fill, and at what worst price.

import type { Command, ModifyCommand, PlaceCommand } from "../../../domain/command.ts";
import type { TrackedOrder } from "../../../domain/order.ts";
import { divideCeil, divideFloor } from "../../../domain/rounding.ts";
import { BPS, type OrderId, type Price, price, type Side, type Size } from "../../../domain/units.ts";
import { lastKnown, type View } from "../../../domain/view.ts";
import { classifyModify, classifyPlace, type OrderClass } from "../classify.ts";
import { growth, remainingAfter, type Tally, tallyModify, tallyPlace } from "./tally.ts";

export type Proposal = {
  readonly command: PlaceCommand | ModifyCommand;
  readonly actionClass: OrderClass;
  readonly side: Side;
  readonly reduceOnly: boolean;
  readonly postOnly: boolean;
  /** The order of a modify; null for a place. */
  readonly order: TrackedOrder | null;
  /** The worst price at which it may trade; null: unknown. */
  readonly price: Price | null;
  /** Contracts of the order that may fill afterwards. */
  readonly remaining: Size;
  /** Contracts of these that are new. */
  readonly growth: Size;
};

/** Undefined for a modify of an order that is not tracked. */
export function proposalOf(command: PlaceCommand | ModifyCommand, view: View, tally: Tally): Proposal | undefined {
  if (command.kind === "place") {
    const { side, reduceOnly, postOnly, size } = command;
    return {
      command,
      actionClass: classifyPlace(command, view, tally),
      side,
      reduceOnly,
      postOnly,
      order: null,
      price: priceOf(command, view),
      remaining: size,
      growth: size,
    };
  }
  const order = orderOf(command, view);
  if (order === undefined) return undefined;
  return {
    command,
    actionClass: classifyModify(command, order, view, tally),
    side: order.side,
    reduceOnly: order.reduceOnly,
    postOnly: order.postOnly,
    order,
    price: command.newPrice ?? order.price,
    remaining: remainingAfter(command, order),
    growth: growth(command, order),
  };
}

/** The tracked order of a modify. */
export const orderOf = (command: ModifyCommand, view: View): TrackedOrder | undefined =>
  view.orders.find(({ orderId }) => orderId === command.orderId);

/** A limit order's own price; a market order's slippage cap from the worse of oracle and mark price. */
function priceOf(command: PlaceCommand, view: View): Price | null {
  if (command.orderType === "Limit") return command.price;
  const oracle = lastKnown(view.oracle)?.price;
  const market = lastKnown(view.market);
  if (oracle === undefined || market === undefined || command.maxSlippageBps === null) return null;
  const slippage = BigInt(command.maxSlippageBps);
  const mark = market.markPrice ?? oracle;
  const [low, high] = oracle < mark ? [oracle, mark] : [mark, oracle];
  return command.side === "buy"
    ? price(divideCeil(high * (BPS + slippage), BPS))
    : price(divideFloor(low * (BPS - slippage), BPS));
}

/** Counts an allowed proposal as live. */
export function tallyProposal(tally: Tally, { command, order, price: at, actionClass }: Proposal): void {
  if (command.kind === "place") tallyPlace(tally, command, at);
  else if (order !== null) tallyModify(tally, command, order);
  if (actionClass === "increase") tally.adds += 1;
}

export type KeptOrder = TrackedOrder & { readonly orderId: OrderId };

/** Our orders without a command or a transaction in flight; the last level first, because it is the first to be canceled. */
export function keptOrders(commands: readonly Command[], { orders }: View): readonly KeptOrder[] {
  const spokenOf = new Set(commands.flatMap((command) => ("orderId" in command ? command.orderId : [])));
  const isKept = (order: TrackedOrder): order is KeptOrder =>
    order.state === "working" && order.orderId !== null && order.pending === null && !spokenOf.has(order.orderId);
  return orders
    .filter((order) => !order.isForeign && !order.isConditional)
    .filter(isKept)
    .sort((a, b) => (b.level ?? 0) - (a.level ?? 0));
}

/** The order as a proposal to place its remaining size. */
export function proposalToKeep(order: KeptOrder, { accountId, marketId }: View): Proposal {
  const { side, price, remainingSize, reduceOnly, postOnly, level } = order;
  const command: PlaceCommand = {
    kind: "place",
    accountId,
    marketId,
    side,
    orderType: "Limit",
    price,
    size: remainingSize,
    reduceOnly,
    postOnly,
    timeInForce: "GTC",
    maxSlippageBps: null,
    level,
  };
  const actionClass = reduceOnly ? "reduce" : "increase";
  return {
    command,
    actionClass,
    side,
    reduceOnly,
    postOnly,
    order: null,
    price,
    remaining: remainingSize,
    growth: remainingSize,
  };
}
