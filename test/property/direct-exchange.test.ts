// The exchange called directly says what it says over HTTP and the stream: the same answers to the same transactions, the same blocks, the
// same frames, the same reads.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Reply } from "../../src/devnet/api/http/reply.ts";
import { answerReply } from "../../src/devnet/api/routes/transactions.ts";
import type { Sent } from "../../src/devnet/api/stream/frames.ts";
import type { Connection } from "../../src/devnet/api/stream/stream.ts";
import type { Answer } from "../../src/devnet/chain/admission/answer.ts";
import type { TrustedTransaction } from "../../src/devnet/chain/intake.ts";
import type { DevnetConfig } from "../../src/devnet/config/config.ts";
import { createExchange, type Exchange } from "../../src/devnet/exchange.ts";
import { accountId, nonce, price, usdc } from "../../src/domain/units.ts";
import { parseJson } from "../../src/kernel/json.ts";
import { createVirtualClock, type VirtualClock } from "../../src/kernel/virtual-clock.ts";
import { sealEnvelope } from "../../src/wire/envelope.ts";
import { accountReads, exchangeReads, type Read } from "../../src/wire/reads.ts";
import type { Signer } from "../../src/wire/signing.ts";
import { keyedHashSigner, keyedHashVerifier } from "../../src/wire/signing-simulated.ts";
import { type ChannelRef, type ClientMessage, encodeClientMessage } from "../../src/wire/stream/client.ts";
import { decodeServerMessage } from "../../src/wire/stream/server-decode.ts";
import { encodeTransaction, type Transaction } from "../../src/wire/transaction.ts";
import { ALICE, CHAIN_ID, countingEntropy, order, START_MS } from "../unit/devnet/chain/set-up.ts";
import { accounts, type Block, lively, ownerOf, type Step, story } from "../unit/devnet/chain/story.ts";

const agent = keyedHashSigner(Uint8Array.of(3));
const foreignKey = keyedHashSigner(Uint8Array.of(4));
/** An agent's approval ends within the longer stories. */
const APPROVED_MS = 30_000;
/** Transactions of an account, before its volume earns more. */
const BUDGET = 8;

const config: DevnetConfig = {
  ...lively,
  clock: { mode: "real" },
  throttle: { requestsPerSecond: 0, actionBudget: BUDGET },
  accounts: lively.accounts.map((account) => ({
    ...account,
    volume30d: usdc(0n),
    agents: [{ pubkey: agent.publicKey, name: "bot", expiresAtSec: (START_MS + APPROVED_MS) / 1000 }],
  })),
};

type World = { readonly exchange: Exchange; readonly clock: VirtualClock };

function open(of: Partial<DevnetConfig> = {}): World {
  const clock = createVirtualClock({ startMs: START_MS });
  const enclave = { entropy: countingEntropy(), signerOf: keyedHashSigner };
  const modules = { clock, verifier: keyedHashVerifier, enclave, log: () => undefined };
  const exchange = createExchange({ config: { ...config, ...of } }, modules);
  exchange.chain.start();
  return { exchange, clock };
}

/** One over HTTP, the other called directly. */
const openBoth = (of: Partial<DevnetConfig> = {}) => ({ told: open(of), called: open(of) });

type Sealing = {
  readonly signer: Signer;
  readonly chainId: string;
  readonly nonce: bigint;
  readonly timestampSec: number;
};

const bodyOf = (transaction: Transaction, of: Sealing): string =>
  sealEnvelope({ ...of, nonce: nonce(of.nonce), transactionText: encodeTransaction(transaction) });

async function ask({ exchange: { validator } }: World, method: string, path: string, body = ""): Promise<Reply> {
  const found = validator.find(method, path);
  if ("status" in found) return found;
  return validator.handle(found.route, { ...found.head, header: () => undefined, body: Buffer.from(body) });
}

const post = (world: World, body: string): Promise<Reply> => ask(world, "POST", "/v1/tx", body);

