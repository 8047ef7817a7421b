// Laws over random days of an exchange: the same story gives the same roots, the books balance after every block, and a chain
// that is stopped and resumed at any block is the same to the last bit of its state.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Chain } from "../../../../src/devnet/chain/chain.ts";
import { verifyChain } from "../../../../src/devnet/chain/log/verify.ts";
import type { DevnetConfig } from "../../../../src/devnet/config/config.ts";
import { type AccountId, orderId, price, size, usdc } from "../../../../src/domain/units.ts";
import type { Signer } from "../../../../src/wire/signing.ts";
import { keyedHashSigner, keyedHashVerifier } from "../../../../src/wire/signing-simulated.ts";
import type { PlaceOrder } from "../../../../src/wire/transaction/trading.ts";
import type { Transaction } from "../../../../src/wire/transaction.ts";
import { createMemoryDisk } from "./memory-disk.ts";
import { ALICE, ALICE_SUB, BOB, config, inOneBlock, openChain, order, seal } from "./set-up.ts";

const LOG = "blocks.log";
const signers: readonly Signer[] = [1, 2].map((byte) => keyedHashSigner(Uint8Array.of(byte)));
const ownerOf = (id: AccountId): Signer => (id === BOB ? signers[1]! : signers[0]!);
const accounts = [ALICE, ALICE_SUB, BOB];

/** Two markets, thin margins, funding each ten seconds: so that a short story has everything in it. */
const lively: DevnetConfig = {
  ...config,
  timestampToleranceSecs: 300,
  markets: [1, 2].map((marketId) => ({ ...config.markets[0]!, marketId, fundingIntervalSecs: 10, priceBandBps: 5000 })),
  accounts: config.accounts.map((account) => ({
    ...account,
    owner: ownerOf(account.accountId).publicKey,
    collateral: usdc(50_000_000n),
    agents: [],
    volume30d: usdc(200_000_000_000n),
  })),
};

type Step =
  | { readonly do: "transaction"; readonly by: AccountId; readonly transaction: Transaction }
  | { readonly do: "print"; readonly marketId: number; readonly usd: number }
  | { readonly do: "status"; readonly marketId: number; readonly status: "Active" | "Paused" | "Settling" }
  | { readonly do: "tick"; readonly marketId: number; readonly cents: number }
  | { readonly do: "deposit"; readonly to: AccountId; readonly amount: bigint };
type Block = { readonly advanceMs: number; readonly steps: readonly Step[] };

const accountOf = fc.constantFrom(...accounts);
const marketOf = fc.constantFrom(1, 2);
const near = fc.integer({ min: 196, max: 204 }).map((usd) => price(BigInt(usd) * 100_000_000n));

const seldom = fc.constantFrom(true, false, false, false, false);

const place = fc
  .record({
    do: fc.constant("transaction" as const),
    by: accountOf,
    terms: fc.record({
      marketId: marketOf,
      side: fc.constantFrom("buy" as const, "sell" as const),
      orderType: fc.constantFrom(
        "Limit" as const,
        "Limit" as const,
        "Limit" as const,
        "Limit" as const,
        "Market" as const,
        "StopMarket" as const,
        "StopLimit" as const,
      ),
      price: near,
      size: fc.integer({ min: 1, max: 5 }).map((contracts) => size(BigInt(contracts) * 1_000_000n)),
      reduceOnly: seldom,
      postOnly: seldom,
      timeInForce: fc.constantFrom(
        "GTC" as const,
        "GTC" as const,
        "GTC" as const,
        "GTC" as const,
        "IOC" as const,
        "FOK" as const,
      ),
      marginMode: fc.constantFrom(null, "Cross" as const, "Isolated" as const),
      leverage: fc.constantFrom(null, 5, 20),
      trigger: near,
      exit: fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, near),
    }),
  })
  .map(({ by, terms: { trigger, exit, ...terms } }): Step => {
    const stop = terms.orderType === "StopMarket" || terms.orderType === "StopLimit";
    const market = terms.orderType === "Market" || terms.orderType === "StopMarket";
    const whole: Partial<PlaceOrder> = {
      ...terms,
      accountId: by,
      price: market ? price(0n) : terms.price,
      triggerPrice: stop ? trigger : null,
      postOnly: terms.orderType === "Limit" && terms.timeInForce === "GTC" && terms.postOnly,
      stopLoss: exit === null || stop ? null : { triggerPrice: exit },
    };
    return { do: "transaction", by, transaction: order(whole) };
  });

