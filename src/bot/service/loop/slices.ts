// A long list worked off in slices, so that whatever else the event loop has to do waits for one slice and not for the whole list.

import type { Clock } from "../../../kernel/clock.ts";

/** Items of a slice: as many turns take one to two milliseconds. */
export const SLICE = 16;

/** Runs `each` for the first slice at once and for every further one `everyMs` after the one before; then `done`. */
export function runInSlices<T>(
  items: readonly T[],
  everyMs: number,
  clock: Pick<Clock, "after">,
  each: (item: T) => void,
  done = (): void => {},
): void {
  for (const item of items.slice(0, SLICE)) each(item);
  const rest = items.slice(SLICE);
  if (rest.length === 0) done();
  else clock.after(everyMs, () => runInSlices(rest, everyMs, clock, each, done));
}
