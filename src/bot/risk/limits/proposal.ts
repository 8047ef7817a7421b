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
  /** The order that a modify speaks of; null for a place. */
  readonly order: TrackedOrder | null;
  /** The worst price that it may trade at; null: unknown. */
  readonly price: Price | null;
  /** What may fill of the order afterwards, contracts. */
  readonly remaining: Size;
  /** The part of it that is new, contracts. */
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

/** The tracked order that a modify speaks of. */
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

/** Our orders that no command speaks of and no transaction is on its way for; the last level first, since it is the first to go. */
export function keptOrders(commands: readonly Command[], { orders }: View): readonly KeptOrder[] {
  const spokenOf = new Set(commands.flatMap((command) => ("orderId" in command ? command.orderId : [])));
  const isKept = (order: TrackedOrder): order is KeptOrder =>
    order.state === "working" && order.orderId !== null && order.pending === null && !spokenOf.has(order.orderId);
  return orders
    .filter((order) => !order.isForeign && !order.isConditional)
    .filter(isKept)
    .sort((a, b) => (b.level ?? 0) - (a.level ?? 0));
}

/** The order as a proposal to place what is left of it. */
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
