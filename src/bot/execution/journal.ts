// What execution needs to have written down before and after it sends. The ledger is one; this names the few things asked of it.

import type { Ending, Intent, StoredIntent } from "../../domain/intent.ts";
import type { StoredOrder } from "../../domain/order.ts";
import type { Nonce } from "../../domain/units.ts";

/** None of these throws for the disk; `writeAhead`, `reserve` and `health` tell. */
export type Journal = {
  /** Names a transaction; durable against the death of the process once `writeAhead` returned true. */
  readonly intent: (intent: Intent) => number;
  readonly end: (ending: Ending) => void;
  /** A fact that is null leaves what is known of the order. */
  readonly keep: (record: { readonly kind: "order"; readonly order: StoredOrder }) => unknown;
  readonly openIntents: () => readonly StoredIntent[];
  /** Resolves true when the reservation survives loss of power. */
  readonly reserve: (signer: string, until: Nonce) => Promise<boolean>;
  readonly reservation: (signer: string) => Nonce | null;
  /** Of the newest `count` transactions of a key at most, oldest first. */
  readonly newestNonces: (signer: string, count: number) => readonly Nonce[];
  readonly writeAhead: () => boolean;
  readonly health: () => { readonly ok: boolean };
};
