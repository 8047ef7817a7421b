// Laws over random days of an exchange: the same story gives the same roots, the books balance after every block, and a chain
// that is stopped and resumed at any block is the same to the last bit of its state.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Chain } from "../../../../src/devnet/chain/chain.ts";
import { verifyChain } from "../../../../src/devnet/chain/log/verify.ts";
import { price, usdc } from "../../../../src/domain/units.ts";
import { keyedHashVerifier } from "../../../../src/wire/signing-simulated.ts";
import { createMemoryDisk } from "./memory-disk.ts";
import { inOneBlock, openChain, seal } from "./set-up.ts";
import { accounts, type Block, lively, ownerOf, story } from "./story.ts";

const LOG = "blocks.log";

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
    { numRuns: 15 },
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
    { numRuns: 15 },
  );
});
