// The exponent of the fitted queue model, from a session's own fills. A fill shows what was ahead of the order: what its taker traded at
// that price first. So each order's queue is followed under every exponent, and the one with the least error is the fit.

import { levelAt, Queue } from "../../bot/account/orders/orders.ts";
import type { Book } from "../../domain/book.ts";
import type { Trade } from "../../domain/fill.ts";
import { EXPONENT_MAX, FITTED_FILLS_MIN, type QueueFit, queuePrior } from "../../domain/queue.ts";
import { contractsOf } from "../../domain/rounding.ts";
import { type MarketId, type OrderId, type Price, type Side, type Size, size as sizeOf } from "../../domain/units.ts";
import { createPrng } from "../../kernel/prng.ts";
import type { Happened, OwnOrder } from "./session.ts";

/** From the back, from anywhere, from the front. */
const steps = [0.5, 1, 1.5, 2, 3, 4, 8, 16, 32, EXPONENT_MAX];
const exponents: readonly number[] = [...steps.map((step) => -step).reverse(), 0, ...steps];
/** A session is cut into so many blocks of equal time. */
const BLOCKS = 10;
const DRAWS = 400;
const SEED = 1n;

/** Results of a block: the error of queues in contracts, by exponent, and the number of our maker fills. */
type Block = { readonly off: number[]; fills: number };

/** The queue ahead of one of our orders, under each exponent. */
type Followed = {
  readonly marketId: MarketId;
  readonly side: Side;
  readonly price: Price;
  readonly queues: readonly Queue[];
  readonly size: Size;
  /** Contracts that others traded at its price since the last book, and those with the current taker. */
  traded: bigint;
  byTaker: bigint;
  taker: OrderId | null;
  /** It traded, so nothing is ahead of it. */
  isFirst: boolean;
};

