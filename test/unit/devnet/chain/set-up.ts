// A chain over the real engine with real signatures, under a manual or a virtual clock, for the tests of this folder.

import type { Answer } from "../../../../src/devnet/chain/admission/answer.ts";
import { type Chain, type ChainModules, type ChainOptions, createChain } from "../../../../src/devnet/chain/chain.ts";
import type { PrintSource } from "../../../../src/devnet/chain/sources.ts";
import type { DevnetConfig } from "../../../../src/devnet/config/config.ts";
import { accountId, type Nonce, nonce } from "../../../../src/domain/units.ts";
import type { Clock } from "../../../../src/kernel/clock.ts";
import { sealEnvelope } from "../../../../src/wire/envelope.ts";
import { createSigner, createVerifier, type Signer } from "../../../../src/wire/signing.ts";
import type { PlaceOrder } from "../../../../src/wire/transaction/trading.ts";
import { encodeTransaction, type Transaction } from "../../../../src/wire/transaction.ts";
import { plainAccount, plainExchange, plainOrder } from "../../../support/plain-exchange.ts";

export const CHAIN_ID = "venue-v4:devnet:chain-2";
export const START_MS = 1_790_000_000_000;
export const BLOCK_MS = 200;
const USDC = 1_000_000n;

/** A signer whose seed is one byte, 32 times. */
export const signerOf = (byte: number): Signer => createSigner(new Uint8Array(32).fill(byte));

export const alice: Signer = signerOf(1);
export const bob: Signer = signerOf(2);
export const agent: Signer = signerOf(3);
export const foreignKey: Signer = signerOf(4);
export const ALICE = accountId(12n);
export const ALICE_SUB = accountId(13n);
export const BOB = accountId(20n);

export const config: DevnetConfig = plainExchange({
  chainId: CHAIN_ID,
  blockTimeMs: BLOCK_MS,
  clock: { mode: "manual", startMs: START_MS },
  accounts: [
    plainAccount({
      accountId: ALICE,
      owner: alice.publicKey,
      native: 5n * USDC,
      agents: [{ pubkey: agent.publicKey, name: "bot", expiresAtSec: START_MS / 1000 + 86_400 }],
    }),
    plainAccount({ accountId: ALICE_SUB, owner: alice.publicKey, masterAccountId: ALICE }),
    plainAccount({ accountId: BOB, owner: bob.publicKey }),
  ],
  apiKeys: [{ key: "secret-key", owner: alice.publicKey }],
  sessions: [{ token: "secret-session", owner: alice.publicKey }],
  users: [{ username: "alice", owner: alice.publicKey }],
});

/** One print a market at genesis, at the price of its configuration. */
export const fixedPrints = (of: DevnetConfig): PrintSource => ({
  printsDue: (height) =>
    height > 0
      ? []
      : of.markets.flatMap(({ marketId, oracle }) =>
          oracle.source === "fixed" ? [{ marketId, price: oracle.price, validForMs: oracle.validForSecs * 1000 }] : [],
        ),
});

/** Never asked for anything under the manual clock. */
const stillClock: Clock = {
  wallMs: () => START_MS,
  monotonicMs: () => 0,
  after: () => ({ cancel: () => undefined }),
  every: () => ({ cancel: () => undefined }),
};

/** The same bytes on every run: 1, 2, 3 … */
export function countingEntropy() {
  let next = 100;
  return {
    bytes(count: number) {
      next += 1;
      return new Uint8Array(count).fill(next);
    },
  };
}

export const verifier = createVerifier();

export function openChain(options: Partial<ChainOptions> = {}, modules: Partial<ChainModules> = {}): Chain {
  const used = { config, ...options };
  const chain = createChain(used, {
    clock: stillClock,
    verifier,
    prints: fixedPrints(used.config),
    enclave: { entropy: countingEntropy(), signerOf: createSigner },
    log: () => undefined,
    ...modules,
  });
  chain.start();
  return chain;
}

export type SealOptions = {
  readonly signer?: Signer;
  readonly chainId?: string;
  readonly nonce?: bigint;
  readonly timestampSec?: number;
};

let lastNonce = BigInt(START_MS);

/** A nonce that no other call got. */
export function freshNonce(): Nonce {
  lastNonce += 1n;
  return nonce(lastNonce);
}

/** The body of POST /v1/tx, by the agent unless said otherwise. */
export function seal(transaction: Transaction, options: SealOptions = {}): Uint8Array {
  const body = sealEnvelope({
    chainId: options.chainId ?? CHAIN_ID,
    transactionText: encodeTransaction(transaction),
    nonce: options.nonce === undefined ? freshNonce() : nonce(options.nonce),
    timestampSec: options.timestampSec ?? START_MS / 1000,
    signer: options.signer ?? agent,
  });
  return Buffer.from(body);
}

/** A limit order of Alice: buys 1 contract at 199 USD unless said otherwise. */
export const order = (of: Partial<PlaceOrder> = {}): PlaceOrder => plainOrder({ accountId: ALICE, ...of });

/** Hands the bodies in, makes one block, gives the answers in their order. */
export async function inOneBlock(
  chain: Chain,
  bodies: readonly Uint8Array[],
  advanceMs = BLOCK_MS,
): Promise<readonly Answer[]> {
  const answers = bodies.map((body) => chain.submit(body));
  await chain.advance(advanceMs);
  return Promise.all(answers);
}

/** One transaction in a block of its own. */
export async function run(chain: Chain, transaction: Transaction, options: SealOptions = {}): Promise<Answer> {
  const [answer] = await inOneBlock(chain, [
    seal(transaction, { timestampSec: Math.floor(chain.timeMs() / 1000), ...options }),
  ]);
  if (answer === undefined) throw new Error("one body, one answer");
  return answer;
}

/** The code of a rejection or refusal; "executed" otherwise. */
export const codeOf = (answer: Answer): string => (answer.kind === "executed" ? "executed" : answer.code);
