// What execution needs to have written down before and after it sends. The ledger is one; this names the few things asked of it.

import type { Command } from "../domain/command.ts";
import type { SubmitOutcome } from "../domain/event.ts";
import type { AccountId, MarketId, Nonce, OrderId, Side } from "../domain/units.ts";

export type JournaledIntent = {
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

export type OpenIntent = JournaledIntent & { readonly id: number };

/** `harmless`: its answer is not known and nothing depends on it. */
export type IntentEnd = Exclude<SubmitOutcome["kind"], "unknown"> | "neverLanded" | "landed" | "harmless";

export type SettlingStepName = "resend" | "fence" | "freshCancel" | "read" | "outlived";

/** None of these throws for the disk; `commit`, `reserve` and `health` tell. */
export type Journal = {
  /** Names a transaction; durable against the death of the process once `commit` returned true. */
  readonly intent: (intent: JournaledIntent) => number;
  readonly end: (ending: {
    readonly intentId: number;
    readonly end: IntentEnd;
    readonly txHash: string | null;
    readonly remark: string | null;
    readonly atMs: number;
  }) => void;
  readonly settling: (step: {
    readonly intentId: number;
    readonly step: SettlingStepName;
    readonly outcome: string;
    readonly atMs: number;
  }) => void;
  readonly order: (order: {
    readonly accountId: AccountId;
    readonly orderId: OrderId;
    readonly marketId: MarketId;
    readonly side: Side;
  }) => void;
  readonly openIntents: () => readonly OpenIntent[];
  /** Resolves true when the reservation survives loss of power. */
  readonly reserve: (signer: string, until: Nonce) => Promise<boolean>;
  readonly reservation: (signer: string) => Nonce | null;
  readonly commit: () => boolean;
  readonly health: () => { readonly ok: boolean };
};
