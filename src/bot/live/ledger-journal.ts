// The ledger as execution sees it: the few records that it needs.

import type { Journal } from "../execution/journal.ts";
import type { Ledger } from "../ledger/ledger.ts";

export const journalOf = (ledger: Ledger): Journal => ({
  intent: (intent) => ledger.intent(intent),
  end: (ending) => ledger.end(ending),
  keep: (record) => ledger.keep(record),
  openIntents: () => ledger.openIntents(),
  reserve: (signer, until) => ledger.reserve(signer, until),
  reservation: (signer) => ledger.reservation(signer),
  newestNonces: (signer, count) => ledger.newestNonces(signer, count),
  writeAhead: () => ledger.writeAhead(),
  health: () => ledger.health(),
});
