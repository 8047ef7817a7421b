// Reads everything that the checks need from an exchange, at once, so that a hanging exchange costs one timeout. A failed read holds its
// reason.

import { type BotConfig, withoutPaper } from "../../bot/config/config.ts";
import { type OtherAccounts, readOtherAccounts } from "../../bot/service/lifecycle/other-accounts.ts";
import { marketsOf } from "../../bot/service/lifecycle/start-checks.ts";
import { ReadError, type VenueReads } from "../../bot/venue/port.ts";
import type { Account, NodeStatus, RateLimit } from "../../domain/account.ts";
import type { Market, Oracle } from "../../domain/market.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import { type MarketSizes, readMarketSizes } from "../market-sizes.ts";

/** `isAnswered`: the exchange answered with something else. `isMissing`: it has no such thing. */
export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string; readonly isAnswered: boolean; readonly isMissing: boolean };

export type Facts = {
  /** The node's state, how long the read took, and the machine's time (Unix ms) in the middle of it. */
  readonly node: Read<{ readonly status: NodeStatus; readonly tookMs: number; readonly wallMs: number }>;
  readonly accounts: ReadonlyMap<AccountId, Read<Account>>;
  /** Sentences on lists that a daemon needs beside the account and that cannot be read. */
  readonly lists: ReadonlyMap<AccountId, readonly string[]>;
  /** The same for a market's public trades. */
  readonly trades: ReadonlyMap<MarketId, string>;
  /** For each account that could be read, its owner's other accounts. */
  readonly others: ReadonlyMap<AccountId, OtherAccounts>;
  readonly budgets: ReadonlyMap<AccountId, Read<RateLimit>>;
  readonly markets: ReadonlyMap<MarketId, Read<Market>>;
  readonly oracles: ReadonlyMap<MarketId, Read<Oracle>>;
};

const NOT_FOUND = 404;

/** Never rejects. */
export async function gatherFacts(
  { accounts }: Pick<BotConfig, "accounts">,
  reads: VenueReads,
  clock: Clock,
): Promise<Facts> {
  const accountIds = withoutPaper({ accounts }).accounts.map(({ accountId }) => accountId);
  const marketIds = [...new Set(accounts.flatMap(({ markets }) => markets.flatMap(marketsOf)))];
  const accountReads = readEach(accountIds, reads.account);
  const [node, ...rest] = await Promise.all([
    tried(timedNode(reads, clock)),
    accountReads,
    accountReads.then((found) => readOthers(found, reads)),
    readEach(accountIds, reads.rateLimit),
    readEach(marketIds, reads.market),
    readEach(marketIds, reads.oracle),
    readEach(accountIds, reads.orders),
    readEach(accountIds, reads.positions),
    readEach(marketIds, reads.trades),
  ]);
  const [found, others, budgets, markets, oracles, orders, positions, trades] = rest;
  const lists = new Map(accountIds.map((id) => [id, [...whyUnread(orders.get(id)), ...whyUnread(positions.get(id))]]));
  const unread = [...trades].flatMap(([id, read]) => whyUnread(read).map((why) => [id, why] as const));
  return { node, accounts: found, others, lists, trades: new Map(unread), budgets, markets, oracles };
}

async function readOthers(accounts: Facts["accounts"], reads: VenueReads): Promise<Facts["others"]> {
  const known = [...accounts].flatMap(([id, read]) => (read.ok ? [[id, read.value] as const] : []));
  return new Map(
    await Promise.all(
      known.map(
        async ([id, account]): Promise<[AccountId, OtherAccounts]> => [id, await readOtherAccounts(account, reads)],
      ),
    ),
  );
}

/** Leaves out markets whose book, trades or past prints cannot be read. Never rejects. */
export async function gatherSizes(
  { accounts }: Pick<BotConfig, "accounts">,
  reads: VenueReads,
): Promise<ReadonlyMap<MarketId, MarketSizes>> {
  const marketIds = accounts.flatMap(({ markets }) => markets.map(({ marketId }) => marketId));
  const found = await readEach([...new Set(marketIds)], (marketId) => readMarketSizes(marketId, reads));
  return new Map([...found].flatMap(([marketId, read]) => (read.ok ? [[marketId, read.value] as const] : [])));
}

const whyUnread = (read: Read<unknown> | undefined): readonly string[] =>
  read === undefined || read.ok ? [] : [read.why];

async function timedNode(reads: VenueReads, clock: Clock) {
  const sentMs = clock.monotonicMs();
  const status = await reads.node();
  const tookMs = clock.monotonicMs() - sentMs;
  return { status, tookMs, wallMs: clock.wallMs() - tookMs / 2 };
}

async function readEach<K, T>(keys: readonly K[], read: (key: K) => Promise<T>): Promise<ReadonlyMap<K, Read<T>>> {
  return new Map(await Promise.all(keys.map(async (key): Promise<[K, Read<T>]> => [key, await tried(read(key))])));
}

async function tried<T>(read: Promise<T>): Promise<Read<T>> {
  try {
    return { ok: true, value: await read };
  } catch (error) {
    const httpStatus = error instanceof ReadError ? error.httpStatus : null;
    return { ok: false, why: messageOf(error), isAnswered: httpStatus !== null, isMissing: httpStatus === NOT_FOUND };
  }
}
