// Orders at one price form a queue: first come, first filled. Of others' orders only the sum is shown; if it shrinks without a trade, a
// model decides who left.

/**
 * Which order left when a level of the real book shrinks without a trade: one behind ours (`riskAverse`), or one ahead of it
 * (`optimistic`). The truth is in between.
 */
export const queueModels = ["riskAverse", "optimistic"] as const;
export type QueueModel = (typeof queueModels)[number];

/** The amount taken from one piece of a queue. */
export type Leaving<P> = { readonly piece: P; readonly amount: bigint };

/** The orders that leave when a queue shrinks by `excess`, starting at its end (`riskAverse`) or its front. `left`: contracts. */
export function leaving<P extends { readonly left: bigint }>(
  queue: readonly P[],
  excess: bigint,
  model: QueueModel,
): readonly Leaving<P>[] {
  const leavers: Leaving<P>[] = [];
  let open = excess;
  for (const piece of model === "riskAverse" ? queue.toReversed() : queue) {
    if (open <= 0n) break;
    const amount = piece.left < open ? piece.left : open;
    leavers.push({ piece, amount });
    open -= amount;
  }
  return leavers;
}
