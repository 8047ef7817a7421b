// An engine for a run without a successor, as in a backtest or the demo: keeps only what a bot may read again during the run, so that its
// memory stays flat. A start reads nothing.

import type { LedgerEngine, LedgerRecord } from "../store.ts";
import { applyTo, noRows, readsOf } from "./memory-rows.ts";

/**
 * Needed within a run: a market that returns with a reload keeps its latches and results, nonces continue, and the learned dialect stays.
 * There are few of each.
 */
const KEPT: ReadonlySet<LedgerRecord["kind"]> = new Set(["latch", "reservation", "result", "dialect"]);

export function forgetfulEngine(): LedgerEngine {
  const rows = noRows();
  const nothing = (): void => {};
  return {
    begin: nothing,
    apply(record) {
      if (KEPT.has(record.kind)) applyTo(rows, record);
    },
    commit: nothing,
    writeAhead: nothing,
    checkPlace: nothing,
    rollback: nothing,
    syncNow: nothing,
    sync: () => Promise.resolve(),
    tidy: nothing,
    archive: () => Promise.resolve(null),
    space: () => ({ bytes: 0, limitBytes: Number.POSITIVE_INFINITY, isReserveUsed: false }),
    isForLater: false,
    useReserve: () => false,
    faults: () => [],
    read: readsOf(() => rows),
    close: nothing,
  };
}
