// Puts the paper exchange beside the real one, where a configuration has paper accounts: reads what it has to repeat, and makes the venue.

import type { PaperConfig } from "../bot/config/config.ts";
import type { Venue } from "../bot/venue/port.ts";
import { StoreError } from "../devnet/chain/log/disk.ts";
import type { AccountId, MarketId } from "../domain/units.ts";
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

/** A paper account of a configuration. `publicKey`: of the key that signs for it, 64 lowercase hex characters. */
export type PaperQuoted = {
  readonly accountId: AccountId;
  readonly paper: PaperConfig;
  readonly publicKey: string;
  readonly markets: readonly MarketId[];
};

export type OpenPaperModules = Omit<PaperModules, "store"> & {
  readonly storeOf: (account: AccountId) => PaperStore;
  /** Reads until the exchange answers; throws what makes the start impossible. */
  readonly read: <T>(what: string, read: () => Promise<T>) => Promise<T>;
};

/**
 * The venue of a bot with these paper accounts: `real` where there are none. Each has an exchange of its own, so that no two meet: what one
 * takes is not taken from the other. Rejects with what `read` throws; `real` is closed then, too.
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
    const feeTiers = await read("the fee schedule", reads.feeTiers);
    const ids = new Set(accounts.flatMap(({ markets }) => markets));
    const markets = new Map<MarketId, RealMarket>();
    for (const id of ids) markets.set(id, await read(`market ${id}`, () => marketOf(id, real)));
    const numberings = new Set<number>();
    for (const { paper, markets: quoted, ...account } of accounts) {
      const numbering = freeNumbering(account.accountId, numberings);
      numberings.add(numbering);
      const { collateral, queueModel: model, latencyMs } = paper;
      const options = {
        chainId,
        model,
        latencyMs,
        numbering,
        feeTiers,
        markets: quoted.flatMap((id) => markets.get(id) ?? []),
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

/** The same at each start, whatever other accounts there are, as long as no two are a multiple of `NUMBERINGS` apart. */
function freeNumbering(accountId: AccountId, taken: ReadonlySet<number>): number {
  let numbering = Number(accountId % BigInt(NUMBERINGS));
  while (taken.has(numbering)) numbering = (numbering + 1) % NUMBERINGS;
  return numbering;
}

/** Where what was kept is of other markets, fees or collateral it is set aside, and the account begins again. */
function openExchange(options: PaperOptions, modules: PaperModules): PaperExchange {
  try {
    return createPaperExchange(options, modules);
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const aside = modules.store.setAside();
    const ids = options.accounts.map(({ accountId }) => accountId).join(", ");
    modules.log(`paper account ${ids} begins again: ${cause.message}; it is kept as ${aside}`, {});
    return createPaperExchange(options, modules);
  }
}

async function marketOf(id: MarketId, { reads }: Venue): Promise<RealMarket> {
  const [market, oracle, funding] = await Promise.all([reads.market(id), reads.oracle(id), reads.funding(id)]);
  return { market, oracle, funding };
}
