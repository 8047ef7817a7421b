// A submit in progress: how to send it, and what was sent.

import type { Command } from "./command.ts";
import type { Nonce } from "./units.ts";

/** Which key (its fingerprint; null: the current key), which nonce (null: a new one), and which clock to use. */
export type SendBy = { readonly signer: string | null; readonly nonce: Nonce | null; readonly isOtherTime: boolean };

/** Identifies what was sent, for resolving a lost answer later. */
export type Submitted = {
  readonly submit: number;
  readonly nonce: Nonce;
  /** Fingerprint of the key; null: the key is no longer available. */
  readonly signer: string | null;
  readonly timestampSec: number;
  /** Its id in the journal. */
  readonly intentId: number;
  /** Chain time and machine time disagree, and the other one has not been tried yet. */
  readonly hasOtherTime: boolean;
};

/** A transaction of an earlier run that may have executed, with the fences that were sent for it. */
export type Recovered = Pick<Submitted, "nonce" | "signer" | "timestampSec"> & {
  readonly command: Command;
  readonly intentIds: readonly number[];
};
