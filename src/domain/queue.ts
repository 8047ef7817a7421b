// Orders of one price stand in a queue: the first to come trades first. Of others only their sum is shown; when it shrinks without a
// trade, a model says who left.

/**
 * Whose order it was when a level of the real book shrinks without a trade: one behind ours (`riskAverse`), or one ahead of it
 * (`optimistic`). The truth lies between.
 */
export const queueModels = ["riskAverse", "optimistic"] as const;
export type QueueModel = (typeof queueModels)[number];

/** What is taken of whom. */
export type Leaving<P> = { readonly piece: P; readonly amount: bigint };

/** Who leaves a queue that shrinks by `excess`, from the first or from the last on. `left`: contracts. */
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
