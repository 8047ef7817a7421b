// The on-chain request budget (S4.2, NS-11: the interface shows neither its form nor its numbers). Each account may execute a fixed number
// of transactions, plus one for every USDC of its lifetime volume. Cancels have a higher cap, so that an account can always cancel.

import type { AccountId, Usdc } from "../../domain/units.ts";
import type { RequestBudget } from "../../wire/rest/accounts.ts";
import type { DevnetConfig } from "../config/config.ts";
import type { Tables } from "./table.ts";

export type Budget = {
  /** Undefined if the account may execute one more transaction. */
  readonly refusal: (account: AccountId, isCancel: boolean) => string | undefined;
  readonly count: (account: AccountId) => void;
  readonly rateLimit: (account: AccountId) => RequestBudget;
};

const ONE_USDC = 1_000_000n;
const CANCELS_BEYOND = 100_000n;

/** A limit of 0 means no limit; without `actionBudget` transactions are not counted. */
export function createBudget(
  { actionBudget, requestsPerSecond }: DevnetConfig["throttle"],
  tables: Tables,
  lifetimeVolume: (account: AccountId) => Usdc,
): Budget {
  const usedBy = tables.open<bigint>("budget");
  const used = (account: AccountId) => usedBy.get(`${account}`) ?? 0n;
  const cap = (account: AccountId) => BigInt(actionBudget) + lifetimeVolume(account) / ONE_USDC;
  const perSecond = requestsPerSecond === 0 ? null : BigInt(requestsPerSecond);
  if (actionBudget === 0) {
    const counted = { requestsUsed: null, requestsCap: null, requestsRemaining: null, cancelCap: null };
    const rateLimit = () => ({ ...counted, congestionQuota: perSecond });
    return { refusal: () => undefined, count: () => undefined, rateLimit };
  }
  return {
    refusal(account, isCancel) {
      const ordinary = cap(account);
      const most = isCancel ? cancelCapOf(ordinary) : ordinary;
      if (used(account) < most) return undefined;
      return `account ${account} has used its budget of ${most} transactions; volume earns more`;
    },
    count: (account) => usedBy.set(`${account}`, used(account) + 1n),
    rateLimit(account) {
      const requestsUsed = used(account);
      const requestsCap = cap(account);
      const left = requestsCap > requestsUsed ? requestsCap - requestsUsed : 0n;
      return {
        requestsUsed,
        requestsCap,
        requestsRemaining: left,
        cancelCap: cancelCapOf(requestsCap),
        congestionQuota: perSecond !== null && perSecond < left ? perSecond : left,
      };
    },
  };
}

/** Cancels may use twice the cap, at most 100,000 transactions above it. */
const cancelCapOf = (cap: bigint): bigint => cap + (cap < CANCELS_BEYOND ? cap : CANCELS_BEYOND);
