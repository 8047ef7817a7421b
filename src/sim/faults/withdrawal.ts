// The account's owner withdraws all free collateral, and returns it when the fault ends.

import { usdc } from "../../domain/units.ts";
import { ownerSends } from "../actors.ts";
import type { World } from "../world.ts";
import type { Fault } from "./fault.ts";

/** What remains: less than the margin of any quote. */
const LEFT = 500_000n;

export function withdraw({ forMs }: Fault, world: World): void {
  const { exchange, account, worldConfig, clock } = world;
  const free = exchange.chain.reads.account(account)?.availableCollateral ?? 0n;
  const to = worldConfig.devnet.accounts.find(({ accountId }) => accountId !== account);
  if (free <= LEFT || to === undefined) return;
  const amount = free - LEFT;
  const transfer = { fromAccountId: account, toAccountId: to.accountId, tokenId: 0, amount };
  void ownerSends(world, { type: "Transfer", ...transfer }).then(() => {
    clock.after(forMs, () => exchange.chain.control.deposit(account, usdc(amount)));
  });
}