export class QueueWatch {
  readonly #fromMs: number;
  readonly #blockMs: number;
  readonly #blocks: readonly Block[] = Array.from({ length: BLOCKS }, () => ({
    off: exponents.map(() => 0),
    fills: 0,
  }));
  readonly #orders = new Map<OrderId, Followed>();
  readonly #books = new Map<MarketId, Book>();

  constructor({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }) {
    this.#fromMs = fromMs;
    this.#blockMs = Math.max(1, (toMs - fromMs) / BLOCKS);
  }

  /** Returns the number of the block of that moment. */
  blockAt(wallMs: number): number {
    return Math.max(0, Math.min(BLOCKS - 1, Math.floor((wallMs - this.#fromMs) / this.#blockMs)));
  }

  take(happened: Happened): void {
    switch (happened.kind) {
      case "published":
        if (happened.published.kind === "book") this.#shown(happened.published.book, happened.wallMs);
        break;
      case "placed":
      case "modified":
        this.#join(happened.order);
        break;
      case "gone":
        this.#orders.delete(happened.order.orderId);
        break;
      case "trade":
        if (happened.own !== "taker") this.#traded(happened.trade, happened.wallMs);
        break;
      default:
        break;
    }
  }

  /** Returns, for each block, the fit to all others. */
  fitsOfOthers(): readonly QueueFit[] {
    return this.#blocks.map((_, at) => this.fit(at));
  }

  /** Returns the fit to all blocks, or to all but one; the prior where those hold too few fills. */
  fit(left: number | null = null): QueueFit {
    const blocks = this.#blocks.filter((_, at) => at !== left);
    const fills = blocks.reduce((sum, block) => sum + block.fills, 0);
    if (fills < FITTED_FILLS_MIN) return { ...queuePrior, fills };
    const prng = createPrng(SEED);
    const drawn = Array.from({ length: DRAWS }, () =>
      leastOff(blocks.map((block) => blocks[prng.below(blocks.length)] ?? block)),
    ).sort((a, b) => a - b);
    const at = (share: number): number => drawn[Math.floor(share * (DRAWS - 1))] ?? queuePrior.exponent;
    return { exponent: leastOff(blocks), ci95: [at(0.025), at(0.975)], fills };
  }

  /** A reduced order keeps its place. An enlarged or moved one joins behind all others. */
  #join({ orderId, marketId, side, price, size }: OwnOrder): void {
    const known = this.#orders.get(orderId);
    if (known?.price === price && size <= known.size) {
      this.#orders.set(orderId, { ...known, size });
      return;
    }
    const book = this.#books.get(marketId);
    const level = book && levelAt(book, side, price);
    const queues = exponents.map((exponent) => new Queue(level, { fitted: { ...queuePrior, exponent } }));
    this.#orders.set(orderId, {
      ...{ marketId, side, price, queues, size },
      ...{ traded: 0n, byTaker: 0n, taker: null, isFirst: false },
    });
  }

  #shown(book: Book, wallMs: number): void {
    this.#books.set(book.marketId, book);
    for (const order of this.#orders.values()) {
      if (order.marketId !== book.marketId) continue;
      this.#passed(order, wallMs);
      const level = levelAt(book, order.side, order.price);
      for (const queue of order.queues) queue.shown(level?.size ?? 0n, level?.orderCount ?? 0);
      order.traded = 0n;
    }
  }

  #traded({ marketId, price, size: contracts, takerSide, takerOrderId, makerOrderId }: Trade, wallMs: number): void {
    const own = this.#orders.get(makerOrderId);
    if (own !== undefined) {
      this.#filled(own, takerOrderId, wallMs);
      return;
    }
    for (const order of this.#orders.values()) {
      if (order.marketId !== marketId || order.price !== price || order.side === takerSide) continue;
      if (order.taker !== takerOrderId) this.#passed(order, wallMs);
      order.taker = takerOrderId;
      order.byTaker += contracts;
      order.traded += contracts;
      for (const queue of order.queues) queue.traded(contracts);
    }
  }

  /** What the order's taker traded at its price first was ahead of it. */
  #filled(order: Followed, taker: OrderId, wallMs: number): void {
    if (order.taker !== taker) this.#passed(order, wallMs);
    const block = this.#blocks[this.blockAt(wallMs)];
    if (block !== undefined) block.fills += 1;
    const ahead = order.taker === taker ? order.byTaker : 0n;
    if (!order.isFirst) this.#judge(order, wallMs, (predicted) => predicted - ahead);
    order.isFirst = true;
    order.taker = null;
    order.byTaker = 0n;
    for (const queue of order.queues) queue.tradedOurs();
  }

  /** A taker ended before it reached the order: at least what it traded was ahead. */
  #passed(order: Followed, wallMs: number): void {
    if (order.taker !== null && !order.isFirst)
      this.#judge(order, wallMs, (predicted) => (order.byTaker > predicted ? order.byTaker - predicted : 0n));
    order.taker = null;
    order.byTaker = 0n;
  }

  /** `offBy`: error in contracts of the predicted size ahead of the order when its taker came. */
  #judge(order: Followed, wallMs: number, offBy: (predicted: bigint) => bigint): void {
    const block = this.#blocks[this.blockAt(wallMs)];
    if (block === undefined) return;
    const earlier = order.traded - order.byTaker;
    for (const [at, queue] of order.queues.entries()) {
      const predicted = queue.ahead > earlier ? queue.ahead - earlier : 0n;
      block.off[at] = (block.off[at] ?? 0) + Math.abs(contractsOf(sizeOf(offBy(predicted))));
    }
  }
}

/** Returns the exponent with the least error over these blocks. */
function leastOff(blocks: readonly Block[]): number {
  const sums = exponents.map((_, at) => blocks.reduce((sum, { off }) => sum + (off[at] ?? 0), 0));
  const least = Math.min(...sums);
  // Several may do nearly as well, since sizes show who left: take the one next to the prior.
  const fitting = exponents.filter((_, at) => (sums[at] ?? 0) <= least * 1.01);
  return fitting.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0] ?? queuePrior.exponent;
}
