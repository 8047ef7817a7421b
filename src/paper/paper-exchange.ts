// The exchange of paper accounts: a devnet in this process that repeats the real exchange. Its rules are the exchange's own, so fees,
// margin, funding, refusals and liquidations are realistic; how others would have reacted cannot be known.

import type { Venue } from "../bot/venue/port.ts";
import { createRemoteVenue, defaultRemoteOptions } from "../bot/venue/remote/remote.ts";
import type { Chain } from "../devnet/chain/chain.ts";
import type { DevnetConfig, MarketConfig } from "../devnet/config/config.ts";
import { createExchange, type Exchange, type ExchangeModules } from "../devnet/exchange.ts";
import type { Trade } from "../domain/fill.ts";
import type { FeeTier, Funding, Market, Oracle } from "../domain/market.ts";
import type { QueueModel } from "../domain/queue.ts";
import { type AccountId, accountId, type MarketId, native, price, size, type Usdc, usdc } from "../domain/units.ts";
import { createRing } from "../kernel/bounded.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Prng } from "../kernel/prng.ts";
import { createLink } from "./link.ts";
import { Mirror, type PublicEvent } from "./mirror.ts";

/** One of our accounts. `volume30d`: earlier volume, default 0; it determines the fees. */
export type MirroredAccount = {
  readonly accountId: AccountId;
  readonly collateral: Usdc;
  readonly volume30d?: Usdc;
};

/** A paper account. `publicKey`: public key of its signer, 64 lowercase hex characters. */
export type PaperAccount = MirroredAccount & { readonly publicKey: string };

/** A market of the real exchange when the paper exchange is created. `funding`: null if unknown. */
export type RealMarket = { readonly market: Market; readonly oracle: Oracle; readonly funding: Funding | null };

export type MirroredOptions = {
  readonly chainId: string;
  readonly markets: readonly RealMarket[];
  readonly feeTiers: readonly FeeTier[];
  readonly accounts: readonly MirroredAccount[];
  readonly model: QueueModel;
  /** Which of the `NUMBERINGS` its order ids use; unique among the paper exchanges of the process. */
  readonly numbering: number;
};

export type PaperOptions = Omit<MirroredOptions, "accounts"> & {
  readonly accounts: readonly PaperAccount[];
  /** Latency of an order, ms. */
  readonly latencyMs: number;
};

/** Where a paper exchange is stored beyond the process. */
export type PaperStore = {
  /** The last saved text; null: none. */
  readonly load: () => string | null;
  readonly keep: (text: string) => void;
  /** Resolves when the last text is saved. */
  readonly settled: () => Promise<void>;
  /** Moves the saved state aside, so that there is none; returns its new place. Throws disk errors. */
  readonly setAside: () => string;
};

/** For a paper exchange that ends with the process. */
export const forgetfulStore: PaperStore = {
  load: () => null,
  keep: () => {},
  settled: () => Promise.resolve(),
  setAside: () => "",
};

export type PaperModules = Pick<ExchangeModules, "verifier" | "enclave" | "log"> & {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly store: PaperStore;
};

export type PaperExchange = {
  readonly chain: Chain;
  /** The way to it, as to any exchange. */
  readonly venue: Venue;
  /** Trades of paper accounts, newest first, a limited number. */
  readonly trades: (market: MarketId) => readonly Trade[];
  /** Tells it of the real exchange. */
  readonly apply: (event: PublicEvent) => void;
  readonly close: () => Promise<void>;
};

/**
 * Order ids above any that an exchange counting from one reaches, and distinct per paper exchange: all trades appear in one list, where
 * each id must be unique.
 */
const FIRST_NUMBERING = 2 ** 52;
const NUMBERS_EACH = 2 ** 42;
export const NUMBERINGS = 1000;
/** More than all markets together can lose. */
const COUNTERPARTY_COLLATERAL = usdc(10n ** 17n);
/** No limit: the counterparties represent all other traders. */
const MANY = Number.MAX_SAFE_INTEGER;
/** As many as an exchange lists. */
const TRADES_KEPT = 500;
const BLOCK_MS = 250;
/** A name for logs; never resolved. */
const ADDRESS = "http://paper.invalid";
/** Initial price, at which no one trades: the mirror sets the current print before anything else happens. */
const USD_SCALE = 100_000_000n;
const NOBODY = "00".repeat(32);
/** Defaults for missing market data: no band, no cap on a settlement, no interest; depth as in the devnet. */
const ALL_BPS = 10_000;
const DEPTH_THRESHOLD = 500_000_000n;

export type Mirrored = {
  readonly exchange: Exchange;
  readonly mirror: Mirror;
  /** False for the accounts that represent all other traders. */
  readonly isOurs: (account: AccountId) => boolean;
};

/**
 * A devnet that repeats the markets as they were read, and follows reports to its mirror. `resumeFrom`: the saved text. Throws StoreError
 * if that cannot be read, or is of other markets, fees or collateral.
 */
export function createMirrored(
  options: MirroredOptions,
  modules: Pick<PaperModules, "verifier" | "enclave" | "log" | "clock">,
  resumeFrom: string | null = null,
): Mirrored {
  const { markets, accounts, model } = options;
  const [maker, taker] = freeAccounts(accounts);
  const config = configOf(options, [maker, taker]);
  const exchange = createExchange({ config, isExplored: false, ...(resumeFrom !== null && { resumeFrom }) }, modules);
  const { chain } = exchange;
  chain.start();
  // The saved resting orders are outdated, and our orders ended with their process.
  for (const accountId of [maker, taker, ...accounts.map((account) => account.accountId)])
    chain.act({ accountId, transaction: { type: "CancelAllOrders", marketId: null } });
  const mirror = new Mirror({ maker, taker, model, markets: markets.map(({ market }) => market.marketId) }, chain);
  for (const { market, oracle } of markets) {
    const received = { askedMs: 0, receivedMs: 0 };
    mirror.apply({ kind: "oracleRead", oracle, ...received });
    mirror.apply({ kind: "marketRead", market, ...received });
  }
  const counterparties = new Set<AccountId>([maker, taker]);
  return { exchange, mirror, isOurs: (id) => !counterparties.has(id) };
}