const others = fc.oneof(
  fc.record({
    type: fc.constant("CancelOrder" as const),
    orderId: fc.integer({ min: 1, max: 60 }).map((id) => orderId(BigInt(id))),
  }),
  fc.record({ type: fc.constant("CancelAllOrders" as const), marketId: fc.constantFrom(null, 1, 2) }),
  fc.record({
    type: fc.constant("ModifyOrder" as const),
    orderId: fc.integer({ min: 1, max: 60 }).map((id) => orderId(BigInt(id))),
    newPrice: near,
    newSize: fc.constantFrom(null, size(2_000_000n), size(9_000_000n)),
  }),
);
const ownerActs = (by: AccountId): fc.Arbitrary<Transaction> =>
  fc.oneof(
    fc.record({
      type: fc.constant("Transfer" as const),
      fromAccountId: fc.constant(by),
      toAccountId: accountOf,
      tokenId: fc.constantFrom(0, 1),
      amount: fc.bigInt({ min: 1n, max: 3_000_000n }),
    }),
    fc.record({
      type: fc.constant("RequestWithdrawal" as const),
      accountId: fc.constant(by),
      tokenId: fc.constant(0),
      amount: fc.bigInt({ min: 1n, max: 2_000_000n }),
      destination: fc.constant("wallet"),
    }),
    fc.record({
      type: fc.constant("AdjustIsolatedMargin" as const),
      accountId: fc.constant(by),
      marketId: marketOf,
      delta: fc.bigInt({ min: -1_000_000n, max: 1_000_000n }).map(usdc),
    }),
    fc.constantFrom<Transaction>(
      { type: "CreateSubaccount", masterAccountId: by },
      { type: "CloseSubaccount", accountId: by },
    ),
  );

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 16, arbitrary: place },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("transaction" as const), by: accountOf, transaction: others }) },
  {
    weight: 3,
    arbitrary: accountOf.chain((by) =>
      ownerActs(by).map((transaction): Step => ({ do: "transaction", by, transaction })),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("print" as const),
      marketId: marketOf,
      usd: fc.integer({ min: 170, max: 230 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("status" as const),
      marketId: marketOf,
      status: fc.constantFrom(
        "Active" as const,
        "Active" as const,
        "Active" as const,
        "Paused" as const,
        "Settling" as const,
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("tick" as const),
      marketId: marketOf,
      cents: fc.constantFrom(1, 2, 50),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("deposit" as const),
      to: accountOf,
      amount: fc.bigInt({ min: 1n, max: 20_000_000n }),
    }),
  },
);
const block: fc.Arbitrary<Block> = fc.record({
  advanceMs: fc.constantFrom(0, 200, 1000, 7000, 86_400_000),
  steps: fc.array(step, { maxLength: 8 }),
});
const story = fc.array(block, { minLength: 5, maxLength: 25, size: "max" });

const open = (disk?: ReturnType<typeof createMemoryDisk>): Chain =>
  openChain({ config: lively, snapshotEveryBytes: 2000 }, { verifier: keyedHashVerifier, ...(disk && { disk }) });

/** Plays block number `at` of a story. */
async function play(chain: Chain, { advanceMs, steps }: Block, at: number): Promise<void> {
  const blockMs = chain.timeMs() + advanceMs;
  const bodies: Uint8Array[] = [];
  for (const [place, each] of steps.entries()) {
    if (each.do === "print") chain.control.publishPrint(each.marketId, price(BigInt(each.usd) * 100_000_000n));
    else if (each.do === "status") chain.control.setMarketStatus(each.marketId, each.status);
    else if (each.do === "tick") chain.control.setTickSize(each.marketId, price(BigInt(each.cents) * 1_000_000n));
    else if (each.do === "deposit") chain.control.deposit(each.to, usdc(each.amount));
    else {
      const nonce = BigInt(blockMs + at * 100 + place - 50_000);
      bodies.push(
        seal(each.transaction, { signer: ownerOf(each.by), nonce, timestampSec: Math.floor(blockMs / 1000) }),
      );
    }
  }
  await inOneBlock(chain, bodies, advanceMs);
  chain.audit();
}

test("law: the same story gives the same roots, and the books balance after each block", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (blocks) => {
      const [one, other] = [open(), open()];
      for (const [at, each] of blocks.entries()) {
        await play(one, each, at);
        await play(other, each, at);
        expect(one.head()).toEqual(other.head());
      }
    }),
    { numRuns: 40 },
  );
});

test("law: a chain stopped and resumed at any block is the same, in every root, read and snapshot", async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.infiniteStream(fc.boolean()), async (blocks, stops) => {
      const whole = open();
      let disk = createMemoryDisk();
      let broken = open(disk);
      for (const [at, each] of blocks.entries()) {
        await play(whole, each, at);
        await play(broken, each, at);
        if (stops.next().value) {
          disk = disk.crashed(LOG, 0);
          broken = open(disk);
        }
        expect(broken.head()).toEqual(whole.head());
      }
      for (const id of accounts) expect(broken.reads.account(id)).toEqual(whole.reads.account(id));
      for (const id of [1, 2]) expect(broken.reads.book(id)).toEqual(whole.reads.book(id));
      await broken.close();
      expect(verifyChain(createMemoryDisk(disk.files), keyedHashVerifier).stateRoot).toBe(whole.head().stateRoot);
    }),
    { numRuns: 40 },
  );
});
