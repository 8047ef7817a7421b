// The audit as a chain: each row's hash covers the row and the hash before it. Changing, removing or inserting a row breaks it; removing
// the newest rows, or rewriting all hashes, changes the head, which log and webhook have published.

import { sha256Hex } from "../../kernel/hash.ts";
import type { AuditEntry, StoredAudit, Trail } from "./store.ts";

/** The hash of a row. `before`: the hash of the row before it; "" for the first. */
const hashAfter = (before: string, entry: AuditEntry): string => {
  const { atMs, call, caller, isAuthorized, reason, body, status } = entry;
  return sha256Hex(JSON.stringify([before, atMs, call, caller, isAuthorized, reason, body, status]));
};

/** The row that follows `before`. Its texts are as every storage can hold them, so that they hash to the same when read. */
export function nextAudit(before: string, entry: AuditEntry): StoredAudit {
  const { call, caller, reason, body } = entry;
  const held = { call: storable(call), caller: storable(caller), reason: storable(reason), body: storable(body) };
  const stored = { ...entry, ...held };
  return { ...stored, hash: hashAfter(before, stored) };
}

/** SQLite ends a text at a null character, and cannot hold half of a surrogate pair. */
function storable<T extends string | null>(text: T): T {
  return text === null ? text : (text.toWellFormed().replaceAll("\0", "\ufffd") as T);
}

/** `unchained`: rows that an earlier version wrote. `head`: the newest row's hash; "" before the first. `fault`: a sentence; null: none. */
export type AuditVerdict = {
  readonly rows: number;
  readonly unchained: number;
  readonly head: string;
  readonly fault: string | null;
};

/** Checks the chain from the oldest row that is kept. */
export function verifyAudit({ auditBase, audit }: Pick<Trail, "auditBase" | "audit">): AuditVerdict {
  let head = auditBase;
  let [rows, unchained] = [0, 0];
  let fault: string | null = null;
  for (const row of audit) {
    rows += 1;
    if (row.hash === null && head === "") {
      unchained += 1;
      continue;
    }
    if (fault === null && row.hash !== hashAfter(head, row)) {
      const at = new Date(row.atMs).toISOString();
      fault = `the audit is broken at its row ${rows}, ${row.call} of ${at}: the row or one before it was changed, removed or added`;
    }
    head = row.hash ?? head;
  }
  return { rows, unchained, head, fault };
}
