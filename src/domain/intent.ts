// A transaction that is about to be sent, as it is written down before the socket sees a byte of it, and what became of it.

import type { Command } from "./command.ts";
import type { SubmitOutcome } from "./event.ts";
import type { AccountId, Nonce } from "./units.ts";

export type Intent = {
  readonly accountId: AccountId;
  /** Fingerprint of the agent key. */
  readonly signer: string;
  readonly nonce: Nonce;
  readonly command: Command;
  /** SHA-256 of the message that is signed, hex; with the key it determines every byte of the body (S4.5). */
  readonly bytesHash: string;
  readonly timestampSec: number;
  /** Wall time. */
  readonly createdMs: number;
};

export type StoredIntent = Intent & { readonly id: number };

/**
 * How an intent ended. An unknown outcome is not an end; `neverLanded` and `landed` are verdicts on a lost answer, and so was
 * `landedUnidentified` up to version 0.1.0: its order was over, and nobody had named its id. `harmless`: its answer is not known and nothing depends on it.
 */
export type IntentEnd =
  | Exclude<SubmitOutcome["kind"], "unknown">
  | "neverLanded"
  | "landed"
  | "landedUnidentified"
  | "harmless";

export type Ending = {
  readonly intentId: number;
  readonly end: IntentEnd;
  readonly txHash: string | null;
  /** The exchange's words or ours, for the reader of a log; no decision depends on them. */
  readonly remark: string | null;
  readonly atMs: number;
};

export type ResolutionStepName = "fence" | "freshCancel";

/** One step of resolving a transaction whose answer was lost. */
export type ResolutionStep = {
  readonly intentId: number;
  readonly step: ResolutionStepName;
  readonly outcome: string;
  readonly atMs: number;
};

/** What a ledger has written down of a key. `nonce`: the last reserved; `intentId`: the last transaction's number. */
export type SentMark = { readonly nonce: Nonce; readonly intentId: number };
