// Who and what every world of this folder starts with: Alice with a master account, a subaccount and an agent, Bob as the other
// side, one market of real estate at 200 USD.

import type { AccountConfig, DevnetConfig } from "../../src/devnet/config/config.ts";
import { accountId, price, size, usdc } from "../../src/domain/units.ts";
import { createSigner, type Signer } from "../../src/wire/signing.ts";
import type { PlaceOrder } from "../../src/wire/transaction/trading.ts";
import { plainAccount, plainExchange, plainOrder } from "../support/plain-exchange.ts";

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
export const foreignKey = signerOf(4);
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

export const accounts: readonly AccountConfig[] = [
  plainAccount({
    accountId: ALICE,
    owner: alice.publicKey,
    native: 5_000_000n,
    agents: [{ pubkey: agent.publicKey, name: "bot", expiresAtSec: START_SEC + 86_400 }],
  }),
  plainAccount({ accountId: ALICE_SUB, owner: alice.publicKey, masterAccountId: ALICE }),
  plainAccount({ accountId: BOB, owner: bob.publicKey }),
];

export const config: DevnetConfig = plainExchange({
  chainId: CHAIN_ID,
  clock: { mode: "manual", startMs: START_MS },
  accounts,
  apiKeys: [{ key: aliceKey.key, owner: alice.publicKey }],
  sessions: [
    { token: aliceSession.token, owner: alice.publicKey },
    { token: bobSession.token, owner: bob.publicKey },
  ],
  users: [
    { username: "alice", owner: alice.publicKey },
    { username: "bob", owner: bob.publicKey },
  ],
});

/** Alice buys 1 contract at 199 USD, limit, good till canceled, unless said otherwise. */
export const order = (of: Partial<PlaceOrder> = {}): PlaceOrder => plainOrder({ accountId: ALICE, ...of });

/** The same by Bob, who sells: to be signed by `bob`. */
export const bobs = (of: Partial<PlaceOrder> = {}): PlaceOrder => order({ accountId: BOB, side: "sell", ...of });
