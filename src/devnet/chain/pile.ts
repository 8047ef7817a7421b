// What is kept of rows that never end: the newest, and up to when there were others, so that nobody takes a part for the whole.

import { createRing } from "../../kernel/bounded.ts";

/** Newest first. */
export type Kept<Row> = {
  readonly rows: readonly Row[];
  /** Time of the newest row that is no longer kept, Unix ms; null while all are. */
  readonly droppedMs: number | null;
};

export type Pile<Row> = { readonly push: (row: Row) => void; readonly kept: () => Kept<Row> };

export const keptNothing: Kept<never> = { rows: [], droppedMs: null };

/** The newest `capacity` rows, 1 or more. */
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
