// Who a hosted request comes from (S5), and what each kind of credential may have signed. That a caller holds one is found
// where requests come in.

import type { TransactionType } from "../../wire/transaction.ts";

/** `owner`: 64 lowercase hex characters. */
export type Credential = { readonly kind: "apiKey" | "session"; readonly owner: string };

/** S5: an API key. A session may have everything signed. */
const ofApiKey: ReadonlySet<TransactionType> = new Set([
  "PlaceOrder",
  "CancelOrder",
  "CancelAllOrders",
  "ModifyOrder",
  "AdjustIsolatedMargin",
  "Transfer",
  "DepositToVault",
  "WithdrawFromVault",
]);

export const mayHaveSigned = (credential: Credential, type: TransactionType): boolean =>
  credential.kind === "session" || ofApiKey.has(type);
