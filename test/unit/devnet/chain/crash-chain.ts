// What a process runs that is about to be killed: it resumes the chain of a folder, makes blocks, tells the height after so many,
// and goes on.

import { openDisk } from "../../../../src/devnet/chain/log/store.ts";
import { macrotask } from "../../../../src/kernel/clock.ts";
import { BLOCK_MS, BOB, bob, inOneBlock, openChain, order, seal } from "./set-up.ts";

/** Never ends on its own. */
export async function makeBlocksForever(folder: string, blocksBeforeTelling: number): Promise<void> {
  const chain = openChain({ snapshotEveryBytes: 50_000 }, { disk: openDisk(folder) });
  for (let made = 1; ; made += 1) {
    const used = chain.timeMs() + BLOCK_MS;
    const options = { nonce: BigInt(used), timestampSec: Math.floor(used / 1000) };
    await inOneBlock(chain, [
      seal(order(), options),
      seal(order({ accountId: BOB, side: "sell", timeInForce: "IOC" }), { ...options, signer: bob }),
    ]);
    if (made === blocksBeforeTelling) process.stdout.write(String(chain.head().height));
    await macrotask();
  }
}
