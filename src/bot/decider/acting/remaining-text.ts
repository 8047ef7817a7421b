// The orders that a mass cancel leaves, as lines for people.

import { unreadableText } from "../../../domain/account.ts";
import { contractsOf, usdOf } from "../../../domain/rounding.ts";
import type { AccountId } from "../../../domain/units.ts";
import type { MassCancelResult, RemainingOrder } from "./mass-cancel.ts";

/** Returns one line for each order that may still rest, or why one may; none when the exchange has confirmed that nothing does. */
export function remainingLines(account: AccountId, result: MassCancelResult): readonly string[] {
  const { confirmed, remaining, unresolved, reads, unread } = result;
  if (confirmed) return [];
  const lines = remaining.map((order) => orderLine(account, order));
  if (unresolved > 0) lines.push(`account ${account}: ${unresolved} transactions are unresolved`);
  if (reads === 0) lines.push(`account ${account}: the exchange did not answer; what else rests is not known`);
  else lines.push(...unread.map((why) => `account ${account}: ${why}; what else rests is not known`));
  return lines.length > 0
    ? lines
    : [`account ${account}: the lists of its orders have not yet shown that nothing rests`];
}

export function orderLine(account: AccountId, order: RemainingOrder): string {
  if ("why" in order) return `account ${account}: ${unreadableText(order)}`;
  const { orderId, marketId } = order;
  const name = `account ${account}${marketId === null ? "" : ` market ${marketId}`} order ${orderId}`;
  if (!("price" in order)) return `${name}: no answer and no list says that it is gone`;
  return `${name}: ${order.side} ${contractsOf(order.remainingSize)} at ${usdOf(order.price)}`;
}
