// What those who held the account before may have sent and nobody answered (a fleet's other nodes). It counts as filled until it can no
// longer land. An order that nobody claims, and that there is room for, is taken for theirs: frames do not say which key placed an order.

import type { EarlierHolder } from "../../domain/allowance.ts";
import type { Order } from "../../domain/order.ts";
import { type MarketId, type Size, size } from "../../domain/units.ts";

/** How many may still show up of one holder in one market; contracts of each side. */
type Room = { readonly contracts: Size; readonly untilMs: number; orders: number; buy: bigint; sell: bigint };

export class LateOrders {
  readonly #rooms = new Map<MarketId, Room[]>();

  constructor(holders: readonly EarlierHolder[]) {
    for (const { allowances, untilMs } of holders) {
      for (const [marketId, { orders, contracts }] of allowances) {
        const room = { contracts, untilMs, orders, buy: contracts, sell: contracts };
        this.#rooms.set(marketId, [...(this.#rooms.get(marketId) ?? []), room]);
      }
    }
  }

  /**
   * Contracts that may still fill, of each side. What has shown up stays counted: an order that was taken for theirs may be another's.
   */
  worst(marketId: MarketId): Size {
    return size((this.#rooms.get(marketId) ?? []).reduce((sum, { contracts }) => sum + contracts, 0n));
  }

  /** True where the order may be one of theirs; it takes its room then. */
  take({ marketId, side, size: whole }: Pick<Order, "marketId" | "side" | "size">, nowMs: number): boolean {
    const room = this.#rooms.get(marketId)?.find((one) => one.untilMs >= nowMs && one.orders > 0 && one[side] >= whole);
    if (room === undefined) return false;
    room.orders -= 1;
    room[side] -= whole;
    return true;
  }

  /** Forgets what can no longer land; returns the markets where something was forgotten. */
  expire(nowMs: number): readonly MarketId[] {
    const ended: MarketId[] = [];
    for (const [marketId, rooms] of this.#rooms) {
      const left = rooms.filter(({ untilMs }) => untilMs >= nowMs);
      if (left.length === rooms.length) continue;
      ended.push(marketId);
      if (left.length === 0) this.#rooms.delete(marketId);
      else this.#rooms.set(marketId, left);
    }
    return ended;
  }
}
