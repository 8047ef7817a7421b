// Waits until a read must show what the exchange knows now: some blocks pass, then an account read leaves. Only a read that fails is
// repeated, not the wait for the blocks.

import type { AccountId } from "../../../domain/units.ts";
import { type Clock, sleep } from "../../../kernel/clock.ts";
import { defaultHedge, hedged } from "../../../kernel/hedged.ts";
import type { FeedState } from "../../feed/state.ts";
import type { VenueReads } from "../../venue/port.ts";

/** The first look at the height, and the longest pause between two: each is half as long again as the one before. */
const POLL = { firstMs: 50, longestMs: 500, growth: 1.5 } as const;
/** Two blocks of the slowest chain whose clock is believed at all (`chainMs` of feed/ages.ts). */
const BLOCKS_MS_MAX = 30_000;

export type FreshReadModules = {
  readonly state: FeedState;
  readonly reads: Pick<VenueReads, "node">;
  readonly clock: Clock;
  /** Reads the account, asking again where no answer comes, and folds it. Rejects when that failed. */
  readonly readAccount: (account: AccountId) => Promise<unknown>;
};

/**
 * Resolves when orders and positions were read and folded from a state at least `blocks` blocks from now. Rejects when one
 * read failed again and again, or when the chain has not come that far in half a minute.
 */
export async function readAfterBlocks(account: AccountId, blocks: number, modules: FreshReadModules): Promise<void> {
  const { state, reads, clock, readAccount } = modules;
  const heightNow = async (): Promise<number> => (await hedged(() => reads.node(), defaultHedge, modules)).blockHeight;
  let height = await heightNow();
  const wanted = height + blocks;
  const deadlineMs = clock.monotonicMs() + BLOCKS_MS_MAX;
  for (let waitMs: number = POLL.firstMs; height < wanted; waitMs = Math.min(waitMs * POLL.growth, POLL.longestMs)) {
    if (clock.monotonicMs() >= deadlineMs) throw new Error(`the chain stands still at block ${height}`);
    await sleep(clock, waitMs);
    height = state.chain.height >= wanted ? state.chain.height : await heightNow();
  }
  await readAccount(account);
}
