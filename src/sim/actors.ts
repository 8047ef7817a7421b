// Another actor on the bot's account: its owner, trading by hand.

import { nonce } from "../domain/units.ts";
import { sealEnvelope } from "../wire/envelope.ts";
import { encodeTransaction, type Transaction } from "../wire/transaction.ts";
import type { Scene } from "./sim-scene.ts";

/** Sends a transaction signed by the account's owner. Resolves with the exchange's answer. */
export async function ownerSends({ exchange, worldConfig, trace }: Scene, transaction: Transaction): Promise<string> {
  const nowMs = exchange.chain.timeMs();
  const body = sealEnvelope({
    chainId: worldConfig.devnet.chainId,
    transactionText: encodeTransaction(transaction),
    nonce: nonce(BigInt(nowMs)),
    timestampSec: Math.floor(nowMs / 1000),
    signer: worldConfig.keys.owner,
  });
  const { status, text } = await exchange.request({ method: "POST", path: "/v1/tx", body });
  trace.note("owner", `${transaction.type}: ${status} ${text.slice(0, 120)}`);
  return text;
}
