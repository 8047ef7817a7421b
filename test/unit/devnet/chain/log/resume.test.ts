// A chain on a disk: killed at any byte and opened again, it stands where it stood, with the same root. What was answered is
// there, and nothing else.

import { describe, expect, test } from "vitest";
import { createHistory } from "../../../../../src/devnet/api/routes/history.ts";
import type { Block } from "../../../../../src/devnet/chain/block.ts";
import type { Chain, ChainModules, ChainOptions } from "../../../../../src/devnet/chain/chain.ts";
import { LOG_VERSION } from "../../../../../src/devnet/chain/genesis.ts";
import { StoreError } from "../../../../../src/devnet/chain/log/disk.ts";
import { verifyChain } from "../../../../../src/devnet/chain/log/verify.ts";
import type { Crowd, PrintSource } from "../../../../../src/devnet/chain/sources.ts";
import type { DevnetConfig } from "../../../../../src/devnet/config/config.ts";
import { accountId, nonce, price, usdc } from "../../../../../src/domain/units.ts";
import { sha256Hex } from "../../../../../src/kernel/hash.ts";
import { encodeRequest } from "../../../../../src/wire/envelope.ts";
import { encodeTransaction } from "../../../../../src/wire/transaction.ts";
import { createMemoryDisk, type MemoryDisk } from "../memory-disk.ts";
import {
  ALICE,
  ALICE_SUB,
  alice,
  BLOCK_MS,
  BOB,
  bob,
  config,
  foreignKey,
  inOneBlock,
  openChain,
  order,
  START_MS,
  seal,
  verifier,
} from "../set-up.ts";

const LOG = "blocks.log";
const CROWD = accountId(900n);

/** A print each third block. */
const prints: PrintSource = {
  printsDue: (height) =>
    height % 3 === 0
      ? [{ marketId: 1, price: price(20_000_000_000n + BigInt(height) * 1_000_000n), validForMs: 5000 }]
      : [],
};

/** Sells into the best bid each second block: what it does follows from height and reads alone. */
const crowd: Crowd = {
  accounts: [{ ...config.accounts[0]!, accountId: CROWD, owner: "ee".repeat(32), agents: [] }],
  act(height, _logicalMs, reads) {
    const bid = reads.book(1)?.bids[0];
    if (height % 2 === 1 || bid === undefined) return [];
    return [
      {
        accountId: CROWD,
        transaction: order({ accountId: CROWD, side: "sell", price: bid.price, size: bid.size, timeInForce: "IOC" }),
      },
    ];
  },
};

const SNAPSHOT_EVERY_BYTES = 4000;

function open(
  disk: MemoryDisk | undefined,
  options: Partial<ChainOptions> = {},
  modules: Partial<ChainModules> = {},
): Chain {
  const kept = disk === undefined ? {} : { disk };
  return openChain({ snapshotEveryBytes: SNAPSHOT_EVERY_BYTES, ...options }, { prints, crowd, ...kept, ...modules });
}

