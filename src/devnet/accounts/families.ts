// Subaccounts (S2.12, S3, S8): opened up to the capacity that the family's volume unlocked, closed when nothing is open. Closing returns
// the remaining tokens to the master in the same transaction; the number is never reused.

import { native, type Usdc, usdc } from "../../domain/units.ts";
import type { TreasuryConfig } from "../../wire/rest/exchange.ts";
import type { Context } from "../engine/calls.ts";
import type { Engine } from "../engine/engine.ts";
import type { ChainEvent, Receipt } from "../event.ts";
import { changed, done, mustPass, refused, transferred } from "./receipt.ts";
import { type AccountRow, newAccount, type Registry } from "./registry.ts";
import { NATIVE, USDC } from "./tokens.ts";
import { subaccountCapacity } from "./treasury.ts";
import type { Withdrawals } from "./withdrawals.ts";

export type FamilyModules = {
  readonly registry: Registry;
  readonly engine: Pick<Engine, "account" | "openAccount" | "closeAccount" | "post">;
  readonly treasury: TreasuryConfig;
  readonly withdrawals: Withdrawals;
};

/** CreateSubaccount under `master`. The new account starts empty, with the master's owner and no agents. */
export function createSubaccount(master: AccountRow, ctx: Context, modules: FamilyModules): Receipt {
  const { registry, engine, treasury } = modules;
  if ((master.kind !== "personal" && master.kind !== "vault") || master.state !== "open") {
    return refused("NotAMaster", `account ${master.accountId} is not an active master account or vault`);
  }
  const open = registry.subaccountsOf(master.accountId);
  const capacity = subaccountCapacity(treasury, familyVolume(master, modules));
  if (open.length >= capacity) {
    return refused(
      "SubaccountCapacity",
      `the family's volume unlocks ${capacity} subaccounts and ${open.length} are open`,
    );
  }
  const accountId = registry.assignId();
  mustPass(engine.openAccount({ accountId, masterAccountId: master.accountId }, ctx));
  const { owner } = master;
  const createdAtMs = ctx.timeMs;
  registry.put(newAccount({ accountId, owner, masterAccountId: master.accountId, kind: "subaccount", createdAtMs }));
  return done(changed("SubaccountCreated", accountId, { master_account_id: `${master.accountId}` }));
}

/** CloseSubaccount. Refused while the account has positions, orders, pending withdrawals or negative balances. */
export function closeSubaccount(row: AccountRow, ctx: Context, modules: FamilyModules): Receipt {
  const { registry, engine } = modules;
  const refusal = closeRefusal(row, modules);
  if (refusal !== null) return refusal;
  const master = registry.masterOf(row);
  const usdcLeft = engine.account(row.accountId)?.collateral ?? usdc(0n);
  const events: ChainEvent[] = [];
  if (usdcLeft > 0n) {
    mustPass(engine.post({ from: row.accountId, to: master.accountId, amount: usdcLeft }, ctx));
    events.push(transferred(row, master, { tokenId: USDC, amount: usdcLeft, reason: "SubaccountClose" }));
  }
  if (row.native > 0n) {
    events.push(transferred(row, master, { tokenId: NATIVE, amount: row.native, reason: "SubaccountClose" }));
  }
  const volume = engine.account(row.accountId)?.lifetimeVolume ?? 0n;
  mustPass(engine.closeAccount(row.accountId, ctx));
  registry.put({
    ...master,
    native: native(master.native + row.native),
    closedVolume: usdc(master.closedVolume + row.closedVolume + volume),
  });
  registry.put({ ...row, state: "closed", native: native(0n), agents: [] });
  return done(...events, changed("SubaccountClosed", row.accountId, { master_account_id: `${master.accountId}` }));
}

function closeRefusal(row: AccountRow, modules: FamilyModules): Receipt | null {
  const id = row.accountId;
  if (row.kind !== "subaccount") return refused("NotASubaccount", `account ${id} is not a subaccount`);
  const trading = modules.engine.account(id);
  const blocked = (what: string) => refused("SubaccountNotEmpty", `account ${id} still has ${what}`);
  if (trading === undefined) return refused("UnknownAccount", `account ${id} does not exist`);
  if (trading.positions.length > 0) return blocked("open positions");
  if (trading.openOrders.length > 0) return blocked("open orders");
  if (trading.collateral < 0n || row.native < 0n) return blocked("a negative balance");
  if (modules.withdrawals.of(id).length > 0) return blocked("a pending withdrawal");
  return null;
}

/** Lifetime volume of the whole family, closed subaccounts included (S8). */
export function familyVolume(
  master: AccountRow,
  { registry, engine }: Pick<FamilyModules, "registry" | "engine">,
): Usdc {
  const members = [master, ...registry.subaccountsOf(master.accountId)];
  const traded = (row: AccountRow) => engine.account(row.accountId)?.lifetimeVolume ?? 0n;
  return usdc(members.reduce((sum, row) => sum + traded(row), master.closedVolume as bigint));
}
