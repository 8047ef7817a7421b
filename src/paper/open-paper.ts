// Opens the paper exchanges of a configuration with paper accounts: reads what they must repeat, and makes the venue.

import type { PaperConfig } from "../bot/config/config.ts";
import { ReadError, type Venue } from "../bot/venue/port.ts";
import { StoreError } from "../devnet/chain/log/disk.ts";
import { feeTierFor } from "../domain/fees.ts";
import type { FeeTier } from "../domain/market.ts";
import { type AccountId, type MarketId, usdc } from "../domain/units.ts";
import {
  createPaperExchange,
  NUMBERINGS,
  type PaperExchange,
  type PaperModules,
  type PaperOptions,
  type PaperStore,
  type RealMarket,
} from "./paper-exchange.ts";
import { createPaperVenue } from "./paper-venue.ts";

/** A paper account of a configuration. `publicKey`: public key of its signer, 64 lowercase hex characters. */
export type PaperQuoted = {
  readonly accountId: AccountId;
  readonly paper: PaperConfig;
  readonly publicKey: string;
  readonly markets: readonly MarketId[];
  /** Maker and taker fee if the exchange shows none, basis points. */
  readonly assumedFeeBps: number;
};

export type OpenPaperModules = Omit<PaperModules, "store"> & {
  readonly storeOf: (account: AccountId) => PaperStore;
  /** Repeats the read until the exchange answers; throws if a start is impossible. */
  readonly read: <T>(what: string, read: () => Promise<T>) => Promise<T>;
};

/**
 * The venue of a bot with these paper accounts; `real` if there are none. Each account has its own paper exchange, so that one does not
 * take liquidity from another. Rejects with what `read` throws, after closing `real`.
 */
export async function openPaper(
  chainId: string,
  accounts: readonly PaperQuoted[],
  real: Venue,
  { read, storeOf, ...modules }: OpenPaperModules,
): Promise<Venue> {
  let venue = real;
  if (accounts.length === 0) return venue;
  try {
    const { reads } = real;
    const schedule = await read("the fee schedule", () => readOrReason(reads.feeTiers()));
    const ids = new Set(accounts.flatMap(({ markets }) => markets));
    const markets = new Map<MarketId, RealMarket>();
    for (const id of ids) markets.set(id, await read(`market ${id}`, () => marketOf(id, real)));
    const numberings = new Set<number>();
    for (const { paper, markets: quoted, assumedFeeBps, ...account } of accounts) {
      const numbering = freeNumbering(account.accountId, numberings);
      numberings.add(numbering);
      const { collateral, queueModel: model, latencyMs } = paper;
      const own = quoted.flatMap((id) => markets.get(id) ?? []);
      const feeTiers = schedule.value ?? [];
      const assumed = assumedTiers(feeTiers, own, assumedFeeBps);
      if (assumed.length > 0)
        modules.log(
          `the exchange reports no fees${schedule.why === null ? "" : ` (${schedule.why})`}: paper account ${account.accountId} pays ${assumedFeeBps} bps, assumedFeeBps`,
          { account: `${account.accountId}` },
        );
      const options = {
        chainId,
        model,
        latencyMs,
        numbering,
        feeTiers: [...feeTiers, ...assumed],
        markets: own,
        accounts: [{ ...account, collateral }],
      };
      const exchange = openExchange(options, { ...modules, store: storeOf(account.accountId) });
      venue = createPaperVenue({ real: venue, paper: exchange, accounts: [account], nowMs: modules.clock.monotonicMs });
    }
    return venue;
  } catch (cause) {
    await venue.close();
    throw cause;
  }
}

/** The same at each start, whatever other accounts exist, unless two ids differ by a multiple of `NUMBERINGS`. */
function freeNumbering(accountId: AccountId, taken: ReadonlySet<number>): number {
  let numbering = Number(accountId % BigInt(NUMBERINGS));
  while (taken.has(numbering)) numbering = (numbering + 1) % NUMBERINGS;
  return numbering;
}

/** If the saved state is of other markets, fees or collateral, it is set aside and the account starts over. */
function openExchange(options: PaperOptions, modules: PaperModules): PaperExchange {
  try {
    return createPaperExchange(options, modules);
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const aside = modules.store.setAside();
    const ids = options.accounts.map(({ accountId }) => accountId).join(", ");
    modules.log(`paper account ${ids} starts over: ${cause.message}; it is kept as ${aside}`, {});
    return createPaperExchange(options, modules);
  }
}

async function marketOf(id: MarketId, { reads }: Venue): Promise<RealMarket> {
  const [market, oracle, funding] = await Promise.all([
    reads.market(id),
    reads.oracle(id),
    readOrReason(reads.funding(id)),
  ]);
  return { market, oracle, funding: funding.value };
}

/** For each asset class without a row in the schedule, a tier with equal maker and taker fees. */
function assumedTiers(
  schedule: readonly FeeTier[],
  markets: readonly RealMarket[],
  feeBps: number,
): readonly FeeTier[] {
  const classes = new Set(markets.map(({ market }) => market.assetClass));
  return [...classes]
    .filter((assetClass) => feeTierFor(schedule, assetClass, usdc(0n)) === undefined)
    .map((assetClass) => ({ assetClass, minVolume30d: usdc(0n), makerFeeBps: feeBps, takerFeeBps: feeBps }));
}

type ReadOrReason<T> = { readonly value: T; readonly why: null } | { readonly value: null; readonly why: string };

/** Null, with the reason, when the exchange does not serve this read: paper accounts can do without. Rejects when it does not answer. */
async function readOrReason<T>(read: Promise<T>): Promise<ReadOrReason<T>> {
  try {
    return { value: await read, why: null };
  } catch (cause) {
    if (cause instanceof ReadError && (cause.httpStatus === NOT_FOUND || cause.code === "malformed"))
      return { value: null, why: cause.message };
    throw cause;
  }
}

const NOT_FOUND = 404;
