// From the faults of a failing world to few of them that break the same law: delta debugging (Zeller and Hildebrandt, 2002) on the list.

import type { Fault } from "./faults/fault.ts";
import type { Law } from "./invariants/law.ts";

export type Shrunk = { readonly faults: readonly Fault[]; readonly runs: number };

/** `breaks`: which law a world with these faults breaks; null: none. At most `runsMax` worlds are run. */
export async function shrink(
  faults: readonly Fault[],
  law: Law,
  breaks: (faults: readonly Fault[]) => Promise<Law | null>,
  runsMax: number,
): Promise<Shrunk> {
  let left = faults;
  let runs = 0;
  let parts = 2;
  while (left.length > 0 && runs < runsMax) {
    const smaller = await smallerOf(left, parts);
    if (smaller !== undefined) {
      left = smaller;
      parts = Math.max(2, parts - 1);
    } else if (parts >= left.length) break;
    else parts = Math.min(left.length, parts * 2);
  }
  return { faults: left, runs };

  /** The list without one of its parts, when that still breaks the law. */
  async function smallerOf(list: readonly Fault[], into: number): Promise<readonly Fault[] | undefined> {
    const size = Math.ceil(list.length / into);
    for (let from = 0; from < list.length && runs < runsMax; from += size) {
      const rest = [...list.slice(0, from), ...list.slice(from + size)];
      runs += 1;
      if ((await breaks(rest)) === law) return rest;
    }
    return undefined;
  }
}
