// Cancels until nothing rests, and believes only the exchange: two reads without an order, the second a block later, with nothing of
// ours left in the air between. Whatever fails is tried again until the deadline; then the survivors are named.

import type { Order } from "../../domain/order.ts";
import type { AccountId, MarketId, OrderId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { defaultHedge, hedged } from "../../kernel/hedged.ts";
import { BackOff } from "../../kernel/retry.ts";
import type { VenueReads } from "../venue/port.ts";
import { Pauses } from "./pauses.ts";

export type KillTarget = { readonly orderId: OrderId; readonly marketId: MarketId };

/** What is said of an order that may still rest. */
export type Survivor = Pick<Order, "orderId" | "marketId" | "side" | "price" | "remainingSize">;

export type KillOptions = {
  readonly accountId: AccountId;
  /** After this, what is left is given up. */
  readonly deadlineMs: number;
  /** Between two reads that find nothing: more than a block. */
  readonly confirmMs: number;
};

/** A stop tries for 25 s (contract section 2). */
export const defaultKill = { deadlineMs: 25_000, confirmMs: 500 } as const;

export type KillModules = {
  readonly clock: Clock;
  readonly reads: Pick<VenueReads, "account">;
  /** Orders that rest by all that we were told: where reads fail and none was listed, they are canceled one by one, and named. */
  readonly known: () => readonly Survivor[];
  /** Sends one CancelOrder; never rejects. */
  readonly cancel: (target: KillTarget) => Promise<unknown>;
  /** Sends one CancelAllOrders with a fresh nonce; never rejects. Null where no nonce may be used. */
  readonly cancelAll: (() => Promise<unknown>) | null;
  /** Transactions under way or in doubt: they may yet become orders. */
  readonly unsettled: () => number;
  /** Whether it is no longer wanted: then it ends, unconfirmed, at its next round. */
  readonly isOver: () => boolean;
};

export type KillResult = {
  /** True: the exchange showed twice that nothing rests, and nothing can land any more. */
  readonly confirmed: boolean;
  /** What the last read listed; where it listed none, or none succeeded, what is known to us. */
  readonly survivors: readonly Survivor[];
  readonly unsettled: number;
  /** Reads that were answered. */
  readonly reads: number;
};

const READ_MS_MAX = 3000;
const ROUND_MS = 100;
/** Of one order or of all: the first retry soon, then once a second. */
const BACK_OFF = { firstMs: 100, maxMs: 1000 };

/** Never rejects. */
export async function cancelUntilNothingRests(options: KillOptions, modules: KillModules): Promise<KillResult> {
  const { clock } = modules;
  const pauses = new Pauses(modules);
  const deadlineMs = clock.monotonicMs() + options.deadlineMs;
  const sweep = sweeper(modules);
  let listed: readonly Survivor[] = [];
  let survivors = listed;
  let emptyReads = 0;
  let reads = 0;
  let everything = true;
  while (clock.monotonicMs() < deadlineMs && !modules.isOver()) {
    sweep(survivors, everything);
    const leftMs = Math.max(0, deadlineMs - clock.monotonicMs());
    const read = hedged(() => modules.reads.account(options.accountId), defaultHedge, modules);
    const account = await pauses.within(read, Math.min(READ_MS_MAX, leftMs));
    if (account === undefined) {
      emptyReads = 0;
      survivors = listed.length > 0 ? listed : modules.known();
      await pauses.wait(ROUND_MS);
      continue;
    }
    reads += 1;
    listed = account.openOrders;
    survivors = listed;
    const unsettled = modules.unsettled();
    emptyReads = survivors.length === 0 && unsettled === 0 ? emptyReads + 1 : 0;
    if (emptyReads === 2) return { confirmed: true, survivors, unsettled: 0, reads };
    everything = survivors.length > 0 || unsettled > 0;
    await pauses.wait(emptyReads === 1 ? options.confirmMs : ROUND_MS);
  }
  return { confirmed: false, survivors, unsettled: modules.unsettled(), reads };
}

/** Sends what is not on its way already and not failing too fast. */
function sweeper({ clock, cancel, cancelAll }: KillModules) {
  const underWay = new Set<string>();
  const backOff = new BackOff(BACK_OFF, { clock });

  function once(name: string, send: () => Promise<unknown>): void {
    if (underWay.has(name) || backOff.waitMs(name) > 0) return;
    underWay.add(name);
    backOff.failed(name);
    void send().then(() => underWay.delete(name));
  }

  return (targets: readonly KillTarget[], everything: boolean): void => {
    if (cancelAll !== null && everything) once("all", cancelAll);
    for (const target of targets) once(`${target.orderId}`, () => cancel(target));
  };
}