const trusted = (transaction: Transaction, of: Sealing): TrustedTransaction => ({
  ...of,
  transaction,
  signer: of.signer.publicKey,
  nonce: nonce(of.nonce),
  body: () => bodyOf(transaction, of),
});

const neverLater = (): never => {
  throw new Error("it was to be answered at once");
};

/** Hands the transaction in as a value; it is answered at once. */
function call({ exchange }: World, transaction: Transaction, of: Sealing): Answer {
  const answer = exchange.chain.transact(trusted(transaction, of), neverLater);
  if (answer === null) throw new Error("it was to be answered at once");
  return answer;
}

const said = ({ status, text }: Reply) => ({ status, text });

const channels: readonly ChannelRef[] = [
  ...[1, 2].flatMap((marketId) =>
    (["orderbook", "trades", "funding", "oracleUpdates"] as const).map((channel) => ({ channel, marketId })),
  ),
  ...accounts.flatMap((accountId) =>
    (["fills", "orders", "liquidations", "positions"] as const).map((channel) => ({ channel, accountId })),
  ),
  { channel: "explorer" },
];

/** A client of the stream, whose messages go by text or as they are. */
function listen({ exchange: { stream } }: World, by: "text" | "value") {
  const frames: Sent[] = [];
  const connection: Connection = { send: (frame) => frames.push(frame), mute: () => {}, drop: () => {} };
  stream.opened(connection);
  const say = (message: ClientMessage): void => {
    if (by === "text") stream.received(connection, encodeClientMessage(message));
    else stream.heard(connection, message);
  };
  say({ type: "subscribe", channels });
  return { frames, say };
}

/** What a client reads in a frame. */
function understood(text: string): object {
  const message = decodeServerMessage(text, 0);
  if (message.kind === "book") return message.book;
  if (message.kind === "execution") return message.execution;
  if (message.kind === "blockFinalized") return { height: message.block.height, hash: message.block.hash };
  if (message.kind === "trade") {
    const { timestampMs: _, ...trade } = message.trade;
    return trade;
  }
  const { kind: _, receivedMs: __, ...facts } = { receivedMs: 0, ...message };
  return facts;
}

/** A read by its path, its value, and what a client reads in its text as far as the value says it under the same names. */
type Pair = { readonly path: string; readonly value: unknown; readonly read: (json: unknown) => unknown };

const pairOf = <T>({ path, decode }: Read<T>, value: unknown, part: (read: T) => unknown = (read) => read): Pair => ({
  path,
  value,
  read: (json) => part(decode(json)),
});

const NOBODYS = accountId(404n);

/** Every read, of what there is and of what there is not. */
const readsOf = ({ exchange: { reads } }: World): readonly Pair[] => [
  pairOf(exchangeReads.node(), reads.node()),
  pairOf(exchangeReads.markets(), reads.markets()),
  pairOf(exchangeReads.feeTiers(), reads.feeTiers()),
  pairOf(exchangeReads.treasury(), reads.treasury()),
  ...[1, 2, 9].flatMap((id) => [
    pairOf(exchangeReads.market(id), reads.market(id)),
    pairOf(exchangeReads.book(id), reads.book(id)),
    pairOf(exchangeReads.funding(id), reads.funding(id)),
    pairOf(exchangeReads.trades(id), reads.trades(id)),
    pairOf(exchangeReads.oracle(id), reads.oracle(id)),
    pairOf(exchangeReads.oracleHistory(id), reads.oracleHistory(id)),
  ]),
  ...[...accounts, NOBODYS].flatMap((id) => [
    pairOf(accountReads.byId(id), reads.account(id)),
    pairOf(accountReads.positions(id), reads.positions(id), ({ positions }) => positions),
    pairOf(accountReads.openOrders(id), reads.orders(id), ({ openOrders }) => openOrders),
    pairOf(accountReads.rateLimit(id), reads.rateLimit(id)),
  ]),
  ...accounts.map(ownerOf).map(({ publicKey }) => pairOf(accountReads.assets(publicKey), reads.ownerAssets(publicKey))),
];

