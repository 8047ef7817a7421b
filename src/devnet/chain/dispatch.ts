// Passes an admitted transaction to the part of the exchange that executes it. A refused transaction changes nothing.

import type { PlaceOrder } from "../../wire/transaction/trading.ts";
import type { Transaction } from "../../wire/transaction.ts";
import { approveAgent, revokeAgent } from "../accounts/agents.ts";
import { closeSubaccount, createSubaccount } from "../accounts/families.ts";
import { createFundedAccount } from "../accounts/funded-account.ts";
import { refused } from "../accounts/receipt.ts";
import type { AccountRow } from "../accounts/registry.ts";
import { transfer } from "../accounts/transfers.ts";
import type { Context, PlaceOrder as EnginePlaceOrder } from "../engine/calls.ts";
import type { Receipt } from "../event.ts";
import type { ChainState } from "./state.ts";

/** `account`: the account that the transaction acts on, from admission; null if it names none, or an order that does not exist. */
export function dispatch(
  transaction: Transaction,
  account: AccountRow | null,
  signer: string,
  ctx: Context,
  state: ChainState,
): Receipt {
  if (transaction.type === "CreateFundedAccount") return createFundedAccount(signer, transaction, ctx, state);
  if (transaction.type === "CreateReferredAccount") {
    return refused("RetiredAction", "CreateReferredAccount is retired; use CreateFundedAccount");
  }
  if (account === null) return refused("UnknownOrder", "there is no open order with this id");
  if (account.state !== "open") return refused("AccountNotActive", `account ${account.accountId} is not active`);
  return onAccount(transaction, account, ctx, state);
}

type OfAccount = Exclude<Transaction, { readonly type: "CreateFundedAccount" | "CreateReferredAccount" }>;

function onAccount(transaction: OfAccount, account: AccountRow, ctx: Context, state: ChainState): Receipt {
  const { engine, registry } = state;
  switch (transaction.type) {
    case "PlaceOrder":
      return engine.place(withDefaults(transaction), ctx);
    case "CancelOrder":
      return engine.cancel(transaction.orderId, ctx);
    case "CancelAllOrders":
      return engine.cancelAll(account.accountId, transaction.marketId, ctx);
    case "ModifyOrder":
      return engine.modify(transaction, ctx);
    case "AdjustIsolatedMargin":
      return engine.adjustIsolatedMargin(transaction.accountId, transaction.marketId, transaction.delta, ctx);
    case "ApproveAgent": {
      const { agent: pubkey, name, expiresAtSec } = transaction;
      return approveAgent(registry, account, { pubkey, name: name ?? "", expiresAtSec });
    }
    case "RevokeAgent":
      return revokeAgent(registry, account, transaction.agent);
    case "CreateSubaccount":
      return createSubaccount(account, ctx, state);
    case "CloseSubaccount":
      return closeSubaccount(account, ctx, state);
    case "Transfer":
      return transfer(account, transaction, ctx, state);
    case "RequestWithdrawal":
      return state.withdrawals.request(account, transaction, ctx);
    case "CancelWithdrawal":
      return state.withdrawals.cancel(account, transaction.withdrawalId, ctx);
    case "CreateVault":
      return state.vaults.create(account, transaction, ctx);
    case "DepositToVault":
      return state.vaults.deposit(account, transaction, ctx);
    case "WithdrawFromVault":
      return state.vaults.withdraw(account, transaction, ctx);
    case "DelegateStake":
      return state.staking.delegate(account, transaction);
    case "UndelegateStake":
      return state.staking.undelegate(account, transaction, ctx);
  }
}

/** S4.6: the default leverage is the market's maximum. A missing margin mode is handled by the engine. */
function withDefaults({ type: _, ...order }: PlaceOrder): EnginePlaceOrder {
  return {
    ...order,
    takeProfit: order.takeProfit?.triggerPrice ?? null,
    stopLoss: order.stopLoss?.triggerPrice ?? null,
    leverage: order.leverage ?? 0,
  };
}
