// The account's owner takes away all collateral that is free, and brings it back when the fault is over.

import { nonce, usdc } from "../../domain/units.ts";
import { sealEnvelope } from "../../wire/envelope.ts";
import { encodeTransaction } from "../../wire/transaction.ts";
import type { World } from "../world.ts";
import type { Fault } from "./fault.ts";

/** What stays: less than the margin of any quote. */
const LEFT = 500_000n;

export function withdraw({ forMs }: Fault, world: World): void {
  const { exchange, account, worldConfig, clock, trace } = world;
  const free = exchange.chain.reads.account(account)?.availableCollateral ?? 0n;
  const to = worldConfig.devnet.accounts.find(({ accountId }) => accountId !== account);
  if (free <= LEFT || to === undefined) return;
  // The bot halts on it, and rightly; the exchange's events do not say what of the money was the bot's.
  world.inspector.isForeign = true;
  const amount = free - LEFT;
  const nowMs = exchange.chain.timeMs();
  const transfer = { fromAccountId: account, toAccountId: to.accountId, tokenId: 0, amount };
  const body = sealEnvelope({
    chainId: worldConfig.devnet.chainId,
    transactionText: encodeTransaction({ type: "Transfer", ...transfer }),
    nonce: nonce(BigInt(nowMs)),
    timestampSec: Math.floor(nowMs / 1000),
    signer: worldConfig.keys.owner,
  });
  void exchange.request({ method: "POST", path: "/v1/tx", body }).then(({ status }) => {
    trace.note("owner", `withdrawal of ${amount}: ${status}`);
    clock.after(forMs, () => exchange.chain.control.deposit(account, usdc(amount)));
  });
}
