// The configuration of a seed's world: its exchange, bot, machine and network. Drawn per seed, so that no fixed number of ours hides a bug.

import type { BotConfig, QuotedMarket } from "../bot/config/config.ts";
import { accountLimitsSchema, type MarketLimits, marketLimitsSchema } from "../bot/risk/limits/limits.ts";
import { loadStrategy } from "../bot/strategy/loader.ts";
import {
  type BridgeDirectionConfig,
  type DevnetConfig,
  defaultFlow,
  type MarketConfig,
} from "../devnet/config/config.ts";
import { unknownDialect } from "../domain/dialect.ts";
import { type AccountId, accountId, type MarketId, native, price, size, usdc } from "../domain/units.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { stringifyQuoted } from "../kernel/json.ts";
import type { Prng } from "../kernel/prng.ts";
import type { ViewOptions } from "../kernel/virtual-clock.ts";
import { createSigner, createVerifier, SEED_BYTES, type Signer, type Verifier } from "../wire/signing.ts";
import { keyedHashSigner, keyedHashVerifier } from "../wire/signing-simulated.ts";

export const BOT_ACCOUNT: AccountId = accountId(12n);
export const MANIPULATOR_ACCOUNT: AccountId = accountId(66n);
export const START_MS = 1_790_000_000_000;
const CHAIN_ID = "venue-v4:devnet:chain-2";

/** `secrets`: seed bytes of each key, which must never be seen outside its signer. */
export type Keys = {
  readonly owner: Signer;
  readonly agent: Signer;
  /** Approved from the start too; for rotation. */
  readonly spare: Signer;
  /** Null: there is no watchdog. */
  readonly watchdog: Signer | null;
  /** The key of an account that is not the bot's. */
  readonly manipulator: Signer;
  readonly secrets: readonly Uint8Array[];
};

export type WorldConfig = {
  readonly devnet: DevnetConfig;
  readonly signing: "keyedHash" | "ed25519";
  readonly verifier: Verifier;
  readonly signerOf: (seed: Uint8Array) => Signer;
  readonly keys: Keys;
  readonly markets: readonly MarketId[];
  /** A market of the exchange that the bot does not quote; null: it quotes all. */
  readonly beside: MarketId | null;
  readonly bot: BotConfig;
  readonly machine: ViewOptions;
  readonly network: Latency;
  /** Its own machine and network; null: there is no watchdog. */
  readonly watchdog: { readonly machine: ViewOptions; readonly network: Latency } | null;
};

export type Latency = { readonly baseMs: number; readonly jitterMs: number };

const OPEN_BRIDGE: BridgeDirectionConfig = {
  enabled: true,
  limit: { usdc: usdc(10n ** 17n), native: native(10n ** 17n) },
};

/** Share of worlds with real signatures. */
const REAL_SIGNATURES = 0.05;

/** Share of worlds with a watchdog. */
const WATCHED = 0.25;
/** Share of worlds whose exchange has a market that the bot does not quote. */
const HAS_BESIDE = 0.1;
const BESIDE: MarketId = 3;

export async function drawWorldConfig(prng: Prng): Promise<WorldConfig> {
  const own = prng.fork("watchdog");
  const isWatched = own.chance(WATCHED);
  const isReal = prng.chance(REAL_SIGNATURES);
  const signerOf = isReal ? createSigner : keyedHashSigner;
  const keys = drawKeys(prng.fork("keys"), signerOf, isWatched);
  const markets = prng.chance(0.3) ? [1, 2] : [1];
  const drawn = drawDevnet(prng.fork("devnet"), markets, keys);
  const apart = prng.fork("beside");
  const beside = apart.chance(HAS_BESIDE) ? BESIDE : null;
  const devnet = beside === null ? drawn : { ...drawn, markets: [...drawn.markets, drawMarket(apart, beside)] };
  return {
    devnet: { ...devnet, refusedNonce: prng.chance(0.5) ? "commits" : "staysFree" },
    signing: isReal ? "ed25519" : "keyedHash",
    verifier: isReal ? createVerifier() : keyedHashVerifier,
    signerOf,
    keys,
    markets,
    beside,
    bot: await drawBot(prng.fork("bot"), markets, devnet.timestampToleranceSecs, isWatched),
    machine: drawMachine(prng),
    network: drawLatency(prng),
    watchdog: isWatched ? { machine: drawMachine(own), network: drawLatency(own) } : null,
  };
}

