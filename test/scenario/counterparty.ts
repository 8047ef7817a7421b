// Somebody else on the exchange: account 13, whose key the test holds. Trades with the daemon when the test says so.

import { accountId, type MarketId, nonce, orderId, price, type Side, size } from "../../src/domain/units.ts";
import { sealEnvelope } from "../../src/wire/envelope.ts";
import { createSigner, type Signer } from "../../src/wire/signing.ts";
import { encodeTransaction, type Transaction } from "../../src/wire/transaction.ts";
import { CHAIN_ID } from "./daemon.ts";

const signer = createSigner(new Uint8Array(32).fill(13));

/** The row of the devnet's configuration. Its agent may also be approved on another account. */
export const counterpartyRow = `  - { accountId: 13, owner: "${"13".repeat(32)}", collateral: 1000000, agents: [{ pubkey: "${signer.publicKey}", name: other, expiresAt: 4102444800 }] }`;
export const counterpartyKey = signer.publicKey;

type Receipt = { readonly status: string; readonly error?: string; readonly events: readonly unknown[] };

let last = 0;
export async function send(validatorUrl: string, transaction: Transaction, by: Signer = signer): Promise<Receipt> {
  last = Math.max(Date.now(), last + 1);
  const body = sealEnvelope({
    chainId: CHAIN_ID,
    transactionText: encodeTransaction(transaction),
    nonce: nonce(BigInt(last)),
    timestampSec: Math.floor(Date.now() / 1000),
    signer: by,
  });
  const answer = await fetch(`${validatorUrl}/v1/tx`, { method: "POST", body });
  return (await answer.json()) as Receipt;
}

type Wanted = {
  readonly side: Side;
  readonly contracts: number;
  readonly marketId?: MarketId;
  readonly account?: bigint;
};

const order = ({ side, contracts, marketId = 1, account = 13n }: Wanted) => ({
  type: "PlaceOrder" as const,
  accountId: accountId(account),
  marketId,
  side,
  size: size(BigInt(Math.round(contracts * 1e6))),
  triggerPrice: null,
  reduceOnly: false,
  postOnly: false,
  takeProfit: null,
  stopLoss: null,
  marginMode: null,
  leverage: null,
});

/** Takes what is offered, by a market order. */
export const take = (validatorUrl: string, wanted: Wanted): Promise<Receipt> =>
  send(validatorUrl, {
    ...order(wanted),
    orderType: "Market",
    price: price(0n),
    timeInForce: "IOC",
    maxSlippageBps: 500,
  });

/** Offers at a price in USD. */
export const rest = (validatorUrl: string, wanted: Wanted & { readonly usd: number }): Promise<Receipt> =>
  send(validatorUrl, {
    ...order(wanted),
    orderType: "Limit",
    price: price(BigInt(Math.round(wanted.usd * 1e8))),
    timeInForce: "GTC",
    maxSlippageBps: null,
  });

/** Protects a long position: sells at market once the price has fallen to `usd`, and never more than is held. */
export const protect = (validatorUrl: string, wanted: Wanted & { readonly usd: number }): Promise<Receipt> =>
  send(validatorUrl, {
    ...order({ ...wanted, side: "sell" }),
    orderType: "StopMarket",
    price: price(0n),
    triggerPrice: price(BigInt(Math.round(wanted.usd * 1e8))),
    reduceOnly: true,
    timeInForce: "IOC",
    maxSlippageBps: null,
  });

export const cancel = (validatorUrl: string, id: bigint | string | number): Promise<Receipt> =>
  send(validatorUrl, { type: "CancelOrder", orderId: orderId(BigInt(id)) });
