// What execution needs written down before and after it sends; the ledger implements it.

import type { Ending, Intent, StoredIntent } from "../../domain/intent.ts";
import type { StoredOrder } from "../../domain/order.ts";
import type { Nonce } from "../../domain/units.ts";

/** None of these throws for the disk; `writeAhead`, `reserve` and `health` report its state. */
export type Journal = {
  /** Names a transaction; durable against the death of the process once `writeAhead` returned true. */
  readonly intent: (intent: Intent) => number;
  readonly end: (ending: Ending) => void;
  /** A null fact leaves the known one unchanged. */
  readonly keep: (record: { readonly kind: "order"; readonly order: StoredOrder }) => unknown;
  readonly openIntents: () => readonly StoredIntent[];
  /** Resolves true when the reservation survives loss of power. */
  readonly reserve: (signer: string, until: Nonce) => Promise<boolean>;
  readonly reservation: (signer: string) => Nonce | null;
  /** Returns at most the newest `count` transactions of a key, oldest first. */
  readonly newestNonces: (signer: string, count: number) => readonly Nonce[];
  readonly writeAhead: () => boolean;
  readonly health: () => { readonly ok: boolean };
};
