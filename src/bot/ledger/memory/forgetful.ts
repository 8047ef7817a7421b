// An engine for a run after which none begins, as in a backtest or the demo: it keeps only what a bot may read again while it lives, so that
// its memory stays flat. What a start reads is empty.

import type { LedgerEngine, LedgerRecord } from "../store.ts";
import { applyTo, noRows, readsOf } from "./memory-rows.ts";

/** A market that comes back with a reload is held as before; nonces go on; what was learned of the exchange is known. Of each there are few. */
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
