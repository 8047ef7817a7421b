// What comes before the bot where an account is taken over: the book is cleared of what the holder before left resting, and what nobody answered
// it is made impossible or counted.

import type { BotConfig, QuotedAccount } from "../../bot/config/config.ts";
import type { AgentKey } from "../../bot/execution/agent-key.ts";
import { locklessCancel } from "../../bot/execution/lockless-cancel.ts";
import { forgetAllowance, type Registered, registerAllowance } from "../../bot/fleet/allowances.ts";
import type { Database } from "../../bot/fleet/database.ts";
import type { Start } from "../../bot/fleet/node.ts";
import type { LedgerEngine } from "../../bot/ledger/store.ts";
import { StartError } from "../../bot/service/lifecycle/start-error.ts";
import type { Log } from "../../bot/telemetry/log.ts";
import type { Venue } from "../../bot/venue/port.ts";
import type { Allowance, Allowances, EarlierHolder } from "../../domain/allowance.ts";
import { type MarketId, type OrderId, size } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { flushKey } from "../flush-key.ts";

export type Takeover = {
  readonly config: BotConfig;
  readonly quoted: QuotedAccount;
  readonly start: Start;
  readonly agentKey: AgentKey;
  /** Of other nodes: used for nothing but a flush fence. */
  readonly fenceKeys: readonly AgentKey[];
};

export type TakeoverModules = {
  readonly clock: Clock;
  readonly log: Log;
  readonly venue: Venue;
  readonly database: Database;
  /** What it commits goes to the database too. */
  readonly ledger: LedgerEngine;
};

/** Places in one market at once; a strategy with more levels waits for answers. */
const ORDERS = 16;
/** Of the largest position: the next holder's quotes are smaller by as much until none of it can land. */
const POSITION_PARTS = 4n;
const NOTHING: Allowances = new Map();

/** What a node may have unanswered in each market of the account; the same on every node, for its limits are. */
export const allowancesOf = ({ markets }: Pick<QuotedAccount, "markets">): Allowances =>
  new Map(
    markets.map(({ marketId, limits: { maxOrderSize, maxPosition } }): [MarketId, Allowance] => {
      const part = maxPosition / POSITION_PARTS;
      return [marketId, { orders: ORDERS, contracts: size(part > maxOrderSize ? part : maxOrderSize) }];
    }),
  );

/**
 * Registers this node's allowance, clears the book where the holder before did not, and fences what holders before may have sent. Resolves
 * with those of whom something may still land, cancels at least. Throws StartError and FleetError.
 */
export async function takeOver(takeover: Takeover, modules: TakeoverModules): Promise<readonly EarlierHolder[]> {
  const { config, quoted, start, agentKey } = takeover;
  const { clock, database } = modules;
  const own = { signer: agentKey.publicKey, allowances: allowancesOf(quoted) };
  const { landingBoundMs } = config.venue;
  const registered = await registerAllowance(database, start.taken, own, landingBoundMs);
  const registeredMs = clock.monotonicMs();
  if (!start.taken.isClean) await clearBook(takeover, modules);
  const holders: EarlierHolder[] = [];
  for (const before of registered) {
    // Cancels of ours whose answers were lost may land after a fence too: the holder stays known for them.
    const allowances = (await isFlushed(before, takeover, modules)) ? NOTHING : before.allowances;
    holders.push({ allowances, untilMs: registeredMs + landingBoundMs - before.agoMs });
  }
  return holders;
}

/** What the holder before left resting goes, before anything else is sent. Throws StartError where the exchange does not confirm it. */
async function clearBook(
  { config, quoted, start, agentKey }: Takeover,
  { clock, venue, ledger }: TakeoverModules,
): Promise<void> {
  const { accountId, foreignOrders, markets } = quoted;
  const { openOrders, unreadable } = await venue.reads.account(accountId);
  const known = new Set(ledger.read.knownOrders(accountId, Number.MAX_SAFE_INTEGER).map(({ orderId }) => orderId));
  // As at a start with a ledger that is new: plain orders in our markets are ours, what protects a position of the owner's is not.
  const isOwners = (order: (typeof openOrders)[number]): boolean =>
    order.triggerPrice !== null || order.reduceOnly || !markets.some(({ marketId }) => marketId === order.marketId);
  const stays = ({ orderId }: { readonly orderId: OrderId }): boolean =>
    foreignOrders === "keep" && !known.has(orderId);
  const named = unreadable.flatMap(({ orderId }) => (orderId === null ? [] : { orderId }));
  const keep = [...openOrders.filter(isOwners), ...named].filter(stays);
  const { confirmed } = await locklessCancel(
    {
      accountId,
      chainId: config.venue.chainId,
      readLagMaxMs: config.venue.readLagMaxMs,
      // The start that follows knows the orders of the ledger, and reads again.
      listsAfterMs: 0,
      agentKey,
      keep: new Set<OrderId>(keep.map(({ orderId }) => orderId)),
      begin: "cancelAll",
      isOver: () => start.lost() !== undefined,
    },
    { clock, venue },
  );
  if (!confirmed) throw new StartError("failed", `account ${accountId}: the orders of its last holder may still rest`);
}

/** True: with a key that we hold too it was proven that nothing of this holder can land. Throws FleetError. */
async function isFlushed(before: Registered, takeover: Takeover, modules: TakeoverModules): Promise<boolean> {
  const { config, quoted, start } = takeover;
  const { database, log } = modules;
  const key = [takeover.agentKey, ...takeover.fenceKeys].find(({ publicKey }) => publicKey === before.signer);
  if (key === undefined) return false;
  const isOver = () => start.lost() !== undefined;
  const { chainId } = config.venue;
  // Ours are gone: what rests is the owner's.
  const isProven = await flushKey({ chainId, quoted, key, stays: () => true, isOver }, modules);
  const { account } = start.taken;
  const facts = { event: "fleet.flushFence", account, epoch: before.epoch, key: key.fingerprint };
  if (isProven) {
    await forgetAllowance(database.ask, { account, epoch: before.epoch });
    log.info(facts, `account ${account}: nothing that epoch ${before.epoch} sent can still execute`);
  } else
    log.warn(facts, `account ${account}: what epoch ${before.epoch} sent may still execute: the fence was not proven`);
  return isProven;
}
