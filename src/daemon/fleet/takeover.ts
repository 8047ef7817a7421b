// Takes an account over from its last holder, before the bot starts: cancels the orders that the holder left resting, and fences or counts
// the transactions that it may have sent without an answer.

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
  /** Keys of other nodes, used only for a flush fence. */
  readonly fenceKeys: readonly AgentKey[];
};

export type TakeoverModules = {
  readonly clock: Clock;
  readonly log: Log;
  readonly venue: Venue;
  readonly database: Database;
  /** The database stores its commits too. */
  readonly ledger: LedgerEngine;
};

/** Orders that a node may have unanswered in one market. A strategy with more levels waits for answers. */
const ORDERS = 16;
/** This part of the largest position may be unanswered. The next holder quotes that much less until none of it can execute. */
const POSITION_PARTS = 4n;
const NOTHING: Allowances = new Map();

/** What a node may have unanswered in each market of the account. The same on every node, since the limits are. */
export const allowancesOf = ({ markets }: Pick<QuotedAccount, "markets">): Allowances =>
  new Map(
    markets.map(({ marketId, limits: { maxOrderSize, maxPosition } }): [MarketId, Allowance] => {
      const part = maxPosition / POSITION_PARTS;
      return [marketId, { orders: ORDERS, contracts: size(part > maxOrderSize ? part : maxOrderSize) }];
    }),
  );

/**
 * Registers this node's allowance, cancels what the last holder left resting, and fences what earlier holders may have sent. Resolves with
 * the holders whose transactions may still execute, if only cancels. Throws StartError and FleetError.
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
    // A cancel can execute even after a fence, so the holder stays listed, with nothing but cancels.
    const allowances = (await isFlushed(before, takeover, modules)) ? NOTHING : before.allowances;
    holders.push({ allowances, untilMs: registeredMs + landingBoundMs - before.agoMs });
  }
  return holders;
}

/** Cancels what the last holder left resting, before anything else is sent. Throws StartError when the exchange does not confirm it. */
async function clearBook(
  { config, quoted, start, agentKey }: Takeover,
  { clock, venue, ledger }: TakeoverModules,
): Promise<void> {
  const { accountId, foreignOrders, markets } = quoted;
  const { openOrders, unreadable } = await venue.reads.account(accountId);
  const known = new Set(ledger.read.knownOrders(accountId, Number.MAX_SAFE_INTEGER).map(({ orderId }) => orderId));
  // As at a start with an empty ledger: plain orders in our markets are ours; orders that protect the owner's position are not.
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
      // The start that follows reads the orders again.
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

/** Whether it is proven, with a key that this node holds too, that nothing from this holder can still execute. Throws FleetError. */
async function isFlushed(before: Registered, takeover: Takeover, modules: TakeoverModules): Promise<boolean> {
  const { config, quoted, start } = takeover;
  const { database, log } = modules;
  const key = [takeover.agentKey, ...takeover.fenceKeys].find(({ publicKey }) => publicKey === before.signer);
  if (key === undefined) return false;
  const isOver = () => start.lost() !== undefined;
  const { chainId } = config.venue;
  // Our own orders are canceled by now: what rests is the owner's.
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
