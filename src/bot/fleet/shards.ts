// The rows that decide which node quotes which account. One statement takes an account, one renews all leases of a node and returns the
// fleet's news; every other write of an account names its epoch, and does nothing if that is not the newest.

import { fleetTiming } from "../timing.ts";
import { type Ask, CHANNEL, type Database, FleetError } from "./database.ts";

/** A node other than $2 that reports that it could quote. */
const OTHER_ABLE =
  "exists (select from quoin.nodes o where o.node <> $2 and o.seen_until > now() and o.unable is null and not o.is_draining)";

/** A node's name, and the process that uses it. */
export type Self = { readonly node: string; readonly instance: string; readonly leaseMs: number };

export type Taken = {
  readonly account: string;
  readonly epoch: number;
  /** The previous holder released it with no resting orders. */
  readonly isClean: boolean;
  /** Number of the fleet's last order that was carried out on it. */
  readonly ordersDone: number;
};

export type News = {
  /** Accounts whose lease was renewed. */
  readonly renewed: ReadonlySet<string>;
  /** Another process has this node's name. */
  readonly isReplaced: boolean;
  readonly isDraining: boolean;
  readonly config: string;
  /** The database's server; a different one may lack what the previous one confirmed. */
  readonly server: string;
  readonly orders: FleetOrders;
};

/** The last halt or resume, with a running number. */
export type FleetOrders = { readonly count: number; readonly haltReason: string | null; readonly reason: string };

export const shardStates = ["quoting", "taking", "draining", "free", "halted"] as const;
export type ShardState = (typeof shardStates)[number];

export type ShardLine = {
  readonly shard: string;
  readonly node: string | null;
  readonly epoch: number;
  readonly state: ShardState;
  /** Unix ms: start of its state. */
  readonly sinceMs: number;
  /** Time left in the lease; 0: no node holds it. */
  readonly leaseMs: number;
};

const LATER = "now() + make_interval(secs => $1::float8 / 1000)";

/** Resolves false while another process of that name may be alive. */
export async function register(ask: Ask, { node, instance, leaseMs }: Self, program: string): Promise<boolean> {
  const rows = await ask(
    `insert into quoin.nodes as n (node, instance, program, seen_until) values ($2, $3, $4, ${LATER})
     on conflict (node) do update
       set instance = excluded.instance, program = excluded.program, seen_until = excluded.seen_until, is_draining = false,
         unable = default
       where n.seen_until < now() or n.instance = excluded.instance
     returning node`,
    [leaseMs, node, instance, program],
  );
  return rows.length > 0;
}

/** Frees the name. */
export const unregister = (ask: Ask, { node, instance }: Self) =>
  ask("update quoin.nodes set seen_until = now() where node = $1 and instance = $2", [node, instance]);

/** Adds rows for accounts that are new to the fleet. */
export const nameShards = (ask: Ask, accounts: readonly string[]) =>
  ask(
    `insert into quoin.shards (account, orders_done)
     select a, case when f.halt_reason is null then f.orders else 0 end from unnest($1::text[]) a, quoin.fleet f
     on conflict do nothing`,
    [accounts],
  );

/** How long takeovers are listed. */
const TAKEOVER_DAYS = 30;

/**
 * Takes one free account, the one that has waited longest; undefined if there is none, or if this node could not quote and another could.
 */
export async function takeShard(
  ask: Ask,
  { node, instance, leaseMs }: Self,
  accounts: readonly string[],
  isAble: boolean,
): Promise<Taken | undefined> {
  const [row] = await ask(
    `with free as (
       select account, node is null and is_clean as is_clean, number_floor from quoin.shards, quoin.fleet
       where account = any($4::text[]) and (node is null or expires_at < now())
         and server_started = pg_postmaster_start_time()
         and server_since < now() - make_interval(secs => $1::float8 / 1000)
         and exists (select from quoin.nodes where node = $2 and instance = $3 and not is_draining)
         and ($5::boolean or not ${OTHER_ABLE})
       order by since limit 1 for update of shards skip locked),
     taken as (
       update quoin.shards s
         set node = $2, instance = $3, epoch = greatest(s.epoch + 1, number_floor), expires_at = ${LATER}, state = 'taking', since = now(), is_clean = false
         from free where s.account = free.account
         returning s.account, s.epoch, free.is_clean, s.orders_done),
     noted as (insert into quoin.takeovers (account, epoch, node, is_clean) select account, epoch, $2, is_clean from taken),
     forgotten as (delete from quoin.takeovers where at < now() - interval '${TAKEOVER_DAYS} days')
     select * from taken`,
    [leaseMs, node, instance, accounts, isAble],
  );
  if (row === undefined) return undefined;
  return {
    account: String(row.account),
    epoch: Number(row.epoch),
    isClean: row.is_clean === true,
    ordersDone: Number(row.orders_done),
  };
}

/**
 * One statement per round: keeps the node alive, renews its leases, and returns what is new. `unable`: why the node could not quote. An
 * ended lease is not renewed. A different server may lack what the previous one confirmed: then no node takes an account for the length of
 * a lease, so that holders missing in the rows have ended theirs, and numbers start above all that may have been assigned.
 */
