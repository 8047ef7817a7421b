// A session in a market whose makers leave by a known law: one level a side is traded, orders join it at the back, leave it from where the law
// says, and takers take from the front. Ours rests among them.

import type { Level } from "../../../../src/domain/book.ts";
import { type Side, sides } from "../../../../src/domain/units.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { level, Tape } from "./tape.ts";

type Order = { size: number; readonly own: number | null };

/** Where a leaver stood, as a share of the queue, from a share drawn evenly. */
export const laws = {
  front: () => 0,
  back: () => 1 - 1e-9,
  anywhere: (drawn: number) => drawn,
} as const satisfies Readonly<Record<string, (drawn: number) => number>>;

export type WorldOptions = {
  readonly law: keyof typeof laws;
  readonly seed: bigint;
  readonly steps: number;
  /** Contracts of each order of ours. Default 1. */
  readonly ownSize?: number;
};

/** Orders that a queue has at its start, and tends to. */
const USUAL = 6;

export function queueWorld({ law, seed, steps, ownSize = 1 }: WorldOptions): Tape {
  const prng = createPrng(seed);
  const tape = new Tape();
  const sizeOf = (): number => (1 + prng.below(40)) / 10;
  const fresh = (): Order[] => Array.from({ length: USUAL }, () => ({ size: sizeOf(), own: null }));
  const queues: Record<Side, Order[]> = { buy: fresh(), sell: fresh() };
  let [bid, ids] = [20_000, 0];
  const ticksOf = (side: Side): number => (side === "buy" ? bid : bid + 2);
  const show = (): void => {
    const levels = (side: Side): readonly Level[] => {
      const queue = queues[side];
      const size = queue.reduce((sum, order) => sum + order.size, 0);
      return size > 0 ? [level(ticksOf(side), size, queue.length)] : [];
    };
    tape.book(levels("buy"), levels("sell"));
  };
  show();
  for (let step = 0; step < steps; step += 1) {
    const side = prng.pick(sides);
    const queue = queues[side];
    const drawn = prng.float();
    if (drawn < 0.02) move();
    else if (drawn < 0.2) trade(side);
    else if (queue.every(({ own }) => own === null) && drawn < 0.4) {
      ids += 1;
      tape.place(ids, side, ticksOf(side), ownSize);
      queue.push({ size: ownSize, own: ids });
    } else if (drawn < 0.6 + 0.05 * (queue.length - USUAL)) leave(queue);
    else queue.push({ size: sizeOf(), own: null });
    show();
  }
  return tape;

  /** The price moves by a tick; all come anew. */
  function move(): void {
    for (const side of sides) {
      for (const { own } of queues[side]) if (own !== null) tape.cancel(own);
      queues[side] = fresh();
    }
    bid += prng.chance(0.5) ? 1 : -1;
  }

  function trade(side: Side): void {
    const queue = queues[side];
    const pieces: { count: number; own?: number }[] = [];
    for (let left = prng.exponential(4); left > 0.001; ) {
      const [first] = queue;
      if (first === undefined) break;
      const count = Math.floor(1000 * Math.min(left, first.size)) / 1000;
      if (count <= 0) break;
      pieces.push(first.own === null ? { count } : { count, own: first.own });
      left -= count;
      first.size = Math.round(1000 * (first.size - count)) / 1000;
      if (first.size > 0) break;
      queue.shift();
    }
    if (pieces.length > 0) tape.sweep(side === "buy" ? "sell" : "buy", ticksOf(side), pieces);
  }

  function leave(queue: Order[]): void {
    const theirs = queue.filter(({ own }) => own === null);
    if (theirs.length < 2) return;
    const leaver = theirs[Math.floor(laws[law](prng.float()) * theirs.length)];
    if (leaver !== undefined) queue.splice(queue.indexOf(leaver), 1);
  }
}
