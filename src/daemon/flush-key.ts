// Ensures that no transaction signed with a key before can still execute when we do not know what was signed: the ledger is lost, or
// another node held it.

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
  /** Whether the fence must not cancel this resting order. */
  readonly stays: (order: Order) => boolean;
  /** True stops the fence, which then proves nothing. */
  readonly isOver: () => boolean;
};

export type FlushKeyModules = {
  readonly clock: Clock;
  readonly venue: Venue;
  /** Stores the fence's nonces: the next signer of the key starts above them. */
  readonly ledger: LedgerEngine;
};

/** More than a wrong clock, or cancels and reductions sent beyond the reservation, can be ahead of chain time. */
const AHEAD_MS = 6000;

/**
 * Returns whether it is proven that nothing older can execute. False also without a fence: the account's request budget does not cover one,
 * every market holds an order that must stay, or the exchange does not answer. Throws what the ledger throws.
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

/** A market without an order that must stay. Undefined: there is none, or the exchange did not answer. */
async function freeMarket({ quoted, stays }: FlushedKey, { reads }: Venue): Promise<MarketId | undefined> {
  const account = await reads.account(quoted.accountId).catch(() => undefined);
  if (account === undefined) return undefined;
  const foreign = [...account.openOrders.filter(stays), ...account.unreadable].map(({ marketId }) => marketId);
  // An order whose market is unknown may rest in any of them.
  if (foreign.includes(null)) return undefined;
  const [first] = quoted.markets;
  if (first !== undefined && !foreign.includes(first.marketId)) return first.marketId;
  const listed = await reads.marketIds().catch(() => []);
  return listed.find((marketId) => !foreign.includes(marketId));
}

/** Above every nonce that the key has reserved or can have used by now. Undefined: the exchange did not answer with its time. */
async function nonceAbove({ fingerprint }: AgentKey, { venue, ledger }: FlushKeyModules): Promise<bigint | undefined> {
  const node = await venue.reads.node().catch(() => undefined);
  if (node === undefined) return undefined;
  const ahead = BigInt(node.blockTimestampSec * 1000 + AHEAD_MS);
  const reserved = ledger.read.reservation(fingerprint) ?? 0n;
  return reserved > ahead ? reserved : ahead;
}