/** Throws StoreError if the saved state cannot be read, or is of other markets, fees or collateral. */
export const createPaperExchange = (options: PaperOptions, modules: PaperModules): PaperExchange =>
  paperExchangeOn(createMirrored(options, modules, modules.store.load()), options, modules);

/** Like `createPaperExchange`, on an existing mirrored exchange. */
export function paperExchangeOn(
  { exchange, mirror, isOurs }: Mirrored,
  { accounts, latencyMs }: Pick<PaperOptions, "accounts" | "latencyMs">,
  { clock, prng, store }: Pick<PaperModules, "clock" | "prng" | "store">,
): PaperExchange {
  const { chain } = exchange;
  for (const { accountId, publicKey } of accounts)
    chain.control.approveAgent(accountId, { pubkey: publicKey, name: "paper", expiresAtSec: null });
  const trades = createRing<Trade>(TRADES_KEPT);
  let isChanged = false;
  const ends = [
    chain.onEvents(({ events }) => {
      for (const event of events) {
        if (event.type === "FundingPaid" && isOurs(event.accountId)) isChanged = true;
        if (event.type !== "Fill") continue;
        const { makerAccountId, takerAccountId } = event.execution;
        if (!isOurs(makerAccountId) && !isOurs(takerAccountId)) continue;
        trades.push(event.execution);
        isChanged = true;
      }
    }),
    chain.onBlock(() => {
      if (isChanged) store.keep(chain.save());
      isChanged = false;
    }),
  ];
  const venue = createRemoteVenue(
    { ...defaultRemoteOptions, warmConnections: 0, validatorUrl: ADDRESS },
    { clock, prng, report: () => {}, transport: createLink(latencyMs, { clock, exchange }) },
  );
  return {
    chain,
    venue,
    trades: (marketId) =>
      trades
        .items()
        .filter((trade) => trade.marketId === marketId)
        .reverse(),
    apply: (event) => mirror.apply(event),
    async close() {
      for (const end of ends) end();
      mirror.close();
      await venue.close();
      await exchange.close();
      store.keep(chain.save());
      await store.settled();
    },
  };
}

function freeAccounts(accounts: readonly MirroredAccount[]): readonly [AccountId, AccountId] {
  const taken = new Set<bigint>(accounts.map((account) => account.accountId));
  const free: AccountId[] = [];
  for (let id = 2n ** 53n - 1n; free.length < 2; id -= 1n) if (!taken.has(id)) free.push(accountId(id));
  return [free[0] as AccountId, free[1] as AccountId];
}

function configOf(
  { chainId, markets, feeTiers, accounts, numbering }: MirroredOptions,
  counterparties: readonly AccountId[],
): DevnetConfig {
  const plain = { owner: NOBODY, native: native(0n), masterAccountId: null, volume30d: usdc(0n), agents: [] };
  const bridge = { enabled: false, limit: { usdc: usdc(0n), native: native(0n) } };
  return {
    chainId,
    blockTimeMs: BLOCK_MS,
    seed: 0n,
    clock: { mode: "real" },
    // The bot's timestamps follow the real chain's clock.
    timestampToleranceSecs: 86_400,
    refusedNonce: "commits",
    openOrderCap: MANY,
    activationFee: usdc(0n),
    bridge: { deposits: bridge, withdrawals: bridge },
    markets: markets.map(marketOf),
    accounts: [
      ...accounts.map(({ accountId, collateral, volume30d = usdc(0n) }) => ({
        ...plain,
        accountId,
        collateral,
        volume30d,
      })),
      ...counterparties.map((id) => ({ ...plain, accountId: id, collateral: COUNTERPARTY_COLLATERAL })),
    ],
    feeTiers,
    apiKeys: [],
    sessions: [],
    users: [],
    flow: { enabled: false },
    throttle: { requestsPerSecond: 0, actionBudget: 0 },
    lastOrderId: FIRST_NUMBERING + numbering * NUMBERS_EACH,
  };
}

function marketOf({ market, funding }: RealMarket): MarketConfig {
  const { marketId, name, assetClass, tickSize, initialMarginRatioBps, maintenanceMarginRatioBps, priceBandBps } =
    market;
  return {
    marketId,
    name,
    assetClass,
    status: "Active",
    tickSize,
    initialMarginRatioBps,
    maintenanceMarginRatioBps,
    priceBandBps: priceBandBps ?? ALL_BPS,
    maxOpenInterest: size(BigInt(MANY)),
    fundingIntervalSecs: market.fundingIntervalSecs,
    premiumPeriodSecs: market.fundingIntervalSecs,
    interestRateMicroBps: market.interestRateMicroBps ?? 0,
    depthThreshold: usdc(market.depthThresholdLamports || DEPTH_THRESHOLD),
    maxFundingRateBps: funding?.maxFundingRateBps ?? ALL_BPS,
    oracle: { source: "fixed", price: price(USD_SCALE), validForSecs: 86_400 },
    marginTiers: market.marginTiers,
    isFundingExternal: true,
  };
}
