// Detects a ledger that is behind what its keys have sent. The lock of each key keeps a mark, written after the ledger has synced a
// reservation, so only a ledger that was replaced by an older one is below its mark.

import type { SentMark } from "../../domain/intent.ts";
import type { Nonce } from "../../domain/units.ts";
import type { LedgerEngine, LedgerReads } from "./store.ts";

/** The locks of the keys that write to a ledger, by fingerprint, which is the signer of its transactions. */
export type KeyLocks = ReadonlyMap<
  string,
  { readonly sent: (signer: string) => SentMark | null; readonly note: (signer: string, mark: SentMark) => void }
>;

type Known = Pick<LedgerReads, "lastIntentId" | "reservation">;

/** Why the ledger is behind, as a sentence; null: it has reached its keys' marks, or it is new and empty. */
export function behindKeys(read: Known, locks: KeyLocks): string | null {
  const lastId = read.lastIntentId();
  if (lastId === 0 && [...locks.keys()].every((signer) => read.reservation(signer) === null)) return null;
  for (const [signer, lock] of locks) {
    const sent = lock.sent(signer);
    const reserved = read.reservation(signer) ?? 0n;
    if (sent === null || (sent.nonce <= reserved && sent.intentId <= lastId)) continue;
    return `the ledger is behind its key ${signer}, as a backup is: it knows nonces up to ${reserved} and transaction ${lastId}, the key has noted ${sent.nonce} and ${sent.intentId}`;
  }
  return null;
}

/** Wraps the engine so that each synced reservation is also written to the key's lock. */
export function notingSent(engine: LedgerEngine, locks: KeyLocks): LedgerEngine {
  const reserved = new Map<string, Nonce>();
  // Last ids in the open transaction, and in committed ones.
  let [appliedId, committedId] = [engine.read.lastIntentId(), engine.read.lastIntentId()];
  return {
    ...engine,
    apply(record) {
      engine.apply(record);
      if (record.kind === "intent") appliedId = Math.max(appliedId, record.intent.id);
      if (record.kind === "reservation") reserved.set(record.signer, record.until);
    },
    commit() {
      engine.commit();
      committedId = appliedId;
    },
    rollback() {
      engine.rollback();
      appliedId = committedId;
      reserved.clear();
    },
    async sync() {
      const marks = [...reserved];
      const intentId = committedId;
      await engine.sync();
      for (const [signer, nonce] of marks) {
        locks.get(signer)?.note(signer, { nonce, intentId });
        if (reserved.get(signer) === nonce) reserved.delete(signer);
      }
    },
  };
}
