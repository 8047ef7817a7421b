// Transactions that a trusted caller hands in as values: when they are answered, and when their bodies are made.

import { describe, expect, test } from "vitest";
import type { Answer } from "../../../../src/devnet/chain/admission/answer.ts";
import type { Chain } from "../../../../src/devnet/chain/chain.ts";
import type { TrustedTransaction } from "../../../../src/devnet/chain/intake.ts";
import { verifyChain } from "../../../../src/devnet/chain/log/verify.ts";
import { price } from "../../../../src/domain/units.ts";
import { sha256Hex } from "../../../../src/kernel/hash.ts";
import { openEnvelope } from "../../../../src/wire/envelope.ts";
import type { Transaction } from "../../../../src/wire/transaction.ts";
import { createMemoryDisk } from "./memory-disk.ts";
import {
  BLOCK_MS,
  BOB,
  bob,
  codeOf,
  config,
  inOneBlock,
  openChain,
  order,
  type SealOptions,
  START_MS,
  seal,
  verifier,
} from "./set-up.ts";

const real = { ...config, clock: { mode: "real" } } as const;

/** The transaction with a body that counts how often it is made. */
function counted(transaction: Transaction, options: SealOptions = {}) {
  const text = Buffer.from(seal(transaction, options)).toString();
  let made = 0;
  const trusted: TrustedTransaction = {
    ...openEnvelope(Buffer.from(text)),
    body() {
      made += 1;
      return text;
    },
  };
  return { trusted, text, made: () => made };
}

/** The answers in the order in which they are given; the first are those that are known at once. */
function handIn(chain: Chain, all: readonly TrustedTransaction[]): (Answer | null)[] {
  const answers: (Answer | null)[] = [];
  for (const each of all) {
    const now = chain.transact(each, (later) => answers.push(later));
    if (now !== null) answers.push(now);
  }
  return answers;
}

describe("a transaction handed in as a value", () => {
  test("is answered at once by a chain on the real clock", () => {
    const chain = openChain({ config: real });
    const answers = handIn(chain, [counted(order()).trusted, counted(order({ marketId: 9 })).trusted]);
    expect(answers.map((answer) => answer && codeOf(answer))).toEqual(["executed", "UnknownMarket"]);
  });

  test("waits for the next block of a manual clock, among those that come as bytes", async () => {
    const [told, called] = [openChain(), openChain()];
    const first = counted(order({ price: price(20_000_000_000n) }));
    const taker = counted(order({ accountId: BOB, side: "sell", price: price(20_000_000_000n) }), { signer: bob });
    const bytes = [first, taker].map(({ text }) => Buffer.from(text));
    const answers = handIn(called, [first.trusted]);
    const second = called.submit(bytes[1] as Buffer);
    expect(answers).toEqual([]);
    await called.advance(BLOCK_MS);
    const hashed = (all: readonly (Answer | null)[]) =>
      all.map((answer) => [answer, answer && "hash" in answer && answer.hash]);
    expect(hashed([...answers, await second])).toEqual(hashed(await inOneBlock(told, bytes)));
    expect(called.head()).toEqual(told.head());
  });

  test("waits for the end of the turn where transactions share one", () => {
    let endTurn: () => void = () => undefined;
    const atTurnEnd = (run: () => void): void => {
      endTurn = run;
    };
    const chain = openChain({ config: real }, { atTurnEnd });
    const answers = handIn(chain, [counted(order()).trusted, counted(order()).trusted]);
    expect(answers).toEqual([]);
    endTurn();
    expect(answers.map((answer) => answer && codeOf(answer))).toEqual(["executed", "executed"]);
  });

  test("is answered that the chain has stopped, while it waits and after", async () => {
    const chain = openChain();
    const answers = handIn(chain, [counted(order()).trusted]);
    await chain.close();
    answers.push(chain.transact(counted(order()).trusted, () => undefined));
    expect(answers.map((answer) => answer && codeOf(answer))).toEqual(["STOPPED", "STOPPED"]);
  });

  test("has its body made once, when its hash is first read", () => {
    const chain = openChain({ config: real, isExplored: false });
    const { trusted, text, made } = counted(order());
    const answer = chain.transact(trusted, () => undefined);
    expect(made()).toBe(0);
    expect(answer).toMatchObject({ kind: "executed", hash: sha256Hex(text) });
    expect(answer).toMatchObject({ hash: sha256Hex(text) });
    expect(made()).toBe(1);
  });

  test("names its fills after the body", () => {
    const chain = openChain({ config: real, isExplored: false });
    const taker = counted(order({ accountId: BOB, side: "sell", price: price(20_000_000_000n) }), { signer: bob });
    handIn(chain, [counted(order({ price: price(20_000_000_000n) })).trusted, taker.trusted]);
    expect(chain.reads.trades(1, 1)).toMatchObject([{ txHash: sha256Hex(taker.text) }]);
  });

  test("is on the disk before it is answered, as the body that a resumed chain reads", () => {
    const disk = createMemoryDisk();
    const chain = openChain({ config: real }, { disk });
    const { trusted, text, made } = counted(order(), { nonce: BigInt(START_MS) });
    expect(handIn(chain, [trusted])).toMatchObject([{ hash: sha256Hex(text) }]);
    expect(made()).toBe(1);
    const resumed = openChain({ config: real }, { disk: createMemoryDisk(new Map(disk.files)) });
    const account = order().accountId;
    expect(resumed.reads.account(account)).toEqual(chain.reads.account(account));
    expect(verifyChain(createMemoryDisk(new Map(disk.files)), verifier)).toMatchObject({ transactions: 1 });
  });

  test("is not taken while the disk is full", () => {
    const disk = createMemoryDisk();
    const chain = openChain({ config: real }, { disk });
    disk.setFull(true);
    expect(handIn(chain, [counted(order()).trusted])).toMatchObject([{ kind: "rejected", code: "UNWRITABLE" }]);
    expect(chain.reads.account(order().accountId)?.openOrders).toEqual([]);
  });
});
