// Bridge withdrawals (S3): a request debits at once, can be canceled for 24 hours of chain time, and can then be claimed on the external
// chain. The interface shows neither payloads nor what makes a withdrawal ready; the end of the 24 hours is our choice (NS-8).

import { type AccountId, native, usdc } from "../../domain/units.ts";
import type { RequestWithdrawal } from "../../wire/transaction/unshown.ts";
import type { BridgeConfig } from "../config/config.ts";
import type { Context } from "../engine/calls.ts";
import type { Engine } from "../engine/engine.ts";
import type { Receipt } from "../event.ts";
import type { BridgeUsage } from "./bridge.ts";
import { changed, done, mustPass, refused } from "./receipt.ts";
import type { AccountRow, Registry } from "./registry.ts";
import type { Table, Tables } from "./table.ts";
import { NATIVE, USDC } from "./tokens.ts";

export const WITHDRAWAL_WINDOW_SECS = 86_400;
const WINDOW_MS = WITHDRAWAL_WINDOW_SECS * 1000;
/** Limits the open requests of one account, because the chain stores each. */
const OPEN_MAX = 100;

/** A withdrawal that is neither canceled nor claimed yet. */
export type Withdrawal = {
  readonly withdrawalId: bigint;
  readonly accountId: AccountId;
  readonly tokenId: number;
  readonly amount: bigint;
  /** Address on the external chain; never changes. */
  readonly destination: string;
  readonly requestedAtMs: number;
};

export type Withdrawals = {
  readonly request: (row: AccountRow, request: RequestWithdrawal, ctx: Context) => Receipt;
  /** Refunds exactly the debited amount and frees the bridge limit again. Only while Pending. */
  readonly cancel: (row: AccountRow, withdrawalId: bigint, ctx: Context) => Receipt;
  /** Called when the external chain reports that a ready withdrawal was claimed and has left the exchange. */
  readonly claim: (withdrawalId: bigint, ctx: Context) => Receipt;
  /** Oldest first. */
  readonly of: (account: AccountId) => readonly Withdrawal[];
  /** Sum of the open withdrawals of a token, in base units. */
  readonly total: (tokenId: number) => bigint;
  readonly isReady: (withdrawal: Withdrawal, timeMs: number) => boolean;
};

export type WithdrawalModules = {
  readonly tables: Tables;
  readonly registry: Registry;
  readonly engine: Pick<Engine, "post">;
  readonly usage: BridgeUsage;
  readonly limits: BridgeConfig;
};

export function createWithdrawals({ tables, registry, engine, usage, limits }: WithdrawalModules): Withdrawals {
  const open: Table<Withdrawal> = tables.open("withdrawal");
  const totals: Table<bigint> = tables.open("withdrawalTotal");
  const counters: Table<bigint> = tables.open("withdrawalCounter");
  const byAccount = open.index((row) => [row.accountId.toString()]);
  const total = (tokenId: number) => totals.get(`${tokenId}`) ?? 0n;
  const isReady = (row: Withdrawal, timeMs: number) => timeMs >= row.requestedAtMs + WINDOW_MS;

  function debit(row: AccountRow, { tokenId, amount }: RequestWithdrawal, ctx: Context): Receipt | null {
    if (tokenId === USDC) {
      const refusal = engine.post({ from: row.accountId, to: "withdrawals", amount: usdc(amount) }, ctx);
      return refusal === null ? null : refused(refusal.code, refusal.error);
    }
    if (amount > row.native) return refused("InsufficientNative", `account ${row.accountId} has ${row.native} NATIVE`);
    registry.put({ ...row, native: native(row.native - amount) });
    return null;
  }

  function remove(withdrawal: Withdrawal): void {
    open.delete(`${withdrawal.withdrawalId}`);
    totals.set(`${withdrawal.tokenId}`, total(withdrawal.tokenId) - withdrawal.amount);
  }

  const of = (account: AccountId) =>
    byAccount(account.toString()).toSorted((a, b) => (a.withdrawalId < b.withdrawalId ? -1 : 1));

  return {
    of,
    total,
    isReady,
    request(row, request, ctx) {
      const { tokenId, amount, destination } = request;
      if (!limits.withdrawals.enabled) return refused("BridgeClosed", "the bridge takes no withdrawals for now");
      const refusal = requestRefusal(
        row,
        request,
        of(row.accountId).length,
        usage.left("withdrawal", tokenId, ctx.timeMs),
      );
      const failed = refusal ?? debit(row, request, ctx);
      if (failed !== null) return failed;
      const withdrawalId = (counters.get("last") ?? 0n) + 1n;
      counters.set("last", withdrawalId);
      const { accountId } = row;
      open.set(`${withdrawalId}`, { withdrawalId, accountId, tokenId, amount, destination, requestedAtMs: ctx.timeMs });
      totals.set(`${tokenId}`, total(tokenId) + amount);
      usage.add("withdrawal", tokenId, amount, ctx.timeMs);
      const facts = { withdrawal_id: `${withdrawalId}`, token_id: `${tokenId}`, amount: `${amount}`, destination };
      return done(changed("WithdrawalRequested", accountId, facts));
    },
    cancel(row, withdrawalId, ctx) {
      const found = open.get(`${withdrawalId}`);
      if (found === undefined || found.accountId !== row.accountId) return notFound(withdrawalId);
      if (isReady(found, ctx.timeMs)) {
        return refused("WithdrawalReady", `withdrawal ${withdrawalId} is ready to claim and can no longer be canceled`);
      }
      const { tokenId, amount } = found;
      if (tokenId === USDC)
        mustPass(engine.post({ from: "withdrawals", to: row.accountId, amount: usdc(amount) }, ctx));
      else registry.put({ ...row, native: native(row.native + amount) });
      remove(found);
      usage.remove("withdrawal", tokenId, amount, found.requestedAtMs, ctx.timeMs);
      return done(
        changed("WithdrawalCanceled", row.accountId, { withdrawal_id: `${withdrawalId}`, amount: `${amount}` }),
      );
    },
    claim(withdrawalId, ctx) {
      const found = open.get(`${withdrawalId}`);
      if (found === undefined) return notFound(withdrawalId);
      if (!isReady(found, ctx.timeMs))
        return refused("WithdrawalPending", `withdrawal ${withdrawalId} is still pending`);
      const { tokenId, amount, accountId } = found;
      if (tokenId === USDC) mustPass(engine.post({ from: "withdrawals", to: "custody", amount: usdc(amount) }, ctx));
      remove(found);
      return done(changed("WithdrawalClaimed", accountId, { withdrawal_id: `${withdrawalId}`, amount: `${amount}` }));
    },
  };
}

const notFound = (id: bigint): Receipt => refused("UnknownWithdrawal", `the account has no open withdrawal ${id}`);

/** A withdrawal needs a master account (S4.7) and one of the bridge's two tokens (S4.6). */
function requestRefusal(row: AccountRow, request: RequestWithdrawal, openCount: number, left: bigint): Receipt | null {
  const { tokenId, amount } = request;
  if (row.kind !== "personal") return refused("NotAMaster", "a withdrawal leaves from a master account");
  if (tokenId !== USDC && tokenId !== NATIVE) return refused("UnknownToken", `the bridge knows no token ${tokenId}`);
  if (amount <= 0n) return refused("InvalidAmount", "a withdrawal is above zero");
  if (openCount >= OPEN_MAX)
    return refused("WithdrawalLimit", `${OPEN_MAX} withdrawals are open, the most there can be`);
  if (amount > left) return refused("BridgeLimit", `the bridge lets ${left} more of token ${tokenId} out for now`);
  return null;
}