/** What happens in block `height`: orders, refusals, control acts, a hosted transfer, a withdrawal, stakes and vaults in turn. */
async function makeBlock(chain: Chain, height: number): Promise<Block> {
  const used = BigInt(START_MS + height * BLOCK_MS);
  const timestampSec = Math.floor((START_MS + height * BLOCK_MS) / 1000);
  const at = (offset: number) => ({ nonce: used + BigInt(offset), timestampSec });
  const bodies = [
    seal(order({ price: price(19_900_000_000n + BigInt(height % 7) * 1_000_000n) }), at(0)),
    seal(order({ accountId: BOB, side: "sell", price: price(20_100_000_000n) }), { ...at(0), signer: bob }),
    seal(order({ marketId: 9 }), at(1)),
  ];
  if (height % 4 === 0) bodies.push(seal({ type: "CancelAllOrders", marketId: null }, at(2)));
  if (height % 5 === 0) {
    bodies.push(
      seal(
        { type: "RequestWithdrawal", accountId: ALICE, tokenId: 0, amount: 7n, destination: "w" },
        { ...at(3), signer: alice },
      ),
    );
    bodies.push(
      seal(
        { type: "DelegateStake", accountId: ALICE, validator: "validator-1", amount: 3n },
        { ...at(4), signer: alice },
      ),
    );
  }
  if (height === 6)
    bodies.push(seal({ type: "CreateVault", accountId: BOB, name: "v", amount: 50n }, { ...at(5), signer: bob }));
  if (height === 3) chain.control.bridgeDeposit(foreignKey.publicKey, usdc(9_000_000n));
  if (height === 7)
    bodies.push(
      seal({ type: "CreateFundedAccount", mode: "Cross", referredBy: ALICE }, { ...at(6), signer: foreignKey }),
    );
  if (height % 6 === 0) chain.control.deposit(BOB, usdc(BigInt(height)));
  const transfer = { type: "Transfer", fromAccountId: ALICE_SUB, toAccountId: BOB, tokenId: 0, amount: 2n } as const;
  const hosted = encodeRequest({ transactionText: encodeTransaction(transfer), nonce: nonce(used + 7n), timestampSec });
  const answer =
    height % 8 === 0 ? chain.submitHosted({ kind: "apiKey", owner: alice.publicKey }, Buffer.from(hosted)) : undefined;
  await inOneBlock(chain, bodies);
  expect((await answer)?.kind ?? "executed").toBe("executed");
  chain.audit();
  return chain.head();
}

async function makeBlocks(chain: Chain, from: number, to: number): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  for (let height = from; height <= to; height += 1) blocks.push(await makeBlock(chain, height));
  return blocks;
}

const BLOCKS = 30;

/** The bodies of a line of transactions. */
const bodiesIn = (line: string): readonly string[] => JSON.parse(line.slice(line.indexOf("{"))).bodies ?? [];

/** Blocks that were finished, and the transactions of the one that was open: undefined when none was. */
function whatIsLogged(disk: MemoryDisk): readonly [number, number | undefined] {
  const lines = disk.files.get(LOG)!.toString().split("\n").slice(0, -1);
  const isOf = (kind: string) => (line: string) => line.includes(`{"kind":"${kind}"`);
  const begun = lines.findLastIndex(isOf("begin"));
  const isOpen = begun > lines.findLastIndex(isOf("end"));
  return [lines.filter(isOf("end")).length, isOpen ? lines.slice(begun).flatMap(bodiesIn).length : undefined];
}

