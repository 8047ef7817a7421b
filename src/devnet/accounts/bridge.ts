// Bridge deposits (S3, S4.7): an attested deposit credits the owner's personal account, or waits until there is one.

import { type Native, native, type Usdc, usdc } from "../../domain/units.ts";
import type { BridgeConfig } from "../config/config.ts";
import type { Context } from "../engine/calls.ts";
import type { Engine } from "../engine/engine.ts";
import type { Receipt } from "../event.ts";
import { changed, done, mustPass, refused } from "./receipt.ts";
import { type AccountRow, isOwnerKey, type Registry } from "./registry.ts";
import type { Table, Tables } from "./table.ts";
import { NATIVE, USDC } from "./tokens.ts";

export type Bridge = {
  /** Attested USDC of an owner key that has no account yet. */
  readonly unclaimed: (owner: string) => Usdc;
  /** Sum of all deposits that wait for an account, over all owners; computed row by row. */
  readonly waiting: (tokenId: number) => bigint;
  /** Attested NATIVE of an owner key that waits for a personal account. */
  readonly unallocated: (owner: string) => Native;
  readonly deposit: (owner: string, tokenId: number, amount: bigint, ctx: Context) => Receipt;
  /** Clears the owner's waiting deposits and returns the row of the new account with its NATIVE. The caller must post the USDC. */
  readonly assignTo: (row: AccountRow) => AccountRow;
};

export type BridgeModules = {
  readonly tables: Tables;
  readonly registry: Registry;
  readonly engine: Pick<Engine, "post">;
  readonly usage: BridgeUsage;
  readonly limits: BridgeConfig;
};

export function createBridge({ tables, registry, engine, usage, limits }: BridgeModules): Bridge {
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
      if (!limits.deposits.enabled) return refused("BridgeClosed", "the bridge takes no deposits for now");
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

type Direction = "deposit" | "withdrawal";

/**
 * Amount that crossed the bridge in the last 24 hours, per token and direction, against its limit (NS-28: the interface shows neither the
 * limits nor the length of the window). Counted per hour of chain time, so a window covers 24 to 25 hours.
 */
export type BridgeUsage = {
  /** Amount that may still cross now. */
  readonly left: (direction: Direction, tokenId: number, timeMs: number) => bigint;
  readonly add: (direction: Direction, tokenId: number, amount: bigint, timeMs: number) => void;
  /** Subtracts, at `timeMs`, an amount that was added at `addedMs`; does nothing if that hour has left the window. */
  readonly remove: (direction: Direction, tokenId: number, amount: bigint, addedMs: number, timeMs: number) => void;
  readonly used: (direction: Direction, tokenId: number, timeMs: number) => bigint;
};

const HOUR_MS = 3_600_000;
const WINDOW_HOURS = 24;

/** Limit per 24 hours, in base units of the token. */
export function bridgeLimit(limits: BridgeConfig, direction: Direction, tokenId: number): bigint {
  const { limit } = direction === "deposit" ? limits.deposits : limits.withdrawals;
  return tokenId === USDC ? limit.usdc : limit.native;
}

/** Amounts by hour since 1970, oldest first. */
type Hours = readonly (readonly [number, bigint])[];

export function createBridgeUsage(tables: Tables, limits: BridgeConfig): BridgeUsage {
  const hours: Table<Hours> = tables.open("bridgeUsage");
  const keyOf = (direction: Direction, tokenId: number) => `${direction} ${tokenId}`;

  function recent(key: string, timeMs: number): Hours {
    const first = Math.floor(timeMs / HOUR_MS) - WINDOW_HOURS;
    return (hours.get(key) ?? []).filter(([hour]) => hour >= first);
  }

  function used(direction: Direction, tokenId: number, timeMs: number): bigint {
    return recent(keyOf(direction, tokenId), timeMs).reduce((sum, [, amount]) => sum + amount, 0n);
  }

  return {
    left: (direction, tokenId, timeMs) => bridgeLimit(limits, direction, tokenId) - used(direction, tokenId, timeMs),
    add(direction, tokenId, amount, timeMs) {
      const key = keyOf(direction, tokenId);
      const hour = Math.floor(timeMs / HOUR_MS);
      const before = recent(key, timeMs).filter(([each]) => each < hour);
      const now = recent(key, timeMs).find(([each]) => each === hour)?.[1] ?? 0n;
      hours.set(key, [...before, [hour, now + amount]]);
    },
    remove(direction, tokenId, amount, addedMs, timeMs) {
      const key = keyOf(direction, tokenId);
      const hour = Math.floor(addedMs / HOUR_MS);
      hours.set(
        key,
        recent(key, timeMs).map(([each, sum]) => [each, each === hour ? sum - amount : sum]),
      );
    },
    used,
  };
}