const drawMachine = (prng: Prng): ViewOptions => ({
  skewMs: Math.round(prng.gaussian() * 60),
  driftPpm: Math.round((prng.float() - 0.5) * 400),
});

const drawLatency = (prng: Prng): Latency => ({ baseMs: 1 + prng.below(30), jitterMs: 1 + prng.below(40) });

function drawKeys(prng: Prng, signerOf: WorldConfig["signerOf"], isWatched: boolean): Keys {
  const secret = (): Uint8Array => Uint8Array.from({ length: SEED_BYTES }, () => prng.below(256));
  const [owner, agent, spare, dog, manipulator] = [secret(), secret(), secret(), secret(), secret()];
  return {
    owner: signerOf(owner),
    agent: signerOf(agent),
    spare: signerOf(spare),
    manipulator: signerOf(manipulator),
    watchdog: isWatched ? signerOf(dog) : null,
    secrets: [owner, agent, spare, dog],
  };
}

function drawDevnet(prng: Prng, markets: readonly MarketId[], keys: Keys): Omit<DevnetConfig, "refusedNonce"> {
  const { owner, agent, spare, watchdog, manipulator } = keys;
  const approved = ({ publicKey }: Signer, name: string) => ({ pubkey: publicKey, name, expiresAtSec: null });
  return {
    chainId: CHAIN_ID,
    blockTimeMs: prng.pick([250, 400, 500]),
    seed: BigInt(prng.u32()),
    clock: { mode: "real" },
    timestampToleranceSecs: prng.pick([10, 60, 120]),
    openOrderCap: 200,
    activationFee: usdc(1_000_000n),
    bridge: { deposits: OPEN_BRIDGE, withdrawals: OPEN_BRIDGE },
    markets: markets.map((marketId) => drawMarket(prng, marketId)),
    accounts: [
      {
        accountId: BOT_ACCOUNT,
        owner: owner.publicKey,
        collateral: usdc(100_000_000_000n),
        native: 0n,
        masterAccountId: null,
        agents: [
          approved(agent, "bot"),
          approved(spare, "spare"),
          ...(watchdog === null ? [] : [approved(watchdog, "watchdog")]),
        ],
        volume30d: usdc(0n),
      },
      {
        accountId: MANIPULATOR_ACCOUNT,
        owner: manipulator.publicKey,
        collateral: usdc(1_000_000_000_000n),
        native: 0n,
        masterAccountId: null,
        agents: [],
        volume30d: usdc(0n),
      },
    ],
    feeTiers: [
      { assetClass: "RealEstate", minVolume30d: usdc(0n), makerFeeBps: prng.pick([-1, 0, 1]), takerFeeBps: 5 },
    ],
    apiKeys: [],
    sessions: [],
    users: [],
    flow: {
      ...defaultFlow,
      enabled: true,
      noiseTakersPerSec: 0.2 + prng.float(),
      makers: prng.below(2),
    },
    throttle: { requestsPerSecond: prng.pick([0, 0, 40, 80]), actionBudget: 0 },
  };
}

function drawMarket(prng: Prng, marketId: MarketId): MarketConfig {
  const printEverySecs = prng.pick([15, 30, 60]);
  return {
    marketId,
    name: `INDEX-${marketId}`,
    assetClass: "RealEstate",
    status: "Active",
    tickSize: price(1_000_000n),
    initialMarginRatioBps: 500,
    maintenanceMarginRatioBps: 250,
    priceBandBps: 1000,
    maxOpenInterest: size(1_000_000_000_000n),
    fundingIntervalSecs: prng.pick([60, 300, 3600]),
    premiumPeriodSecs: 28_800,
    interestRateMicroBps: 64,
    depthThreshold: usdc(500_000_000n),
    maxFundingRateBps: 625,
    oracle: {
      source: "synthetic",
      price: price(20_000_000_000n),
      printEverySecs,
      validForSecs: printEverySecs * prng.pick([1.02, 1.5, 3]),
      // Per print, which comes within a minute: with an index's usual drift the crowd would trade far above every print, where no order may
      // be.
      driftPercent: 0,
      volatilityPercent: prng.pick([0.03, 0.06, 0.12]),
      autocorrelation: 0.8,
    },
    marginTiers: [{ notionalFloor: usdc(0n), maxLeverage: 20, maintenanceMarginRatioBps: 250 }],
  };
}

