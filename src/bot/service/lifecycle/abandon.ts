// The end after an uncaught error. The state of this process may now be wrong, so this uses as little of it as possible: no turn, no guard,
// no nonce, only the keys and a CancelOrder for each order that the exchange lists, within five seconds.

import type { AccountId, OrderId } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { RemainingOrder } from "../../decider/acting/mass-cancel.ts";
import { remainingLines } from "../../decider/acting/remaining-text.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import { locklessCancel } from "../../execution/lockless-cancel.ts";
import { cancelTiming } from "../../timing.ts";
import type { BotParts, Holding } from "./build.ts";

/** Cancels all that is ours. Resolves within five seconds with the orders that may still rest, a line each. Never rejects. */
export async function abandon(parts: BotParts, clock: Clock): Promise<readonly string[]> {
  attempt(() => parts.driver.feed({ kind: "abandon" }), undefined);
  const remaining = await Promise.all([...parts.desks.values()].map((desk) => cancelAccount(desk, parts, clock)));
  return remaining.flat();
}

async function cancelAccount(desk: AccountDesk, parts: BotParts, clock: Clock): Promise<readonly string[]> {
  const { accountId } = desk;
  const { chainId, keys, machine, venue, state } = parts;
  const agentKey = keys.get(accountId);
  if (agentKey === undefined) return [];
  const result = await locklessCancel(
    {
      accountId,
      chainId,
      readLagMaxMs: state.readLagMaxMs,
      listsAfterMs: 0,
      agentKey,
      keep: attempt(() => foreignOrders(desk, parts), new Set()),
      own: () => attempt(() => ownOrders(accountId, parts), []),
      unresolved: () =>
        attempt(() => {
          const { underWay, unresolved } = machine.acting.unanswered(accountId);
          return underWay + unresolved;
        }, 1),
      deadlineMs: cancelTiming.abandonMs,
      offsetMs: chainOffsetMs(parts, clock),
    },
    { clock, venue },
  );
  return remainingLines(accountId, result);
}

type HoldingParts = Pick<BotParts, "chainId" | "desks" | "keys" | "machine" | "state">;

/** What a separate thread needs to do the same for every account, as of now. */
export const holdings = (parts: HoldingParts, clock: Clock): readonly Holding[] =>
  [...parts.desks.values()].flatMap((desk) => {
    const { accountId } = desk;
    const agentKey = parts.keys.get(accountId);
    if (agentKey === undefined) return [];
    return [
      {
        accountId,
        chainId: parts.chainId,
        readLagMaxMs: parts.state.readLagMaxMs,
        agentKey,
        keep: [...foreignOrders(desk, parts)],
        own: ownOrders(accountId, parts),
        unknown: parts.machine.acting.unanswered(accountId).unresolved,
        offsetMs: chainOffsetMs(parts, clock),
      },
    ];
  });

/** Chain time minus local wall time, if known. */
function chainOffsetMs({ state }: Pick<BotParts, "state">, clock: Clock): number {
  const { offsetMs } = state.chain;
  return offsetMs === null ? 0 : clock.monotonicMs() + offsetMs - clock.wallMs();
}

/** Orders that stay: known foreign ones, unless the configuration says otherwise. */
function foreignOrders({ accountId, quoted }: AccountDesk, { state }: Pick<BotParts, "state">): ReadonlySet<OrderId> {
  if (quoted.foreignOrders === "cancel") return new Set();
  const foreign = state.accounts.get(accountId)?.orders.foreign() ?? [];
  return new Set([...foreign].flatMap(({ orderId }) => (orderId === null ? [] : [orderId])));
}

function ownOrders(accountId: AccountId, { state }: Pick<BotParts, "state">): readonly RemainingOrder[] {
  const live = state.accounts.get(accountId)?.orders.live ?? [];
  return [...live].flatMap(({ order }) =>
    order.orderId === null || order.isForeign ? [] : [{ ...order, orderId: order.orderId }],
  );
}

/** Returns what `run` returns, or `otherwise` where it throws: after a fault of ours any part may. */
function attempt<T>(run: () => T, otherwise: T): T {
  try {
    return run();
  } catch {
    return otherwise;
  }
}
