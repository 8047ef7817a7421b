// The exchange that paper accounts trade on: a devnet in this process that repeats the real one. Its rules are the exchange's own, so fees,
// margin, funding, refusals and liquidations of a paper account are those of a real one; what nobody can know is how others had acted.

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

/** One account of ours. `volume30d`: traded before, 0 unless said; its fees go by it. */
export type MirroredAccount = {
  readonly accountId: AccountId;
  readonly collateral: Usdc;
  readonly volume30d?: Usdc;
};

/** One account that trades on paper. `publicKey`: of the key that signs for it, 64 lowercase hex characters. */
export type PaperAccount = MirroredAccount & { readonly publicKey: string };

/** A market of the real exchange, as it is when the paper exchange is made. `funding` is null where unknown. */
export type RealMarket = { readonly market: Market; readonly oracle: Oracle; readonly funding: Funding | null };

export type MirroredOptions = {
  readonly chainId: string;
  readonly markets: readonly RealMarket[];
  readonly feeTiers: readonly FeeTier[];
  readonly accounts: readonly MirroredAccount[];
  readonly model: QueueModel;
  /** Which of `NUMBERINGS` its orders are numbered in: no other paper exchange of the process has the same. */
  readonly numbering: number;
};

export type PaperOptions = Omit<MirroredOptions, "accounts"> & {
  readonly accounts: readonly PaperAccount[];
  /** How long an order is under way, ms. */
  readonly latencyMs: number;
};

/** Where a paper exchange outlives the process. */
export type PaperStore = {
  /** What was kept last; null: nothing. */
  readonly load: () => string | null;
  readonly keep: (text: string) => void;
  /** Resolves when the last text is kept. */
  readonly settled: () => Promise<void>;
  /** Puts what is kept aside, so that nothing is; returns where it is now. Throws what the disk throws. */
  readonly setAside: () => string;
};

/** For a paper exchange that lives as long as the process. */
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
  /** Trades of paper accounts, the newest first, a bounded number. */
  readonly trades: (market: MarketId) => readonly Trade[];
  /** Tells it of the real exchange. */
  readonly apply: (event: PublicEvent) => void;
  readonly close: () => Promise<void>;
};

/**
 * Above any order number that an exchange that counts from one reaches, and each paper exchange apart: the trades of all come as one list, and
 * no order in it is taken for another's.
 */
const FIRST_NUMBERING = 2 ** 52;
const NUMBERS_EACH = 2 ** 42;
export const NUMBERINGS = 1000;
/** More than all markets together can lose. */
const COUNTERPARTY_COLLATERAL = usdc(10n ** 17n);
/** No limit of the paper exchange: the counterparties stand for everybody. */
const MANY = Number.MAX_SAFE_INTEGER;
/** As many as an exchange lists. */
const TRADES_KEPT = 500;
const BLOCK_MS = 250;
/** A name for logs; nothing resolves it. */
const ADDRESS = "http://paper.invalid";
/** What nobody trades at: the mirror tells the print of now before anything else happens. */
const USD_SCALE = 100_000_000n;
const NOBODY = "00".repeat(32);
/** Defaults for what a market lacks: no band, no cap of a settlement, no interest; depth as in the devnet. */
const ALL_BPS = 10_000;
const DEPTH_THRESHOLD = 500_000_000n;

export type Mirrored = {
  readonly exchange: Exchange;
  readonly mirror: Mirror;
  /** False: of the accounts that stand for everybody else. */
  readonly isOurs: (account: AccountId) => boolean;
};

/**
 * A devnet that repeats the markets as they were read, and follows what is reported to its mirror. `resumeFrom`: what was kept. Throws StoreError
 * where that cannot be read, or is of other markets, fees or collateral.
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
  // What stood here was another moment's, and orders ended with the process that they were in.
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

/** Throws StoreError where what is kept cannot be read, or is of other markets, fees or collateral. */
export const createPaperExchange = (options: PaperOptions, modules: PaperModules): PaperExchange =>
  paperExchangeOn(createMirrored(options, modules, modules.store.load()), options, modules);

/** The same where what repeats the real exchange is there already. */
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

/** Two numbers that no account has. */
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
    // The bot stamps by the real chain's clock.
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