describe("a chain on a disk", () => {
  test("makes the blocks that one in memory makes", async () => {
    const [kept, lost] = [open(createMemoryDisk()), open(undefined)];
    expect(await makeBlocks(kept, 1, BLOCKS)).toEqual(await makeBlocks(lost, 1, BLOCKS));
  });

  test("closed and opened again, it goes on as if it had never stopped", async () => {
    const whole = await makeBlocks(open(undefined), 1, BLOCKS);
    const disk = createMemoryDisk();
    const first = open(disk);
    await makeBlocks(first, 1, 7);
    await first.close();
    expect(disk.isClosed()).toBe(true);
    const second = open(createMemoryDisk(disk.files));
    expect(second.head()).toEqual(whole[6]);
    const rest = await makeBlocks(second, 8, BLOCKS);
    expect(rest).toEqual(whole.slice(7));
  });

  test("killed 80 times, at any byte of its log, it stands after the last whole line, within the block that was open", async () => {
    const disk = createMemoryDisk();
    const blocks = await makeBlocks(open(disk), 1, BLOCKS);
    const size = disk.size(LOG);
    const genesisBytes = disk.files.get(LOG)!.indexOf("\n") + 1;
    for (let kill = 0; kill < 80; kill += 1) {
      const lost = Math.floor(((size - genesisBytes) * kill) / 79);
      const crashed = disk.crashed(LOG, lost);
      const [finished, left] = whatIsLogged(crashed);
      const chain = open(crashed);
      expect(chain.reads.block(finished)?.hash).toBe(blocks[finished - 1]?.hash);
      expect(chain.head().height).toBe(left === undefined ? finished : finished + 1);
      if (left !== undefined) expect(chain.head().transactions).toEqual(blocks[finished]?.transactions.slice(0, left));
      chain.audit();
    }
  });

  test("killed again and again as it goes, what it made verifies", async () => {
    let disk = createMemoryDisk();
    let chain = open(disk);
    let kills = 0;
    while (chain.head().height < 30) {
      await makeBlock(chain, chain.head().height + 1);
      kills += 1;
      disk = disk.crashed(LOG, kills % 3 === 0 ? 0 : (kills * 37) % 900);
      chain = open(disk);
      expect(kills).toBeLessThan(200);
    }
    expect(verifyChain(createMemoryDisk(disk.files), verifier).height).toBe(30);
  });

  test("a log cut within its first line starts over, and an unreadable snapshot is passed over", async () => {
    const disk = createMemoryDisk();
    const blocks = await makeBlocks(open(disk), 1, 10);
    const snapshots = [...disk.files.keys()].filter((name) => name.startsWith("snapshot-"));
    expect(snapshots.length).toBeGreaterThan(0);
    for (const name of snapshots) {
      const broken = disk.crashed(name, 3);
      expect(open(broken).head()).toEqual(blocks[9]);
    }
    for (const name of snapshots) disk.remove(name);
    expect(open(disk).head()).toEqual(blocks[9]);
    expect(open(disk.crashed(LOG, disk.size(LOG) - 100)).head().height).toBe(0);
  });

  test("reads for people are there again: trades and transfers of before", async () => {
    const disk = createMemoryDisk();
    const before = open(disk);
    await makeBlocks(before, 1, 20);
    const after = open(disk.crashed(LOG, 0));
    expect(after.reads.trades(1, 500)).toEqual(before.reads.trades(1, 500));
    expect(after.reads.trades(1, 500)?.length).toBeGreaterThan(0);
    expect(after.reads.transfers(alice.publicKey, null)).toEqual(before.reads.transfers(alice.publicKey, null));
    expect(after.reads.transfers(alice.publicKey, null)?.items.length).toBeGreaterThan(0);
    for (const id of [ALICE, ALICE_SUB, BOB, CROWD]) expect(after.reads.account(id)).toEqual(before.reads.account(id));
    expect(after.reads.withdrawals(ALICE)).toEqual(before.reads.withdrawals(ALICE));
    expect(after.reads.book(1)).toEqual(before.reads.book(1));
  });

  test("another configuration is refused with what differs, credentials aside", async () => {
    const disk = createMemoryDisk();
    await makeBlocks(open(disk), 1, 2);
    const reopened = (change: Partial<typeof config>) => () =>
      open(disk.crashed(LOG, 0), { config: { ...config, ...change } });
    expect(reopened({ chainId: "other", seed: 8n })).toThrow(/another configuration: chainId, seed/);
    expect(reopened({ accounts: config.accounts.slice(1, 2) })).toThrow(StoreError);
    expect(reopened({ apiKeys: [], sessions: [], users: [] })().head().height).toBe(2);
    expect(() => open(disk.crashed(LOG, 0), {}, { crowd: { ...crowd, accounts: [] } })).toThrow(
      /accounts of the crowd/,
    );
  });

  test("no credential is written", async () => {
    const disk = createMemoryDisk();
    const chain = open(disk);
    await makeBlocks(chain, 1, 10);
    await chain.close();
    for (const content of disk.files.values()) expect(content.toString()).not.toContain("secret");
  });

  test("a byte changed in the middle of the log is damage, not a crash", async () => {
    const disk = createMemoryDisk();
    await makeBlocks(open(disk), 1, 3);
    const broken = disk.crashed(LOG, 0);
    const bytes = broken.files.get(LOG)!;
    const at = bytes.indexOf('"height":2') + 9;
    bytes[at] = "3".charCodeAt(0);
    for (const name of broken.names()) if (name !== LOG) broken.remove(name);
    expect(() => open(broken)).toThrow(/damaged at byte/);
  });
});

