// Transfer (S4.6): moves tokens from one account to another, at once, without fee or approval. USDC moves in the engine, NATIVE here.

import { native, usdc } from "../../domain/units.ts";
import type { Transfer } from "../../wire/transaction/account.ts";
import type { Context } from "../engine/calls.ts";
import type { Engine } from "../engine/engine.ts";
import type { Receipt } from "../event.ts";
import { done, refused, transferred } from "./receipt.ts";
import type { AccountRow, Registry } from "./registry.ts";
import { NATIVE, USDC } from "./tokens.ts";

export type TransferModules = { readonly registry: Registry; readonly engine: Pick<Engine, "post"> };

/** `from`: the account that the signer owns. */
export function transfer(from: AccountRow, request: Transfer, ctx: Context, modules: TransferModules): Receipt {
  const to = modules.registry.account(request.toAccountId);
  if (to === undefined || to.state !== "open") {
    return refused("InvalidDestination", `account ${request.toAccountId} does not exist or is not active`);
  }
  const refusal = routeRefusal(from, to, modules.registry) ?? move(from, to, request, ctx, modules);
  if (refusal !== null) return refusal;
  const { tokenId, amount } = request;
  return done(transferred(from, to, { tokenId, amount, reason: "Transfer" }));
}

/** Personal families may transfer to each other; a vault's tokens stay in its family. */
function routeRefusal(from: AccountRow, to: AccountRow, registry: Registry): Receipt | null {
  if (from.state !== "open") return refused("AccountNotActive", `account ${from.accountId} is not active`);
  if (from.accountId === to.accountId) return refused("SameAccount", "an account cannot transfer to itself");
  const [payer, payee] = [registry.masterOf(from), registry.masterOf(to)];
  const personal = payer.kind === "personal" && payee.kind === "personal";
  if (personal || payer.accountId === payee.accountId) return null;
  return refused("VaultFamily", "a transfer of a vault or of the exchange itself stays within its family");
}

function move(
  from: AccountRow,
  to: AccountRow,
  request: Transfer,
  ctx: Context,
  modules: TransferModules,
): Receipt | null {
  const { tokenId, amount } = request;
  if (amount <= 0n) return refused("InvalidAmount", "an amount is above zero");
  if (tokenId === USDC) {
    const failed = modules.engine.post({ from: from.accountId, to: to.accountId, amount: usdc(amount) }, ctx);
    return failed === null ? null : refused(failed.code, failed.error);
  }
  if (tokenId !== NATIVE)
    return refused("UnknownToken", `token ${tokenId} is neither USDC (${USDC}) nor NATIVE (${NATIVE})`);
  if (amount > from.native) {
    return refused("InsufficientNative", `account ${from.accountId} has ${from.native} of the ${amount} to transfer`);
  }
  modules.registry.put({ ...from, native: native(from.native - amount) });
  modules.registry.put({ ...to, native: native(to.native + amount) });
  return null;
}