/** What is wrong with a transaction, if anything. */
const flaws = {
  none: () => ({}),
  agent: () => ({ signer: agent }),
  foreignKey: () => ({ signer: foreignKey }),
  otherChain: () => ({ chainId: "venue-v4:mainnet:chain-1" }),
  old: ({ timestampSec }) => ({ timestampSec: timestampSec - 301 }),
  early: ({ timestampSec }) => ({ timestampSec: timestampSec + 302 }),
  usedNonce: () => ({ nonce: BigInt(START_MS) }),
  oldNonce: ({ nonce }) => ({ nonce: nonce - 2n * 86_400_000n }),
  farNonce: ({ nonce }) => ({ nonce: nonce + 86_400_000n }),
} satisfies Readonly<Record<string, (of: Sealing) => Partial<Sealing>>>;
type Flaw = keyof typeof flaws;

const flaw: fc.Arbitrary<Flaw> = fc.oneof(
  { weight: 20, arbitrary: fc.constant("none" as const) },
  { weight: 8, arbitrary: fc.constant("agent" as const) },
  { weight: 7, arbitrary: fc.constantFrom(...(Object.keys(flaws) as Flaw[])) },
);

/** An operator's act. */
function operate({ exchange: { chain } }: World, each: Exclude<Step, { do: "transaction" }>): void {
  if (each.do === "print") chain.control.publishPrint(each.marketId, price(BigInt(each.usd) * 100_000_000n));
  else if (each.do === "status") chain.control.setMarketStatus(each.marketId, each.status);
  else if (each.do === "tick") chain.control.setTickSize(each.marketId, price(BigInt(each.cents) * 1_000_000n));
  else chain.control.deposit(each.to, usdc(each.amount));
}

const LONGEST_MS = 7000;
const BETWEEN_MS = 7;

/** Plays the steps of a block at instants of their own, in both worlds. */
async function play(worlds: ReturnType<typeof openBoth>, { advanceMs, steps }: Block, flawed: Iterator<Flaw>) {
  const { told, called } = worlds;
  const codes: string[] = [];
  for (const each of steps) {
    for (const { clock } of [told, called]) clock.advanceSync(BETWEEN_MS);
    if (each.do !== "transaction") {
      for (const world of [told, called]) operate(world, each);
      continue;
    }
    const nowMs = told.clock.wallMs();
    const usual = {
      signer: ownerOf(each.by),
      chainId: CHAIN_ID,
      nonce: BigInt(nowMs),
      timestampSec: Math.floor(nowMs / 1000),
    };
    const sealing = { ...usual, ...flaws[flawed.next().value as Flaw](usual) };
    const answer = call(called, each.transaction, sealing);
    expect(said(answerReply(answer))).toEqual(said(await post(told, bodyOf(each.transaction, sealing))));
    codes.push(answer.kind === "executed" ? "executed" : answer.code);
  }
  for (const { clock } of [told, called]) clock.advanceSync(Math.min(advanceMs, LONGEST_MS));
  expect(called.exchange.chain.head()).toEqual(told.exchange.chain.head());
  return codes;
}

test("law: the same transactions get the same answers and make the same blocks, whoever carries them", async () => {
  const met = new Set<string>();
  await fc.assert(
    fc.asyncProperty(story, fc.infiniteStream(flaw), async (blocks, flawed) => {
      const worlds = openBoth();
      for (const each of blocks) for (const code of await play(worlds, each, flawed)) met.add(code);
      worlds.called.exchange.chain.audit();
    }),
    { numRuns: 40 },
  );
  const admission = ["WRONG_CHAIN", "TIMESTAMP", "AGENT_NOT_APPROVED", "AGENT_EXPIRED", "SCOPE", "RATE_LIMITED"];
  for (const code of ["executed", ...admission, "NONCE_WINDOW", "NONCE_REUSED"]) expect(met).toContain(code);
});