describe("an answer under the real clock", () => {
  const real: DevnetConfig = { ...config, clock: { mode: "real" } };
  const openReal = (disk: MemoryDisk, modules: Partial<ChainModules> = {}) =>
    openChain({ config: real }, { disk, ...modules });
  const at = (offset: number) => ({ nonce: BigInt(START_MS + offset) });

  /** Each answered before the block ends. */
  const acts: readonly (readonly [string, (chain: Chain) => Promise<unknown>])[] = [
    ["an order", (chain) => chain.submit(seal(order(), at(1)))],
    ["a fill", (chain) => chain.submit(seal(order({ accountId: BOB, side: "sell" }), { ...at(1), signer: bob }))],
    ["a refusal", (chain) => chain.submit(seal(order({ marketId: 9 }), at(2)))],
    ["a cancellation", (chain) => chain.submit(seal({ type: "CancelAllOrders", marketId: null }, at(3)))],
    ["a deposit", async (chain) => chain.control.deposit(BOB, usdc(5n))],
    [
      "a hosted transfer",
      (chain) => {
        const transfer = {
          type: "Transfer",
          fromAccountId: ALICE_SUB,
          toAccountId: BOB,
          tokenId: 0,
          amount: 2n,
        } as const;
        const asked = { transactionText: encodeTransaction(transfer), nonce: nonce(BigInt(START_MS + 7)) };
        const body = encodeRequest({ ...asked, timestampSec: START_MS / 1000 });
        return chain.submitHosted({ kind: "apiKey", owner: alice.publicKey }, Buffer.from(body));
      },
    ],
  ];

  test("survives a kill right after it, and the block comes out as the one that was open", async () => {
    const disk = createMemoryDisk();
    const livedHistory = createHistory(new Set());
    const lived = openReal(disk, { indexes: [livedHistory] });
    for (const [what, act] of acts) {
      await act(lived);
      const history = createHistory(new Set());
      const again = openReal(disk.crashed(LOG, 0), { indexes: [history] });
      for (const id of [ALICE, ALICE_SUB, BOB]) {
        expect(again.reads.account(id), what).toEqual(lived.reads.account(id));
        expect(history.fills(id), what).toEqual(livedHistory.fills(id));
        expect(history.orders(id), what).toEqual(livedHistory.orders(id));
      }
      expect(again.reads.book(1), what).toEqual(lived.reads.book(1));
      expect(again.reads.trades(1, 10), what).toEqual(lived.reads.trades(1, 10));
      again.audit();
    }
    const copy = disk.crashed(LOG, 0);
    const again = openReal(copy);
    for (const [body, code] of [
      [seal(order(), at(1)), "NONCE_REUSED"],
      [seal(order({ marketId: 9 }), at(2)), "NONCE_REUSED"],
    ] as const) {
      expect(await again.submit(body)).toMatchObject({ kind: "rejected", code });
    }
    await lived.close();
    expect(again.reads.block(1)).toEqual(lived.reads.block(1));
    expect(again.reads.block(1)?.transactions).toHaveLength(5);
    await again.close();
    expect(verifyChain(createMemoryDisk(copy.files), verifier).transactions).toBe(5);
  });

  test("is a 503 while the disk is full; reads go on, and so does the chain when there is room", async () => {
    const disk = createMemoryDisk();
    const told: string[] = [];
    let tick: () => void = () => undefined;
    const every = (_ms: number, run: () => void) => {
      tick = run;
      return { cancel: () => undefined };
    };
    const clock = { wallMs: () => START_MS, monotonicMs: () => 0, after: every, every };
    const chain = openReal(disk, { clock, log: (message) => void told.push(message) });
    await chain.submit(seal(order(), at(1)));
    const before = chain.reads.account(ALICE);
    disk.setFull(true);
    const refused = { kind: "rejected", httpStatus: 503, code: "UNWRITABLE" };
    expect(await chain.submit(seal(order(), at(2)))).toMatchObject(refused);
    for (const [, act] of acts.slice(-1)) expect(await act(chain)).toMatchObject(refused);
    expect(chain.control.deposit(ALICE, usdc(5n))).toMatchObject({ status: "failed", code: "UNWRITABLE" });
    tick();
    tick();
    expect(chain.head().height).toBe(0);
    expect(chain.reads.account(ALICE)).toEqual(before);
    expect(told).toEqual([expect.stringMatching(/disk is full: transactions are refused until/)]);
    disk.setFull(false);
    tick();
    expect(await chain.submit(seal(order(), at(2)))).toMatchObject({ kind: "executed" });
    expect(chain.head().height).toBe(1);
    expect(told).toHaveLength(2);
    await chain.close();
    expect(verifyChain(createMemoryDisk(disk.files), verifier)).toMatchObject({ transactions: 2, blocks: 2 });
  });

  test("closing a chain whose disk is full is an error after everything is closed", async () => {
    const disk = createMemoryDisk();
    const chain = openReal(disk);
    await chain.submit(seal(order(), at(1)));
    disk.setFull(true);
    await expect(chain.close()).rejects.toThrow(StoreError);
    expect(disk.isClosed()).toBe(true);
    expect(openReal(createMemoryDisk(disk.files)).reads.account(ALICE)?.openOrders).toHaveLength(1);
  });

  test("with a manual clock a full disk refuses the block and what waits for it", async () => {
    const disk = createMemoryDisk();
    const chain = open(disk);
    const waiting = chain.submit(seal(order()));
    disk.setFull(true);
    await expect(chain.advance(BLOCK_MS)).rejects.toThrow(StoreError);
    expect(await waiting).toMatchObject({ httpStatus: 503, code: "UNWRITABLE" });
    disk.setFull(false);
    expect((await chain.advance(BLOCK_MS)).height).toBe(1);
  });
});

