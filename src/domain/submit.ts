// A submit on its way: how it is to be sent, and as what it was sent.

import type { Command } from "./command.ts";
import type { Nonce } from "./units.ts";

/** With which key (its fingerprint; null: the key of now), which nonce (null: a fresh one), and by which clock. */
export type SendBy = { readonly signer: string | null; readonly nonce: Nonce | null; readonly isOtherTime: boolean };

/** As what a submit was sent: what tells of a lost answer later. */
export type Submitted = {
  /** Its number. */
  readonly submit: number;
  readonly nonce: Nonce;
  /** Fingerprint of the key; null: the key is no longer here. */
  readonly signer: string | null;
  readonly timestampSec: number;
  /** Its name in the journal. */
  readonly intentId: number;
  /** The other clock says another time, and has not been tried. */
  readonly hasOtherTime: boolean;
};

/** A transaction of an earlier run that may have landed, with the fences that were sent for it. */
export type Recovered = Pick<Submitted, "nonce" | "signer" | "timestampSec"> & {
  readonly command: Command;
  readonly intentIds: readonly number[];
};
