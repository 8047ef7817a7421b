// Other actors on the bot's account: its owner, trading by hand.

import { nonce, price, size } from "../domain/units.ts";
import { sealEnvelope } from "../wire/envelope.ts";
import { plainTerms } from "../wire/transaction/trading.ts";
import { encodeTransaction } from "../wire/transaction.ts";
import type { Scene } from "./sim-scene.ts";

/** A small order far from the market, signed by the owner. */
export async function manualOrder({ exchange, worldConfig, markets, account, trace }: Scene): Promise<void> {
  const [marketId = 1] = markets;
  const market = exchange.chain.reads.market(marketId);
  if (market === undefined) return;
  const { oraclePrice, tickSize } = market;
  const nowMs = exchange.chain.timeMs();
  const body = sealEnvelope({
    chainId: worldConfig.devnet.chainId,
    transactionText: encodeTransaction({
      type: "PlaceOrder",
      ...plainTerms,
      accountId: account,
      marketId,
      side: "buy",
      orderType: "Limit",
      price: price(((oraclePrice * 95n) / 100n / tickSize) * tickSize),
      size: size(100_000n),
      reduceOnly: false,
      postOnly: true,
      timeInForce: "GTC",
    }),
    nonce: nonce(BigInt(nowMs)),
    timestampSec: Math.floor(nowMs / 1000),
    signer: worldConfig.keys.owner,
  });
  const { status } = await exchange.request({ method: "POST", path: "/v1/tx", body });
  trace.note("owner", `manual order: ${status}`);
}
