// The bridge's way in (S3, S4.7): an attested deposit credits the owner's personal account, or waits for one to be made.

import { type Native, native, type Usdc, usdc } from "../../domain/units.ts";
import type { Context } from "../engine/calls.ts";
import type { Engine } from "../engine/engine.ts";
import type { Receipt } from "../event.ts";
import type { BridgeUsage } from "./bridge-usage.ts";
import { changed, done, mustPass, refused } from "./receipt.ts";
import { type AccountRow, isOwnerKey, type Registry } from "./registry.ts";
import type { Table, Tables } from "./table.ts";
import { NATIVE, USDC } from "./tokens.ts";

export type Bridge = {
  /** Attested USDC of an owner key that no account has claimed. */
  readonly unclaimed: (owner: string) => Usdc;
  /** What waits for accounts, of all owners, added up row by row. */
  readonly waiting: (tokenId: number) => bigint;
  /** Attested NATIVE of an owner key that awaits a personal account. */
  readonly unallocated: (owner: string) => Native;
  readonly deposit: (owner: string, tokenId: number, amount: bigint, ctx: Context) => Receipt;
  /** Forgets what waited for the owner, who has an account now, and gives the account its NATIVE. The USDC is the caller's to post. */
  readonly assignTo: (row: AccountRow) => AccountRow;
};

export type BridgeModules = {
  readonly tables: Tables;
  readonly registry: Registry;
  readonly engine: Pick<Engine, "post">;
  readonly usage: BridgeUsage;
};

export function createBridge({ tables, registry, engine, usage }: BridgeModules): Bridge {
  const unclaimedOf: Table<Usdc> = tables.open("unclaimed");
  const unallocatedOf: Table<Native> = tables.open("unallocated");
  const unclaimed = (owner: string) => unclaimedOf.get(owner) ?? usdc(0n);
  const unallocated = (owner: string) => unallocatedOf.get(owner) ?? native(0n);

  function credit(owner: string, to: AccountRow | undefined, tokenId: number, amount: bigint, ctx: Context): void {
    if (tokenId === USDC) {
      const account = to?.accountId ?? "unclaimed";
      mustPass(engine.post({ from: "custody", to: account, amount: usdc(amount) }, ctx));
      if (to === undefined) unclaimedOf.set(owner, usdc(unclaimed(owner) + amount));
    } else if (to === undefined) unallocatedOf.set(owner, native(unallocated(owner) + amount));
    else registry.put({ ...to, native: native(to.native + amount) });
  }

  return {
    unclaimed,
    waiting: (tokenId) => sumOf(tokenId === USDC ? unclaimedOf.rows() : unallocatedOf.rows()),
    unallocated,
    deposit(owner, tokenId, amount, ctx) {
      if (!isOwnerKey(owner)) return refused("InvalidOwner", "an owner is 32 bytes in lowercase hex");
      if (amount <= 0n) return refused("InvalidAmount", "a deposit is above zero");
      if (tokenId !== USDC && tokenId !== NATIVE)
        return refused("UnknownToken", `the bridge knows no token ${tokenId}`);
      const left = usage.left("deposit", tokenId, ctx.timeMs);
      if (amount > left) return refused("BridgeLimit", `the bridge takes ${left} more of token ${tokenId} for now`);
      const personal = registry.personal(owner);
      const to = personal?.state === "open" ? personal : undefined;
      credit(owner, to, tokenId, amount, ctx);
      usage.add("deposit", tokenId, amount, ctx.timeMs);
      const facts = { owner, token_id: `${tokenId}`, amount: `${amount}` };
      return done(changed("DepositAttested", to?.accountId ?? null, facts));
    },
    assignTo(row) {
      const gained = unallocated(row.owner);
      unclaimedOf.delete(row.owner);
      unallocatedOf.delete(row.owner);
      return { ...row, native: native(row.native + gained) };
    },
  };
}

const sumOf = (amounts: MapIterator<bigint>): bigint => amounts.reduce((sum, each) => sum + each, 0n);
