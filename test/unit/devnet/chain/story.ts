// Random days of an exchange, for the laws that hold over them.

import fc from "fast-check";
import type { DevnetConfig } from "../../../../src/devnet/config/config.ts";
import { type AccountId, orderId, price, size, usdc } from "../../../../src/domain/units.ts";
import type { Signer } from "../../../../src/wire/signing.ts";
import { keyedHashSigner } from "../../../../src/wire/signing-simulated.ts";
import type { PlaceOrder } from "../../../../src/wire/transaction/trading.ts";
import type { Transaction } from "../../../../src/wire/transaction.ts";
import { ALICE, ALICE_SUB, BOB, config, order } from "./set-up.ts";

const signers: readonly Signer[] = [1, 2].map((byte) => keyedHashSigner(Uint8Array.of(byte)));
export const ownerOf = (id: AccountId): Signer => (id === BOB ? signers[1]! : signers[0]!);
export const accounts = [ALICE, ALICE_SUB, BOB];

/** Two markets, thin margins, funding each ten seconds: so that a short story has everything in it. */
export const lively: DevnetConfig = {
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

export type Step =
  | { readonly do: "transaction"; readonly by: AccountId; readonly transaction: Transaction }
  | { readonly do: "print"; readonly marketId: number; readonly usd: number }
  | { readonly do: "status"; readonly marketId: number; readonly status: "Active" | "Paused" | "Settling" }
  | { readonly do: "tick"; readonly marketId: number; readonly cents: number }
  | { readonly do: "deposit"; readonly to: AccountId; readonly amount: bigint };
export type Block = { readonly advanceMs: number; readonly steps: readonly Step[] };

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
export const story = fc.array(block, { minLength: 5, maxLength: 25, size: "max" });
