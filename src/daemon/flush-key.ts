// Makes it impossible that anything a key has signed before still lands, where nobody knows what that was: the ledger is lost, or was another
// node's.

import type { QuotedAccount } from "../bot/config/config.ts";
import type { AgentKey } from "../bot/execution/agent-key.ts";
import { coversFlush, FLUSH_NONCES, flushFence } from "../bot/execution/flush-fence.ts";
import type { LedgerEngine } from "../bot/ledger/store.ts";
import type { Venue } from "../bot/venue/port.ts";
import type { Order } from "../domain/order.ts";
import { type MarketId, nonce } from "../domain/units.ts";
import type { Clock } from "../kernel/clock.ts";

export type FlushedKey = {
  readonly chainId: string;
  readonly quoted: Pick<QuotedAccount, "accountId" | "markets">;
  readonly key: AgentKey;
  /** Whether the fence must leave an order that rests. */
  readonly stays: (order: Order) => boolean;
  /** True ends it: it proves nothing then. */
  readonly isOver: () => boolean;
};

export type FlushKeyModules = {
  readonly clock: Clock;
  readonly venue: Venue;
  /** Remembers the fence's nonces: whoever signs with the key next begins above them. */
  readonly ledger: LedgerEngine;
};

/** A wrong clock, and what was sent beyond the reservation (cancels and reductions alone), are behind by less. */
const AHEAD_MS = 6000;

/**
 * True: it is proven. False: it is not, or there is no fence: the account's budget of requests does not cover it, something that must stay
 * rests in every market, or the exchange does not answer. Throws what the ledger throws.
 */
export async function flushKey(flushed: FlushedKey, modules: FlushKeyModules): Promise<boolean> {
  const { chainId, quoted, key, isOver } = flushed;
  const { venue, ledger } = modules;
  if (!(await coversFlush(quoted.accountId, modules))) return false;
  const [marketId, above] = await Promise.all([freeMarket(flushed, venue), nonceAbove(key, modules)]);
  if (marketId === undefined || above === undefined) return false;
  ledger.begin();
  ledger.apply({ kind: "reservation", signer: key.fingerprint, until: nonce(above + FLUSH_NONCES) });
  ledger.commit();
  await ledger.sync();
  return flushFence({ chainId, agentKey: key, above: nonce(above), marketId }, isOver, modules);
}

/** Undefined: there is none where nothing rests that must stay, or the exchange did not say. */
async function freeMarket({ quoted, stays }: FlushedKey, { reads }: Venue): Promise<MarketId | undefined> {
  const account = await reads.account(quoted.accountId).catch(() => undefined);
  if (account === undefined) return undefined;
  const foreign = [...account.openOrders.filter(stays), ...account.unreadable].map(({ marketId }) => marketId);
  // One of an unknown market may rest in any.
  if (foreign.includes(null)) return undefined;
  const [first] = quoted.markets;
  if (first !== undefined && !foreign.includes(first.marketId)) return first.marketId;
  const listed = await reads.marketIds().catch(() => []);
  return listed.find((marketId) => !foreign.includes(marketId));
}

/** Above what the key has reserved, and what it can have used by the time of now; undefined: the exchange did not say the time. */
async function nonceAbove({ fingerprint }: AgentKey, { venue, ledger }: FlushKeyModules): Promise<bigint | undefined> {
  const node = await venue.reads.node().catch(() => undefined);
  if (node === undefined) return undefined;
  const ahead = BigInt(node.blockTimestampSec * 1000 + AHEAD_MS);
  const reserved = ledger.read.reservation(fingerprint) ?? 0n;
  return reserved > ahead ? reserved : ahead;
}
