// Signs up, deposits, approves an agent, trades and withdraws, on the devnet: node docs/client-example.ts

import {
  amountText,
  contracts,
  createClient,
  createSigner,
  dollars,
  type Execution,
  plainTerms,
  type SubmitOutcome,
  usd,
  usdText,
} from "quoin/client";

const [validatorUrl = "http://127.0.0.1:18080", restUrl, controlUrl = "http://127.0.0.1:18082"] = process.argv.slice(2);
const client = createClient({
  chainId: "venue-v4:devnet:chain-2", // every signature covers it
  validatorUrl,
  restUrl: restUrl ?? "http://127.0.0.1:18081",
  unshownPayloads: "devnet", // send withdrawals in the devnet's own shape
});

// Two keys: the owner's may do everything, the agent's may only trade.
const owner = createSigner(crypto.getRandomValues(new Uint8Array(32)));
const agent = createSigner(crypto.getRandomValues(new Uint8Array(32)));

// Deposit: on the devnet the control listener stands for the external chain. Sign up: the account claims the deposit.
await fetch(`${controlUrl}/bridge/deposits`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ owner: owner.publicKey, usdc: "1000" }),
});
const opened = await client.openFundedAccount(owner);
if (opened.kind !== "open") throw new Error(`no account: ${opened.kind}`);
const { accountId } = opened;
console.log(`account ${accountId}: ${amountText((await client.accounts.byId(accountId)).collateral)} USDC`);

// Approve: from here on the agent signs orders. The client chooses nonces.
mustExecute(
  await client.submit(
    { type: "ApproveAgent", accountId, agent: agent.publicKey, name: "example", expiresAtSec: null },
    owner,
  ),
);

// Trade: subscribe first, then buy at the market, and wait for the fill.
const filled = Promise.withResolvers<Execution>();
const listening = Promise.withResolvers<void>();
const asked = Promise.withResolvers<void>();
client.stream(
  [
    { channel: "orderbook", marketId: 1 },
    { channel: "fills", accountId },
  ],
  {
    onEvent(event) {
      if (event.kind === "streamOpened") listening.resolve();
      if (event.kind === "book" && event.book.asks.length > 0) asked.resolve();
      if (event.kind === "execution") filled.resolve(event.execution);
    },
  },
);
await Promise.all([listening.promise, asked.promise]);
mustExecute(
  await client.submit(
    {
      ...plainTerms,
      type: "PlaceOrder",
      accountId,
      marketId: 1,
      side: "buy",
      orderType: "Market",
      price: usd("0"),
      size: contracts("0.01"),
      reduceOnly: false,
      postOnly: false,
      timeInForce: "IOC",
    },
    agent,
  ),
);
console.log(`bought at ${usdText((await filled.promise).price)} USD`);

// Withdraw to the external chain, by the owner's key. It can be claimed there a day later.
mustExecute(
  await client.submit(
    { type: "RequestWithdrawal", accountId, tokenId: 0, amount: dollars("100"), destination: "an address out there" },
    owner,
  ),
);
const [withdrawal] = await client.devnet.withdrawals(accountId);
console.log(
  `withdrawal ${withdrawal?.withdrawalId}: ${amountText(withdrawal?.amount ?? 0n)} USDC ${withdrawal?.status}`,
);
client.close();

function mustExecute(outcome: SubmitOutcome): void {
  if (outcome.kind !== "executed") throw new Error(JSON.stringify(outcome));
}
