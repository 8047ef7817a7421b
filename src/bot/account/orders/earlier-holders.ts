// What earlier holders of the account (other nodes of a fleet) may have sent without an answer. It counts as filled until it can no longer
// land. An order that we did not send and that fits into the rest counts as theirs: frames do not show which key placed an order.

import type { EarlierHolder } from "../../../domain/allowance.ts";
import type { Order } from "../../../domain/order.ts";
import { type MarketId, type Size, size } from "../../../domain/units.ts";

/** What one holder may still have in one market; contracts per side. */
type Headroom = { readonly contracts: Size; readonly untilMs: number; orders: number; buy: bigint; sell: bigint };

export class EarlierHolders {
  readonly #headrooms = new Map<MarketId, Headroom[]>();

  constructor(holders: readonly EarlierHolder[]) {
    for (const { allowances, untilMs } of holders) {
      for (const [marketId, { orders, contracts }] of allowances) {
        const headroom = { contracts, untilMs, orders, buy: contracts, sell: contracts };
        this.#headrooms.set(marketId, [...(this.#headrooms.get(marketId) ?? []), headroom]);
      }
    }
  }

  /** Returns contracts that may still fill, per side. Orders that appeared still count: one taken for theirs may be another's. */
  worst(marketId: MarketId): Size {
    return size((this.#headrooms.get(marketId) ?? []).reduce((sum, { contracts }) => sum + contracts, 0n));
  }

  /** True where the order may be one of theirs; it then uses up their headroom. */
  take({ marketId, side, size: whole }: Pick<Order, "marketId" | "side" | "size">, nowMs: number): boolean {
    const headroom = this.#headrooms
      .get(marketId)
      ?.find((one) => one.untilMs >= nowMs && one.orders > 0 && one[side] >= whole);
    if (headroom === undefined) return false;
    headroom.orders -= 1;
    headroom[side] -= whole;
    return true;
  }

  /** Forgets what can no longer land; returns the markets where it forgot something. */
  expire(nowMs: number): readonly MarketId[] {
    const ended: MarketId[] = [];
    for (const [marketId, headrooms] of this.#headrooms) {
      const left = headrooms.filter(({ untilMs }) => untilMs >= nowMs);
      if (left.length === headrooms.length) continue;
      ended.push(marketId);
      if (left.length === 0) this.#headrooms.delete(marketId);
      else this.#headrooms.set(marketId, left);
    }
    return ended;
  }
}