/** How far the bot's landing bound is above the exchange's tolerance, as the operating guide recommends. */
const BOUND_MS = 30_000;

/** How far the bot's bound on the lag of reads is above the real lag; includes the demo's value and the default. */
const READ_LAGS_MS = [250, 1000, 3000];

/** The same world with a bot that knows that reads lag by up to `lagMs`. */
export function withReadLag(world: WorldConfig, lagMs: number, prng: Prng): WorldConfig {
  const { bot } = world;
  const readLagMaxMs = lagMs + prng.pick(READ_LAGS_MS);
  const landingBoundMs = Math.max(bot.venue.landingBoundMs, readLagMaxMs + 1000);
  return { ...world, bot: { ...bot, venue: { ...bot.venue, readLagMaxMs, landingBoundMs } } };
}

async function drawBot(
  prng: Prng,
  markets: readonly MarketId[],
  toleranceSecs: number,
  isWatched: boolean,
): Promise<BotConfig> {
  const quoted: QuotedMarket[] = [];
  for (const marketId of markets) quoted.push(await drawQuoted(prng, marketId));
  return {
    file: "simulated.yaml",
    venue: {
      kind: "remote",
      chainId: CHAIN_ID,
      live: false,
      tooManyRequestsMeans: "rejected",
      landingBoundMs: toleranceSecs * 1000 + BOUND_MS,
      readLagMaxMs: 3000,
      dialect: unknownDialect,
      validatorUrl: "http://exchange.invalid",
      wsUrl: "ws://exchange.invalid/v1/ws",
      restUrl: null,
    },
    accounts: [
      {
        accountId: BOT_ACCOUNT,
        paper: null,
        agentKeyFile: "agent.key",
        formerKeyFiles: [],
        watchdogKeyFile: isWatched ? "watchdog.key" : null,
        foreignOrders: "keep",
        maxAwayLossRatio: 0.5,
        limits: accountLimitsSchema.parse({ maxLoss: 50_000 }),
        markets: quoted,
      },
    ],
    server: { host: "127.0.0.1", port: 0, tokenFile: null, requireTokenForReads: false, hosts: [] },
    watchdog: { silenceMs: 10_000, pollMs: 250, daemonUrl: null, host: "127.0.0.1", port: null },
    ledger: { file: "simulated.sqlite", archiveAfterDays: 1 / 1440, maxBytes: 2 ** 30 },
    fleet: null,
    log: { level: "info" },
    settings: [],
    recording: null,
    signals: [],
    webhook: null,
    hash: "simulated000",
  };
}

async function drawQuoted(prng: Prng, marketId: MarketId): Promise<QuotedMarket> {
  const contracts = prng.pick(["0.25", "0.5", "1"]);
  const levels = 1 + prng.below(3);
  const maxPosition = prng.pick([3, 5, 20]);
  const limits = marketLimitsSchema.parse({
    maxPosition,
    maxOrderSize: 2,
    maxOpenOrders: 20,
    maxLoss: 20_000,
    adverseFillsCoolDownMs: 10_000,
  });
  const isGlft = prng.chance(0.3);
  const strategy = isGlft
    ? await loadStrategy("glft", { size: contracts, levels, maxInventory: maxPosition })
    : await loadStrategy("fixed-spread", {
        halfSpreadBps: prng.pick([2, 3, 4]),
        size: contracts,
        levels,
        stepBps: 3,
        skewBps: 1,
      });
  return quotedMarket(marketId, strategy, limits);
}

/** A market with other settings, under a hash of its own. */
export function quotedMarket(
  marketId: MarketId,
  strategy: QuotedMarket["strategy"],
  limits: MarketLimits,
): QuotedMarket {
  const text = stringifyQuoted([strategy.name, strategy.params, limits]);
  return {
    marketId,
    strategy,
    limits,
    requoteDepths: 0,
    queueTicks: 0,
    printSchedule: null,
    premiumBook: null,
    signals: [],
    shadow: null,
    hash: sha256Hex(text).slice(0, 12),
  };
}

/** Time between two prints of the market's index, ms. */
export function printEveryMs({ devnet }: Pick<WorldConfig, "devnet">, marketId: MarketId): number {
  const market = devnet.markets.find((one) => one.marketId === marketId);
  return market?.oracle.source === "synthetic" ? market.oracle.printEverySecs * 1000 : 0;
}
