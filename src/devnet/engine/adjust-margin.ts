// AdjustIsolatedMargin (S4.6): moves USDC between the cross collateral and the bucket of an isolated position.

import type { AccountId, MarketId, Usdc } from "../../domain/units.ts";
import type { Receipt } from "../event.ts";
import { post } from "./accounts/postings.ts";
import type { Context } from "./calls.ts";
import { availableCollateral, equityBehind, initialOf, refresh } from "./margin/margin.ts";
import { type Holding, keyOf } from "./records.ts";
import type { Core } from "./state.ts";
import { beginStep, failed, refuse, succeeded } from "./step.ts";

/** Refused without an isolated position, beyond what is free in cross, and below the bucket's initial margin. */
export function adjustIsolatedMargin(
  core: Core,
  accountId: AccountId,
  marketId: MarketId,
  delta: Usdc,
  ctx: Context,
): Receipt {
  const account = core.accounts.get(keyOf(accountId));
  if (account === undefined) return failed(refuse("UnknownAccount", `account ${accountId} does not exist`));
  const holding = account.holdings.get(marketId);
  if (holding === undefined || holding.units === 0 || holding.mode !== "Isolated") {
    return failed(refuse("NoIsolatedPosition", `account ${accountId} has no isolated position in market ${marketId}`));
  }
  if (delta === 0n) return failed(refuse("InvalidAmount", "delta must not be 0"));
  const free = availableCollateral(account);
  if (delta > free) {
    return failed(refuse("InsufficientCollateral", `delta ${delta} is beyond the free cross collateral ${free}`));
  }
  const needed = initialOf(holding.market, holding.units, holding.leverage);
  if (delta < 0n && worthOf(holding) + delta < needed) {
    return failed(refuse("IsolatedMarginTooLow", `the bucket would fall below its initial margin ${needed}`));
  }
  const step = beginStep(core, ctx);
  post(core.log, account, holding.bucket, delta);
  refresh(holding);
  step.events.push({ type: "MarginAdjusted", accountId, marketId, delta });
  return succeeded(step);
}

/** What the bucket is worth as margin: a loss that is not realized yet is gone from it, a profit is not in it. */
function worthOf(holding: Holding): bigint {
  const equity = equityBehind(holding);
  return equity < holding.bucket.balance ? equity : holding.bucket.balance;
}
