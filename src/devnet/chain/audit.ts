// The books must balance: all USDC sums to zero in the engine, and what the accounts' ledgers say of money on its way in and out is
// what the engine holds for them.

import { assert } from "../../kernel/assert.ts";
import { USDC } from "../accounts/tokens.ts";
import type { ChainState } from "./state.ts";

/** Throws InvariantError where they do not. Walks over everything: for tests and drills. */
export function auditState({ engine, bridge, withdrawals }: ChainState): void {
  engine.auditBalances();
  const unclaimed = engine.systemBalance("unclaimed");
  assert(bridge.waiting(USDC) === unclaimed, `unclaimed: owners have ${bridge.waiting(USDC)}, the engine ${unclaimed}`);
  const leaving = engine.systemBalance("withdrawals");
  assert(
    withdrawals.total(USDC) === leaving,
    `withdrawals: requests are ${withdrawals.total(USDC)}, the engine has ${leaving}`,
  );
}