test("the explorer's blocks are there again, those before the snapshot too", async () => {
  const disk = createMemoryDisk();
  const before = open(disk);
  const blocks = await makeBlocks(before, 1, BLOCKS);
  expect(disk.names().some((name) => name.startsWith("snapshot-"))).toBe(true);
  const after = open(disk.crashed(LOG, 0));
  expect(after.reads.blocks(100)).toEqual(blocks.toReversed());
  expect(after.reads.block(1)).toEqual(blocks[0]);
});

test("a chain of another log version is refused with what to do", async () => {
  const disk = createMemoryDisk();
  open(disk);
  const [, genesis = ""] = /^\w+ (.*)$/m.exec(disk.files.get(LOG)!.toString()) ?? [];
  const older = genesis.replace(`"version":${LOG_VERSION}`, '"version":1');
  expect(older).not.toBe(genesis);
  const line = `${sha256Hex(older).slice(0, 16)} ${older}\n`;
  expect(() => open(createMemoryDisk(new Map([[LOG, Buffer.from(line)]])))).toThrow(/version 1.*new folder/);
});

describe("verification", () => {
  test("replays from genesis with every signature, to the same roots and states", async () => {
    const disk = createMemoryDisk();
    const chain = open(disk);
    await makeBlocks(chain, 1, BLOCKS);
    await chain.close();
    const report = verifyChain(createMemoryDisk(disk.files), verifier);
    const { height, stateRoot } = chain.head();
    expect(report).toMatchObject({ chainId: config.chainId, height, stateRoot, blocks: BLOCKS });
    expect(report.transactions).toBeGreaterThan(3 * BLOCKS);
    expect(report.snapshots).toBeGreaterThan(3);
  });

  test("holds for a chain that was killed and resumed many times", async () => {
    let disk = createMemoryDisk();
    for (let height = 1; height <= BLOCKS; height += 1) {
      await makeBlock(open(disk), height);
      disk = disk.crashed(LOG, 0);
    }
    expect(verifyChain(disk, verifier)).toMatchObject({ height: BLOCKS });
  });

  test("finds a transaction that nobody signed, although its line is well made", async () => {
    const disk = createMemoryDisk();
    const forger = open(disk, {}, { verifier: { verify: () => true } });
    const forged = Buffer.from(seal(order(), { nonce: BigInt(START_MS + 1) }))
      .toString()
      .replace('"size":1000000', '"size":1000001');
    await inOneBlock(forger, [Buffer.from(forged)]);
    expect(() => verifyChain(createMemoryDisk(disk.files), verifier)).toThrow(/signature/);
  });

  test("an empty directory holds no chain", () => {
    expect(() => verifyChain(createMemoryDisk(), verifier)).toThrow(StoreError);
  });
});
