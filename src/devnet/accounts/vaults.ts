// Community vaults: an account that its leader trades and others own in shares. The interface shows isVault and the rules of transfer; how
// shares work is our choice. A share is worth equity / shares; deposits and exits both round down, in favor of the remaining holders.

import { type AccountId, type Usdc, usdc } from "../../domain/units.ts";
import type { TreasuryConfig } from "../../wire/rest/exchange.ts";
import type { Vault } from "../../wire/rest/owners.ts";
import type { CreateVault, DepositToVault, WithdrawFromVault } from "../../wire/transaction/unshown.ts";
import type { Context } from "../engine/calls.ts";
import type { Engine } from "../engine/engine.ts";
import type { Receipt } from "../event.ts";
import { changed, done, mustPass, receiptOf, refused } from "./receipt.ts";
import { type AccountRow, newAccount, type Registry } from "./registry.ts";
import type { Table, Tables } from "./table.ts";

export type Vaults = {
  readonly vault: (account: AccountId) => Vault | undefined;
  readonly create: (leader: AccountRow, request: CreateVault, ctx: Context) => Receipt;
  readonly deposit: (from: AccountRow, request: DepositToVault, ctx: Context) => Receipt;
  readonly withdraw: (to: AccountRow, request: WithdrawFromVault, ctx: Context) => Receipt;
};

export type VaultModules = {
  readonly tables: Tables;
  readonly registry: Registry;
  readonly engine: Pick<Engine, "account" | "openAccount" | "post">;
  readonly treasury: TreasuryConfig;
};

export function createVaults({ tables, registry, engine, treasury }: VaultModules): Vaults {
  const vaults: Table<Vault> = tables.open("vault");
  const shareTable: Table<bigint> = tables.open("vaultShares");
  const vault = (account: AccountId) => vaults.get(account.toString());
  const sharesOf = (account: AccountId, owner: string) => shareTable.get(`${account} ${owner}`) ?? 0n;
  /** Equity of the vault's whole family, because its subaccounts belong to the shareholders too. */
  const equityOf = (account: AccountId): Usdc => {
    const members = [account, ...registry.subaccountsOf(account).map(({ accountId }) => accountId)];
    return usdc(members.reduce((sum, each) => sum + (engine.account(each)?.equity ?? 0n), 0n));
  };

  function issue(of: Vault, owner: string, shares: bigint): void {
    const held = sharesOf(of.vaultAccountId, owner) + shares;
    const key = `${of.vaultAccountId} ${owner}`;
    if (held === 0n) shareTable.delete(key);
    else shareTable.set(key, held);
    vaults.set(of.vaultAccountId.toString(), { ...of, totalShares: of.totalShares + shares });
  }

  return {
    vault,
    create(leader, { name, amount }, ctx) {
      if (leader.kind !== "personal") return notPersonal;
      const led = registry.ownedBy(leader.owner).filter((row) => row.kind === "vault");
      if (led.length >= treasury.vaultMax) {
        return refused("VaultCapacity", `the owner leads ${led.length} vaults, the most there can be`);
      }
      const available = engine.account(leader.accountId)?.availableCollateral ?? 0n;
      if (amount > available)
        return refused("InsufficientCollateral", `account ${leader.accountId} has ${available} available`);
      const vaultAccountId = registry.assignId();
      mustPass(engine.openAccount({ accountId: vaultAccountId, masterAccountId: null }, ctx));
      mustPass(engine.post({ from: leader.accountId, to: vaultAccountId, amount: usdc(amount) }, ctx));
      const of = { accountId: vaultAccountId, owner: leader.owner, masterAccountId: null, createdAtMs: ctx.timeMs };
      registry.put(newAccount({ ...of, kind: "vault" }));
      issue({ vaultAccountId, name, leaderAccountId: leader.accountId, totalShares: 0n }, leader.owner, amount);
      return done(
        changed("VaultCreated", vaultAccountId, {
          leader_account_id: `${leader.accountId}`,
          name,
          shares: `${amount}`,
        }),
      );
    },
    deposit(from, { vaultAccountId, amount }, ctx) {
      if (from.kind !== "personal") return notPersonal;
      const found = vault(vaultAccountId);
      if (found === undefined) return notFound(vaultAccountId);
      const equity = equityOf(vaultAccountId);
      if (equity <= 0n && found.totalShares > 0n)
        return refused("VaultInsolvent", "the vault's shares are worth nothing");
      const shares = found.totalShares === 0n ? amount : (amount * found.totalShares) / equity;
      if (shares === 0n) return refused("InvalidAmount", "the amount is less than one share");
      const refusal = engine.post({ from: from.accountId, to: vaultAccountId, amount: usdc(amount) }, ctx);
      if (refusal === null) issue(found, from.owner, shares);
      const facts = { from_account_id: `${from.accountId}`, amount: `${amount}`, shares: `${shares}` };
      return receiptOf(refusal, changed("VaultDeposited", vaultAccountId, facts));
    },
    withdraw(to, { vaultAccountId, shares }, ctx) {
      if (to.kind !== "personal") return notPersonal;
      const found = vault(vaultAccountId);
      if (found === undefined) return notFound(vaultAccountId);
      const held = sharesOf(vaultAccountId, to.owner);
      if (shares > held)
        return refused("InsufficientShares", `the owner has ${held} shares of vault ${vaultAccountId}`);
      const amount = usdc((shares * equityOf(vaultAccountId)) / found.totalShares);
      if (amount <= 0n) return refused("InvalidAmount", "these shares are worth less than one base unit");
      const refusal = engine.post({ from: vaultAccountId, to: to.accountId, amount }, ctx);
      if (refusal === null) issue(found, to.owner, -shares);
      const facts = { to_account_id: `${to.accountId}`, amount: `${amount}`, shares: `${shares}` };
      return receiptOf(refusal, changed("VaultWithdrawn", vaultAccountId, facts));
    },
  };
}

const notPersonal = refused("NotAMaster", "vaults are entered and left through the personal master account");
const notFound = (id: AccountId): Receipt => refused("UnknownVault", `account ${id} is no vault`);
