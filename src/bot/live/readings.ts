// Facts that no event carries, read before each step: the same object while nothing in it changes.

import type { AccountId } from "../../domain/units.ts";
import type { Facts } from "../../kernel/errors.ts";
import type { Readings } from "../decider/input.ts";
import type { Ledger } from "../ledger/ledger.ts";

type Executions = ReadonlyMap<AccountId, { readonly nonceRefusal: Facts | null }>;

export type ReadingModules = {
  readonly ledger: Pick<Ledger, "health" | "space" | "takesMore">;
  readonly executions: Executions;
  /** Another node of the fleet may hold the accounts by now. */
  readonly isElsewhere: () => boolean;
  /** Returns the same set while it is unchanged. */
  readonly keysElsewhere: () => Readings["keysElsewhere"];
};

export function createReadings({ ledger, executions, isElsewhere, keysElsewhere }: ReadingModules): () => Readings {
  let last: Readings | null = null;
  return () => {
    const health = ledger.health();
    const journal = health.ok ? "healthy" : health.fault;
    const { isReserveUsed } = ledger.space();
    const { takesMore } = ledger;
    const [away, keys] = [isElsewhere(), keysElsewhere()];
    const isSame =
      last !== null &&
      last.journal === journal &&
      last.isReserveUsed === isReserveUsed &&
      last.takesMore === takesMore &&
      last.isElsewhere === away &&
      last.keysElsewhere === keys &&
      hasSame(last.nonceRefusals, executions);
    last =
      isSame && last !== null
        ? last
        : {
            journal,
            isReserveUsed,
            takesMore,
            isElsewhere: away,
            keysElsewhere: keys,
            nonceRefusals: refusals(executions),
          };
    return last;
  };
}

const refusals = (executions: Executions): Readings["nonceRefusals"] =>
  new Map(Array.from(executions, ([account, { nonceRefusal }]) => [account, nonceRefusal]));

function hasSame(known: Readings["nonceRefusals"], executions: Executions): boolean {
  if (known.size !== executions.size) return false;
  for (const [account, { nonceRefusal }] of executions) if (known.get(account) !== nonceRefusal) return false;
  return true;
}