export async function renew(
  ask: Ask,
  { node, instance, leaseMs }: Self,
  held: ReadonlyMap<string, number>,
  unable: string | null,
): Promise<News> {
  const [row] = await ask(
    `with turned as (
       update quoin.fleet set server_started = pg_postmaster_start_time(),
         server_since = case when server_started is null then server_since else now() end,
         number_floor = case when server_started is null then 0 else floor(extract(epoch from now())) end
       where server_started is distinct from pg_postmaster_start_time()),
     me as (
       update quoin.nodes set seen_until = ${LATER}, unable = $6 where node = $2 and instance = $3 returning is_draining),
     kept as (
       update quoin.shards s set expires_at = ${LATER}
       from unnest($4::text[], $5::bigint[]) h (account, epoch)
       where s.account = h.account and s.epoch = h.epoch and s.expires_at > now() returning s.account)
     select (select is_draining from me) as is_draining,
       (select coalesce(array_agg(account), '{}') from kept) as kept, f.config, f.halt_reason, f.order_reason, f.orders,
       pg_postmaster_start_time()::text as server
     from quoin.fleet f`,
    [leaseMs, node, instance, [...held.keys()], [...held.values()], unable],
  );
  if (row === undefined) throw new FleetError("schema", "the fleet's own row is gone");
  return {
    renewed: new Set(row.kept as string[]),
    isReplaced: row.is_draining === null,
    isDraining: row.is_draining === true,
    config: String(row.config),
    server: String(row.server),
    orders: {
      count: Number(row.orders),
      haltReason: row.halt_reason === null ? null : String(row.halt_reason),
      reason: String(row.order_reason),
    },
  };
}

/** Throws FleetError `refused` if the epoch is not the newest; the transaction is then discarded. */
export async function fence(ask: Ask, account: string, epoch: number): Promise<void> {
  const held = await ask("select from quoin.shards where account = $1 and epoch = $2 for share", [account, epoch]);
  if (held.length === 0) throw new FleetError("refused", `epoch ${epoch} of account ${account} is not the newest`);
}

export async function setState(
  ask: Ask,
  { account, epoch }: Pick<Taken, "account" | "epoch">,
  { state, ordersDone }: { readonly state: ShardState; readonly ordersDone: number },
): Promise<void> {
  const rows = await ask(
    `update quoin.shards
       set since = case when state = $3 then since else now() end, state = $3, orders_done = greatest(orders_done, $4)
       where account = $1 and epoch = $2 returning account`,
    [account, epoch, state, ordersDone],
  );
  if (rows.length === 0) throw new FleetError("refused", `epoch ${epoch} of account ${account} is not the newest`);
}

/**
 * Which of the accounts that this node holds but could not quote it must release now: none unless another node could quote, and none twice
 * within `yieldEveryMs`.
 */
export async function yieldable(
  ask: Ask,
  { node }: Self,
  held: ReadonlyMap<string, number>,
): Promise<ReadonlySet<string>> {
  const rows = await ask(
    `with chosen as (
       select s.account from quoin.shards s join unnest($3::text[], $4::bigint[]) h (account, epoch) using (account, epoch)
       where s.node = $2 and (s.yielded_at is null or s.yielded_at < now() - make_interval(secs => $1::float8 / 1000)) and ${OTHER_ABLE}
       order by s.since limit ${fleetTiming.yieldsMax})
     update quoin.shards s set yielded_at = now() from chosen where s.account = chosen.account returning s.account`,
    [fleetTiming.yieldEveryMs, node, [...held.keys()], [...held.values()]],
  );
  return new Set(rows.map(({ account }) => String(account)));
}

/**
 * Releases the account. `isClean`: the exchange confirmed that no order of ours rests, whoever placed it, so nothing that this epoch sent
 * can execute; otherwise its allowance stays. Nodes are notified and take it at once.
 */
export const giveUp = (ask: Ask, { account, epoch }: Pick<Taken, "account" | "epoch">, isClean: boolean) =>
  ask(
    `with answered as (delete from quoin.allowances where account = $1 and epoch = $2 and $3),
     freed as (
       update quoin.shards
         set node = null, instance = null, expires_at = null, state = 'free', since = now(), is_clean = $3
         where account = $1 and epoch = $2 returning account)
     select pg_notify($4, '') from freed`,
    [account, epoch, isClean, CHANNEL],
  );

/** Notifies all nodes. */
export const order = (database: Database, haltReason: string | null, reason: string) =>
  database.inTransaction(async (ask) => {
    await ask(
      "update quoin.fleet set halt_reason = $1, order_reason = $2, order_at = now(), orders = greatest(orders + 1, number_floor)",
      [haltReason, reason],
    );
    await ask(`notify ${CHANNEL}`);
  });

/** Resolves false if no node of that name is alive. The node takes no more accounts and releases its own. */
export const drain = (database: Database, node: string): Promise<boolean> =>
  database.inTransaction(async (ask) => {
    const rows = await ask(
      "update quoin.nodes set is_draining = true where node = $1 and seen_until > now() returning node",
      [node],
    );
    await ask(`notify ${CHANNEL}`);
    return rows.length > 0;
  });

/** Live nodes that report that they could not quote, each with the reason. */
export async function unableNodes(ask: Ask): Promise<readonly { readonly node: string; readonly why: string }[]> {
  const rows = await ask(
    "select node, unable from quoin.nodes where seen_until > now() and unable is not null order by node",
  );
  return rows.map(({ node, unable }) => ({ node: String(node), why: String(unable) }));
}

export async function shardLines(ask: Ask): Promise<readonly ShardLine[]> {
  const rows = await ask(
    `select account, epoch, coalesce(expires_at > now(), false) as is_held, node, state,
       floor(extract(epoch from since) * 1000) as since_ms,
       floor(extract(epoch from expires_at - now()) * 1000) as lease_ms
     from quoin.shards order by length(account), account`,
  );
  return rows.map((row) => ({
    shard: String(row.account),
    node: row.is_held === true ? String(row.node) : null,
    epoch: Number(row.epoch),
    state: row.is_held === true ? (row.state as ShardState) : "free",
    sinceMs: Number(row.since_ms),
    leaseMs: row.is_held === true ? Number(row.lease_ms) : 0,
  }));
}
