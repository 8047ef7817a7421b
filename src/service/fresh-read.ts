// Waiting for the exchange to have told what it knows now: blocks that passed, then an account read that left after them.

import type { AccountId } from "../domain/units.ts";
import type { FeedState } from "../feed/state.ts";
import { type Clock, sleep } from "../kernel/clock.ts";
import type { VenueReads } from "../venue/port.ts";

const POLL_MS = 50;

export type FreshReadModules = {
  readonly state: FeedState;
  readonly reads: VenueReads;
  readonly clock: Clock;
  /** Reads the account and folds it. Rejects when that failed. */
  readonly readAccount: (account: AccountId) => Promise<void>;
};

/** Resolves when orders and positions were read and folded from a state at least `blocks` blocks from now. Rejects when a read failed. */
export async function readAfterBlocks(account: AccountId, blocks: number, modules: FreshReadModules): Promise<void> {
  const { state, reads, clock, readAccount } = modules;
  const { blockHeight } = await reads.node();
  const wanted = blockHeight + blocks;
  let height = blockHeight;
  while (height < wanted) {
    await sleep(clock, POLL_MS);
    height = state.chain.height >= wanted ? state.chain.height : (await reads.node()).blockHeight;
  }
  await readAccount(account);
}
