// A seeded world of two markets with a crowd and a budget of transactions, and an exchange whose stream falls silent about the books of
// some markets while its connection lives.

import type { BotConfig } from "../../src/bot/config/config.ts";
import { accountLimitsSchema, marketLimitsSchema } from "../../src/bot/risk/limits/limits.ts";
import { loadStrategy } from "../../src/bot/strategy/loader.ts";
import type { Venue } from "../../src/bot/venue/port.ts";
import { defaultFlow, type MarketConfig } from "../../src/devnet/config/config.ts";
import { type MarketId, price, sides } from "../../src/domain/units.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import { World } from "../../src/sim/world.ts";
import { BOT_ACCOUNT, drawWorldConfig, quotedMarket } from "../../src/sim/world-config.ts";
import { plainAccount, plainExchange, plainMarket } from "../support/plain-exchange.ts";
import { untilIn } from "./until.ts";

const LIMITS = { maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 };

/** `all`: no frame of the book comes; `updates`: a new connection still begins with a snapshot. */
export type Silence = "all" | "updates";

export async function silentWorld(of: { readonly seed: number; readonly actionBudget?: number }) {
  const drawn = await drawWorldConfig(createPrng(BigInt(of.seed)));
  const { keys } = drawn;
  const approved = { pubkey: keys.agent.publicKey, name: "bot", expiresAtSec: null };
  const devnet = plainExchange({
    seed: BigInt(of.seed),
    markets: [lively(1, "USA-HPI", 21_694_000_000n), lively(2, "METRO-HPI", 41_250_000_000n)],
    accounts: [plainAccount({ accountId: BOT_ACCOUNT, owner: keys.owner.publicKey, agents: [approved] })],
    flow: { ...defaultFlow, enabled: true, noiseTakersPerSec: 0.02 },
    throttle: { requestsPerSecond: 0, actionBudget: of.actionBudget ?? 400 },
  });
  const [account] = drawn.bot.accounts;
  if (account === undefined) throw new RangeError("the bot of a drawn world has an account");
  const spread = await loadStrategy("fixed-spread", { halfSpreadBps: 4, size: 0.5, levels: 2, stepBps: 4 });
  const glft = await loadStrategy("glft", { size: 0.5, levels: 2, maxInventory: 8 });
  const bot: BotConfig = {
    ...drawn.bot,
    venue: { ...drawn.bot.venue, readLagMaxMs: 250 },
    accounts: [
      {
        ...account,
        limits: accountLimitsSchema.parse({ maxLoss: 500 }),
        markets: [
          quotedMarket(1, spread, marketLimitsSchema.parse({ ...LIMITS, maxPosition: 20 })),
          quotedMarket(2, glft, marketLimitsSchema.parse({ ...LIMITS, maxPosition: 10 })),
        ],
      },
    ],
  };
  const silence: { of: readonly MarketId[]; how: Silence } = { of: [], how: "all" };
  const lines: string[] = [];
  const world = new World({
    seed: BigInt(of.seed),
    worldConfig: {
      ...drawn,
      devnet,
      markets: [1, 2],
      bot,
      machine: { skewMs: 0, driftPpm: 0 },
      network: { baseMs: 5, jitterMs: 1 },
      watchdog: null,
    },
    swaps: { venue: (venue) => behind(venue, silence) },
    onLine: (line) => lines.push(line),
  });
  const isTwoSided = (marketId: MarketId): boolean =>
    sides.every((side) => world.inspector.resting.own(marketId).some((order) => order.side === side));
  return {
    world,
    lines,
    isTwoSided,
    /** The books of these markets say no more; those of all others do. */
    silence(markets: readonly MarketId[], how: Silence = "all"): void {
      silence.of = markets;
      silence.how = how;
    },
    has: (event: string): number => lines.filter((line) => line.includes(`"event":"${event}"`)).length,
    /** What /readyz says, and with which status. */
    readiness(): { readonly status: number; readonly reasons: readonly string[] } {
      const { status, body } = world.daemon.ask("GET /readyz") as { readonly status: number; readonly body: string };
      return { status, reasons: (JSON.parse(body) as { readonly reasons: readonly string[] }).reasons };
    },
    /** Transactions of the account until now. */
    used: (): number => Number(world.exchange.chain.reads.rateLimit(BOT_ACCOUNT)?.requestsUsed ?? 0n),
    until: untilIn(world),
    /** The share of `ms` in which the market had orders of ours on both sides. `look` looks once a second. */
    async twoSided(marketId: MarketId, ms: number, look = (): void => {}): Promise<number> {
      let count = 0;
      for (let atMs = 0; atMs < ms; atMs += 20) {
        await world.clock.advance(20);
        if (isTwoSided(marketId)) count += 1;
        if (atMs % 1000 === 0) look();
      }
      return (count * 20) / ms;
    },
  };
}

function lively(marketId: MarketId, name: string, at: bigint): MarketConfig {
  const oracle = {
    source: "synthetic",
    price: price(at),
    printEverySecs: 45,
    validForSecs: 90,
    driftPercent: 0.000_02,
    volatilityPercent: 0.045,
    autocorrelation: 0.76,
  } as const;
  return { ...plainMarket, marketId, name, oracle };
}

/** Swallows the books of silent markets. */
function behind(venue: Venue, silence: { readonly of: readonly MarketId[]; readonly how: Silence }): Venue {
  return {
    ...venue,
    stream(channels, onEvent) {
      const begun = new Set<MarketId>();
      return venue.stream(channels, (event) => {
        if (event.kind === "streamOpened") begun.clear();
        if (event.kind !== "book") return onEvent(event);
        const { marketId } = event.book;
        const isSnapshot = !begun.has(marketId);
        begun.add(marketId);
        if (!silence.of.includes(marketId) || (isSnapshot && silence.how === "updates")) onEvent(event);
      });
    },
  };
}
