// The current value of a contract: the mid of the exchange's book without the bot's own orders, so that no quote of ours moves the price by
// which it is judged. Exact, because the exchange is in the same process.

import type { ChainReads } from "../devnet/chain/reads.ts";
import type { ChainEvent } from "../devnet/event.ts";
import type { Level } from "../domain/book.ts";
import type { Order } from "../domain/order.ts";
import { type AccountId, type MarketId, type Price, price, type Side, size } from "../domain/units.ts";

type Reads = Pick<ChainReads, "book" | "account" | "oracle">;

export class Marks {
  readonly #reads: Reads;
  readonly #own: ReadonlySet<AccountId>;
  /** Resting orders by account, until one of them changes. */
  readonly #orders = new Map<AccountId, readonly Order[]>();
  readonly #last = new Map<MarketId, Price>();

  constructor(reads: Reads, own: Iterable<AccountId>) {
    this.#reads = reads;
    this.#own = new Set(own);
  }

  isOwn(account: AccountId): boolean {
    return this.#own.has(account);
  }

  changed(account: AccountId): void {
    this.#orders.delete(account);
  }

  /** The account's orders that rest in the book. */
  orders(account: AccountId): readonly Order[] {
    const known = this.#orders.get(account);
    if (known !== undefined) return known;
    const open = this.#reads.account(account)?.openOrders ?? [];
    const resting = open.filter(({ status }) => status === "Open" || status === "PartiallyFilled");
    this.#orders.set(account, resting);
    return resting;
  }

  /** The mid now. While the others leave a side empty, the last mid; before there was one, the oracle price. */
  now(marketId: MarketId): Price {
    return this.#mid(marketId, null, null);
  }

  /** Others' levels on a side, best first. */
  others(marketId: MarketId, side: Side): readonly Level[] {
    const own = this.#restingIn(marketId);
    const book = this.#reads.book(marketId);
    return ((side === "buy" ? book?.bids : book?.asks) ?? []).flatMap((level) => {
      const left = level.size - oursAt(level.price, own);
      return left > 0n ? [{ ...level, size: size(left) }] : [];
    });
  }

  /** The mid before these events of one transaction, whose fills took the others' best orders. */
  before(marketId: MarketId, events: readonly ChainEvent[]): Price {
    let bid: Price | null = null;
    let ask: Price | null = null;
    for (const event of events) {
      if (event.type !== "Fill" || event.execution.marketId !== marketId) continue;
      const { takerSide, price: at, makerAccountId } = event.execution;
      if (this.isOwn(makerAccountId)) continue;
      if (takerSide === "sell" && (bid === null || at > bid)) bid = at;
      if (takerSide === "buy" && (ask === null || at < ask)) ask = at;
    }
    return this.#mid(marketId, bid, ask);
  }

  /** `bid` and `ask`: best prices of orders that the book no longer shows. */
  #mid(marketId: MarketId, bid: Price | null, ask: Price | null): Price {
    const own = this.#restingIn(marketId);
    const book = this.#reads.book(marketId, own.length + 1);
    const bestBid = better(bid, bestOf(book?.bids ?? [], own), 1n);
    const bestAsk = better(ask, bestOf(book?.asks ?? [], own), -1n);
    const last = this.#last.get(marketId) ?? this.#reads.oracle(marketId)?.price ?? price(0n);
    const mid = bestBid === null || bestAsk === null ? last : price((bestBid + bestAsk) / 2n);
    this.#last.set(marketId, mid);
    return mid;
  }

  #restingIn(marketId: MarketId): readonly Order[] {
    return [...this.#own].flatMap((account) => this.orders(account).filter((each) => each.marketId === marketId));
  }
}

/** The best price at which others have size. `own` may have orders of both sides, because no price has both. */
function bestOf(levels: readonly Level[], own: readonly Order[]): Price | null {
  for (const level of levels) {
    if (level.size > oursAt(level.price, own)) return level.price;
  }
  return null;
}

function oursAt(at: Price, own: readonly Order[]): bigint {
  let ours = 0n;
  for (const order of own) if (order.price === at) ours += order.remainingSize;
  return ours;
}

/** `sign`: +1n if the higher price is better. */
function better(one: Price | null, other: Price | null, sign: bigint): Price | null {
  if (one === null || other === null) return one ?? other;
  return sign * (one - other) > 0n ? one : other;
}
