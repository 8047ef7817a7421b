// Every action that a transaction can carry (S4.6), as a value, as exact text, and read back. On the wire a transaction is one
// object with one key, the variant's name.

import { unreachable } from "../kernel/assert.ts";
import { WireError, within } from "./errors.ts";
import { type Fields, objectOf } from "./strict.ts";
import * as account from "./transaction/account.ts";
import * as unshown from "./transaction/private.ts";
import * as trading from "./transaction/trading.ts";
import * as own from "./transaction/vault-and-stake.ts";

/** One action: exactly one a transaction (S1). */
export type Transaction =
  | trading.TradingTransaction
  | account.AccountTransaction
  | unshown.PrivateTransaction
  | own.VaultTransaction
  | own.StakeTransaction;

export type TransactionType = Transaction["type"];

/** Compact JSON in the documented order of fields, whole numbers as bare digits. This text is what gets signed and sent. */
export function encodeTransaction(transaction: Transaction): string {
  switch (transaction.type) {
    case "PlaceOrder":
      return trading.placeOrderText(transaction);
    case "CancelOrder":
      return trading.cancelOrderText(transaction);
    case "CancelAllOrders":
      return trading.cancelAllOrdersText(transaction);
    case "ModifyOrder":
      return trading.modifyOrderText(transaction);
    case "AdjustIsolatedMargin":
      return trading.adjustIsolatedMarginText(transaction);
    case "CreateFundedAccount":
      return account.createFundedAccountText(transaction);
    case "CreateReferredAccount":
      return account.createReferredAccountText();
    case "ApproveAgent":
      return account.approveAgentText(transaction);
    case "RevokeAgent":
      return account.revokeAgentText(transaction);
    case "CreateSubaccount":
      return account.createSubaccountText(transaction);
    case "Transfer":
      return account.transferText(transaction);
    case "CloseSubaccount":
      return account.closeSubaccountText(transaction);
    case "RequestWithdrawal":
      return unshown.requestWithdrawalText(transaction);
    case "CancelWithdrawal":
      return unshown.cancelWithdrawalText(transaction);
    case "CreateVault":
      return own.createVaultText(transaction);
    case "DepositToVault":
      return own.depositToVaultText(transaction);
    case "WithdrawFromVault":
      return own.withdrawFromVaultText(transaction);
    case "DelegateStake":
    case "UndelegateStake":
      return own.stakeText(transaction);
    default:
      return unreachable(transaction);
  }
}

const readers: ReadonlyMap<string, (fields: Fields) => Transaction> = new Map<string, (fields: Fields) => Transaction>([
  ["PlaceOrder", trading.readPlaceOrder],
  ["CancelOrder", trading.readCancelOrder],
  ["CancelAllOrders", trading.readCancelAllOrders],
  ["ModifyOrder", trading.readModifyOrder],
  ["AdjustIsolatedMargin", trading.readAdjustIsolatedMargin],
  ["CreateFundedAccount", account.readCreateFundedAccount],
  ["CreateReferredAccount", account.readCreateReferredAccount],
  ["ApproveAgent", account.readApproveAgent],
  ["RevokeAgent", account.readRevokeAgent],
  ["CreateSubaccount", account.readCreateSubaccount],
  ["Transfer", account.readTransfer],
  ["CloseSubaccount", account.readCloseSubaccount],
  ["RequestWithdrawal", unshown.readRequestWithdrawal],
  ["CancelWithdrawal", unshown.readCancelWithdrawal],
  ["CreateVault", own.readCreateVault],
  ["DepositToVault", own.readDepositToVault],
  ["WithdrawFromVault", own.readWithdrawFromVault],
  ["DelegateStake", own.readDelegateStake],
  ["UndelegateStake", own.readUndelegateStake],
]);

/** Reads one transaction from parsed JSON, to the letter of S4.6: unknown, missing and mistyped fields are refused. Throws WireError. */
export function decodeTransaction(json: unknown): Transaction {
  const variants = Object.entries(objectOf(json, ""));
  const [variant] = variants;
  if (variant === undefined || variants.length > 1) {
    throw new WireError("variant_count", "", "a transaction has exactly one key, the name of its action");
  }
  const [name, content] = variant;
  const read = readers.get(name);
  if (read === undefined) throw new WireError("variant_unknown", "", "the transaction names no known action");
  return within(name, () => read(objectOf(content, "")));
}
