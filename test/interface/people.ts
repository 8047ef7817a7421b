// Who and what every world of this folder starts with: Alice with a master account, a subaccount and an agent, Bob as the other
// side, one market of real estate at 200 USD.

import type { AccountConfig, DevnetConfig, MarketConfig } from "../../src/devnet/config.ts";
import { accountId, price, size, usdc } from "../../src/domain/units.ts";
import { createSigner, type Signer } from "../../src/wire/signing.ts";
import type { PlaceOrder } from "../../src/wire/transaction.ts";

export const CHAIN_ID = "venue-v4:devnet:chain-2";
export const START_MS = 1_790_000_000_000;
export const START_SEC = START_MS / 1000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** A signer whose seed is one byte, 32 times. */
export const signerOf = (byte: number): Signer => createSigner(new Uint8Array(32).fill(byte));

export const alice = signerOf(1);
export const bob = signerOf(2);
/** Approved on Alice's master account, for a day. */
export const agent = signerOf(3);
export const stranger = signerOf(4);
/** Carol has no account. */
export const carol = signerOf(5);

export const ALICE = accountId(12n);
export const ALICE_SUB = accountId(13n);
export const BOB = accountId(20n);

export const aliceKey = { kind: "apiKey", key: "secret-key" } as const;
export const aliceSession = { kind: "session", token: "secret-session" } as const;
export const bobSession = { kind: "session", token: "bobs-session" } as const;

/** USD to raw price, contracts to raw size, USDC to base units. */
export const usd = (human: number) => price(BigInt(Math.round(human * 100)) * 1_000_000n);
export const contracts = (human: number) => size(BigInt(Math.round(human * 1_000_000)));
export const dollars = (human: number) => usdc(BigInt(Math.round(human * 1_000_000)));

export const market: MarketConfig = {
  marketId: 1,
  name: "USA-HPI",
  assetClass: "RealEstate",
  status: "Active",
  tickSize: price(1_000_000n),
  initialMarginRatioBps: 500,
  maintenanceMarginRatioBps: 250,
  priceBandBps: 1000,
  maxOpenInterest: contracts(1_000_000),
  fundingIntervalSecs: 3600,
  oracle: { source: "fixed", price: usd(200), validForSecs: 86_400 },
  marginTiers: [{ notionalFloor: usdc(0n), maxLeverage: 20, maintenanceMarginRatioBps: 250 }],
};

export const account = (of: Pick<AccountConfig, "accountId" | "owner"> & Partial<AccountConfig>): AccountConfig => ({
  collateral: dollars(100_000),
  native: 0n,
  masterAccountId: null,
  agents: [],
  volume30d: usdc(0n),
  ...of,
});

export const accounts: readonly AccountConfig[] = [
  account({
    accountId: ALICE,
    owner: alice.publicKey,
    native: 5_000_000n,
    agents: [{ pubkey: agent.publicKey, name: "bot", expiresAtSec: START_SEC + 86_400 }],
  }),
  account({ accountId: ALICE_SUB, owner: alice.publicKey, masterAccountId: ALICE }),
  account({ accountId: BOB, owner: bob.publicKey }),
];

export const config: DevnetConfig = {
  chainId: CHAIN_ID,
  blockTimeMs: 200,
  seed: 7n,
  clock: { mode: "manual", startMs: START_MS },
  timestampToleranceSecs: 60,
  openOrderCap: 200,
  markets: [market],
  accounts,
  feeTiers: [{ assetClass: "RealEstate", minVolume30d: usdc(0n), makerFeeBps: -1, takerFeeBps: 5 }],
  apiKeys: [{ key: aliceKey.key, owner: alice.publicKey }],
  sessions: [
    { token: aliceSession.token, owner: alice.publicKey },
    { token: bobSession.token, owner: bob.publicKey },
  ],
  users: [
    { username: "alice", owner: alice.publicKey },
    { username: "bob", owner: bob.publicKey },
  ],
  flow: { enabled: false },
  throttle: { requestsPerSecond: 0, actionBudget: 0 },
};

/** Alice buys 1 contract at 199 USD, limit, good till canceled, unless said otherwise. */
export const order = (of: Partial<PlaceOrder> = {}): PlaceOrder => ({
  type: "PlaceOrder",
  accountId: ALICE,
  marketId: 1,
  side: "buy",
  orderType: "Limit",
  price: usd(199),
  size: contracts(1),
  triggerPrice: null,
  reduceOnly: false,
  postOnly: false,
  timeInForce: "GTC",
  takeProfit: null,
  stopLoss: null,
  maxSlippageBps: null,
  marginMode: null,
  leverage: null,
  ...of,
});

/** The same by Bob, who sells: to be signed by `bob`. */
export const bobs = (of: Partial<PlaceOrder> = {}): PlaceOrder => order({ accountId: BOB, side: "sell", ...of });