test("law: who listens is sent the same frames, and each says its value", async () => {
  const said = new Set<string>();
  await fc.assert(
    fc.asyncProperty(story, fc.infiniteStream(flaw), async (blocks, flawed) => {
      const worlds = openBoth();
      const [read, heard] = [listen(worlds.told, "text"), listen(worlds.called, "value")];
      for (const each of blocks) {
        await play(worlds, each, flawed);
        for (const client of [read, heard]) client.say({ type: "ping" });
      }
      const texts = read.frames.map(({ text }) => text);
      expect(heard.frames.map(({ message }) => message)).toEqual(read.frames.map(({ message }) => message));
      expect(heard.frames.map(({ text }) => text)).toEqual(texts);
      for (const [at, { message }] of heard.frames.entries()) {
        said.add(message?.says ?? "");
        expect(message?.value).toMatchObject(understood(texts[at] as string));
      }
    }),
    { numRuns: 40 },
  );
  const changes = ["orderPlaced", "orderModified", "orderCanceled", "orderTriggered", "liquidation", "fill", "trade"];
  for (const name of ["orderbook", "funding", "oracle", "blockFinalized", "pong", ...changes])
    expect(said).toContain(name);
});

test("law: a read is what its text says, the same object while that stays the same, and never changes", async () => {
  let again = 0;
  await fc.assert(
    fc.asyncProperty(story, fc.infiniteStream(flaw), async (blocks, flawed) => {
      const worlds = openBoth();
      const last = new Map<string, { readonly text: string; readonly value: unknown; readonly copy: unknown }>();
      for (const each of blocks) {
        await play(worlds, each, flawed);
        for (const { path, value, read } of readsOf(worlds.called)) {
          const { status, text } = await ask(worlds.told, "GET", path);
          expect(status).toBe(value === undefined ? 404 : 200);
          if (value === undefined) continue;
          expect(value).toMatchObject(read(parseJson(text)) as object);
          const before = last.get(path);
          if (before !== undefined) {
            expect(before.value).toEqual(before.copy);
            expect(value === before.value).toBe(text === before.text);
            if (value === before.value) again += 1;
          }
          last.set(path, { text, value, copy: structuredClone(value) });
        }
      }
    }),
    { numRuns: 40 },
  );
  expect(again).toBeGreaterThan(1000);
});

test("a level that only changes its price makes another book", () => {
  const { called } = openBoth();
  const at = { signer: ownerOf(ALICE), chainId: CHAIN_ID, timestampSec: START_MS / 1000 };
  call(called, order(), { ...at, nonce: BigInt(START_MS + 1) });
  const before = called.exchange.reads.book(1);
  const [first] = called.exchange.reads.orders(ALICE) ?? [];
  const moved = {
    type: "ModifyOrder",
    orderId: first!.orderId,
    newPrice: price(19_800_000_000n),
    newSize: null,
  } as const;
  expect(called.exchange.reads.book(1)).toBe(before);
  call(called, moved, { ...at, nonce: BigInt(START_MS + 2) });
  expect(called.exchange.reads.book(1)).not.toEqual(before);
});

test("a nonce below the last hundred, and a chain that has ended, are refused alike", async () => {
  const { told, called } = openBoth({ throttle: { requestsPerSecond: 0, actionBudget: 0 } });
  const usual = { signer: ownerOf(ALICE), chainId: CHAIN_ID, timestampSec: START_MS / 1000 };
  async function codeOf(at: number): Promise<string> {
    const sealing = { ...usual, nonce: BigInt(START_MS + at) };
    const answer = call(called, order(), sealing);
    expect(said(answerReply(answer))).toEqual(said(await post(told, bodyOf(order(), sealing))));
    return answer.kind === "executed" ? "executed" : answer.code;
  }
  for (let at = 1; at <= 100; at += 1) await codeOf(at);
  expect(await codeOf(0)).toBe("NONCE_STALE");
  for (const { exchange } of [told, called]) await exchange.close();
  expect(await codeOf(101)).toBe("STOPPED");
});
