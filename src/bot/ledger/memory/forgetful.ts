// An engine that keeps nothing: for a life after which none begins, as in a backtest. What a start reads is empty, and nothing that is
// written is read again while a bot lives.

import type { LedgerEngine } from "../store.ts";
import { noRows, readsOf } from "./memory-rows.ts";

export function forgetfulEngine(): LedgerEngine {
  const rows = noRows();
  const nothing = (): void => {};
  return {
    begin: nothing,
    apply: nothing,
    commit: nothing,
    writeAhead: nothing,
    rollback: nothing,
    syncNow: nothing,
    sync: () => Promise.resolve(),
    tidy: nothing,
    archive: () => Promise.resolve(null),
    space: () => ({ bytes: 0, limitBytes: Number.POSITIVE_INFINITY, isReserveUsed: false }),
    useReserve: () => false,
    faults: () => [],
    read: readsOf(() => rows),
    close: nothing,
  };
}
