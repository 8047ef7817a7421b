// The account's owner takes away all collateral that is free, and brings it back when the fault is over.

import { usdc } from "../../domain/units.ts";
import { ownerSends } from "../actors.ts";
import type { World } from "../world.ts";
import type { Fault } from "./fault.ts";

/** What stays: less than the margin of any quote. */
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
