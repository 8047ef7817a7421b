// Intents: a transaction as recorded before any byte reaches the socket, and its result.

import type { Command } from "./command.ts";
import type { SubmitOutcome } from "./event.ts";
import type { AccountId, Nonce } from "./units.ts";

export type Intent = {
  readonly accountId: AccountId;
  /** Fingerprint of the agent key. */
  readonly signer: string;
  readonly nonce: Nonce;
  readonly command: Command;
  /** SHA-256 of the signed message, hex; with the key it determines every byte of the body (S4.5). */
  readonly bytesHash: string;
  readonly timestampSec: number;
  /** Wall time. */
  readonly createdMs: number;
};

export type StoredIntent = Intent & { readonly id: number };

/**
 * How an intent ended. An unknown outcome is not an end; `neverLanded` and `landed` are verdicts about a lost answer. `landedUnidentified`
 * was one until version 0.1.0: the order was over, with unknown id. `harmless`: the answer is unknown and nothing depends on it.
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
  /** The exchange's text or ours, for readers of a log; no decision depends on it. */
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

/** What a ledger has recorded for a key. `nonce`: the last reserved one; `intentId`: number of the last transaction. */
export type SentMark = { readonly nonce: Nonce; readonly intentId: number };
