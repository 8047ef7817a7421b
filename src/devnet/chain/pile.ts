// The newest rows of an endless series, and the time up to which rows were dropped, so that a reader never mistakes part of the history for
// all of it.

import { createRing } from "../../kernel/bounded.ts";

/** Newest first. */
export type Kept<Row> = {
  readonly rows: readonly Row[];
  /** Time of the newest dropped row, Unix ms; null if none was dropped. */
  readonly droppedMs: number | null;
};

export type Pile<Row> = { readonly push: (row: Row) => void; readonly kept: () => Kept<Row> };

export const keptNothing: Kept<never> = { rows: [], droppedMs: null };

/** Keeps the newest `capacity` rows, 1 or more. */
export function createPile<Row>(
  capacity: number,
  timeOf: (row: Row) => number,
  saved: Kept<Row> = keptNothing,
): Pile<Row> {
  const ring = createRing<Row>(capacity);
  for (const row of saved.rows.toReversed()) ring.push(row);
  let { droppedMs } = saved;
  return {
    push(row) {
      const going = ring.length() === capacity ? ring.at(0) : undefined;
      if (going !== undefined) droppedMs = timeOf(going);
      ring.push(row);
    },
    kept: () => ({ rows: ring.items().reverse(), droppedMs }),
  };
}
