// CreateFundedAccount (S3, S4.6): the owner's whole unclaimed balance pays the activation fee, and the rest becomes collateral of the
// owner's personal account. If it fails, no money moves.

import { type AccountId, usdc } from "../../domain/units.ts";
import type { TreasuryConfig } from "../../wire/rest/exchange.ts";
import type { CreateFundedAccount } from "../../wire/transaction/account.ts";
import type { Context } from "../engine/calls.ts";
import type { Engine } from "../engine/engine.ts";
import type { Receipt } from "../event.ts";
import type { Bridge } from "./bridge.ts";
import type { Invites } from "./invites.ts";
import { changed, done, mustPass, refused } from "./receipt.ts";
import { isOwnerKey, newAccount, type Registry } from "./registry.ts";
import { FUNDED_DEPOSIT_MIN } from "./treasury.ts";

export type FundedAccountModules = {
  readonly registry: Registry;
  readonly bridge: Bridge;
  readonly invites: Invites;
  readonly engine: Pick<Engine, "openAccount" | "post">;
  readonly treasury: TreasuryConfig;
};

/** Creates a personal account that awaits activation (S3). It has a number and can do nothing yet. */
export function signUp(owner: string, ctx: Context, registry: Registry): Receipt {
  if (!isOwnerKey(owner)) return refused("InvalidOwner", "an owner is 32 bytes in lowercase hex");
  const known = registry.personal(owner);
  if (known !== undefined)
    return refused("AccountExists", `the owner's personal account is ${known.accountId} already`);
  const accountId = registry.assignId();
  const row = newAccount({ accountId, owner, masterAccountId: null, kind: "personal", createdAtMs: ctx.timeMs });
  registry.put({ ...row, state: "pendingActivation" });
  return done(changed("AccountSignedUp", accountId, { owner }));
}

/** `owner`: the signer of the transaction. */
export function createFundedAccount(
  owner: string,
  request: CreateFundedAccount,
  ctx: Context,
  modules: FundedAccountModules,
): Receipt {
  const { registry, bridge, engine } = modules;
  const refusal = refusalOf(owner, request.referredBy, modules);
  if (refusal !== null) return refusal;
  const pending = registry.personal(owner);
  const accountId = pending?.accountId ?? registry.assignId();
  const { accountActivationFee: fee } = modules.treasury;
  const rest = usdc(bridge.unclaimed(owner) - fee);

  mustPass(engine.openAccount({ accountId, masterAccountId: null }, ctx));
  if (fee > 0n) mustPass(engine.post({ from: "unclaimed", to: "treasury", amount: fee }, ctx));
  if (rest > 0n) mustPass(engine.post({ from: "unclaimed", to: accountId, amount: rest }, ctx));
  const fresh = newAccount({ accountId, owner, masterAccountId: null, kind: "personal", createdAtMs: ctx.timeMs });
  const row = bridge.assignTo(pending ?? fresh);
  registry.put({ ...row, state: "open", referredBy: request.referredBy ?? row.referredBy });
  return done(changed("AccountCreated", accountId, { owner, fee: `${fee}`, credited: `${rest}` }));
}

function refusalOf(owner: string, referredBy: AccountId | null, modules: FundedAccountModules): Receipt | null {
  const personal = modules.registry.personal(owner);
  if (personal?.state === "open") {
    return refused("AccountExists", `the owner's personal account is ${personal.accountId} already`);
  }
  const unclaimed = modules.bridge.unclaimed(owner);
  const { accountActivationFee: fee } = modules.treasury;
  if (unclaimed < FUNDED_DEPOSIT_MIN || unclaimed < fee) {
    return refused(
      "DepositTooSmall",
      `unclaimed are ${unclaimed}; needed are ${FUNDED_DEPOSIT_MIN} and the fee ${fee}`,
    );
  }
  if (referredBy === null || modules.invites.canRefer(referredBy)) return null;
  return refused("InvalidReferrer", `account ${referredBy} is no active personal account with an invite left`);
}
