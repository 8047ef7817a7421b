// Sorts the unanswered transactions of an account's earlier runs: those that only cancel may be resent blindly (S5); each of the others is
// one unknown with all its fences.

import { commitsNonce } from "../../domain/command.ts";
import type { StoredIntent } from "../../domain/intent.ts";
import type { Recovered } from "../../domain/submit.ts";
import type { AccountId } from "../../domain/units.ts";

export type SortedIntents = {
  readonly harmless: readonly StoredIntent[];
  readonly unknown: readonly Recovered[];
};

export function openIntentsOf(all: readonly StoredIntent[], accountId: AccountId): SortedIntents {
  const harmless: StoredIntent[] = [];
  const byNonce = new Map<string, { readonly intent: StoredIntent; readonly ids: readonly number[] }>();
  for (const intent of all) {
    if (intent.accountId !== accountId) continue;
    const { command, signer, nonce, id } = intent;
    if (!commitsNonce(command) || (command.kind === "cancelAll" && command.fences === null)) {
      harmless.push(intent);
      continue;
    }
    const name = `${signer} ${nonce}`;
    const known = byNonce.get(name);
    const isFence = known !== undefined && command.kind === "cancelAll";
    byNonce.set(name, { intent: isFence ? known.intent : intent, ids: [...(known?.ids ?? []), id] });
  }
  const unknown = Array.from(byNonce.values(), ({ intent: { nonce, command, timestampSec, signer }, ids }) => ({
    nonce,
    command,
    timestampSec,
    signer,
    intentIds: ids,
  }));
  return { harmless, unknown };
}
