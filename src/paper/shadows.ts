// The shadows of a daemon's markets. Each is a bot of its own in this process that trades one market on paper with one account. Its ledger,
// halts, log and metrics are separate from the trading bot, and a fault ends only the shadow.

import type { BotConfig, QuotedAccount, QuotedMarket, ShadowConfig } from "../bot/config/config.ts";
import { marketHash, shadowHash, shortHash } from "../bot/config/market-hash.ts";
import { agentKeyOf } from "../bot/execution/agent-key.ts";
import { forgetfulEngine } from "../bot/ledger/memory/forgetful.ts";
import type { Beside, Shadow, ShadowPhase, Shadows } from "../bot/live/shadow.ts";
import { type Bot, startBot } from "../bot/service/lifecycle/bot.ts";
import type { BotModules } from "../bot/service/lifecycle/build.ts";
import { readAtStart } from "../bot/service/lifecycle/start-checks.ts";
import { createLog, type Log } from "../bot/telemetry/log.ts";
import { createMetrics } from "../bot/telemetry/metrics.ts";
import type { Venue } from "../bot/venue/port.ts";
import type { OutsideEvent } from "../domain/event.ts";
import { type AccountId, accountId, type MarketId } from "../domain/units.ts";
import { sleep } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import type { Prng } from "../kernel/prng.ts";
import { MarketFeed } from "./market-feed.ts";
import { openPaper } from "./open-paper.ts";
import { forgetfulStore, type PaperModules } from "./paper-exchange.ts";

export type ShadowModules = Pick<BotModules, "clock" | "log" | "supervise" | "version" | "commit"> &
  Pick<PaperModules, "verifier" | "enclave"> & { readonly prng: Prng };

/** The account of each shadow's exchange. Above any real account id; its trades belong to no one else. */
const SHADOW_ACCOUNT = accountId(2n ** 53n - 993n);
/** Signs only for paper exchanges; not a secret. */
const KEY_SEED = new Uint8Array(32).fill(0x5a);
/** At the daemon's end, a shadow is waited for at most this long, ms. */
const CLOSE_MS_MAX = 2000;

/** `venue`: the exchange for the trading bot; its shadows see the same. */
export function createShadows(real: Venue, modules: ShadowModules): Shadows & { readonly venue: Venue } {
  const feed = new MarketFeed(real, modules.clock);
  const running = new Map<string, RunningShadow>();
  const of = (account: AccountId, market: MarketId): string => `${account}/${market}`;
  return {
    venue: feed.venue,
    follow(config, beside) {
      const wanted = new Map<string, Wanted>();
      for (const account of config.accounts)
        for (const market of account.markets) {
          const { shadow } = market;
          if (shadow !== null) wanted.set(of(account.accountId, market.marketId), { config, account, market, shadow });
        }
      for (const [place, shadow] of running) {
        const next = wanted.get(place);
        if (next !== undefined && shadow.follow(next)) wanted.delete(place);
        else {
          running.delete(place);
          void shadow.close();
        }
      }
      for (const [place, next] of wanted) running.set(place, new RunningShadow(next, beside, feed, modules));
    },
    of: (account, market) => running.get(of(account, market))?.shown() ?? null,
    hear(event) {
      for (const shadow of running.values()) shadow.hear(event);
    },
    async close() {
      const closing = Promise.all([...running.values()].map((shadow) => shadow.close()));
      await Promise.race([closing, sleep(modules.clock, CLOSE_MS_MAX)]);
    },
  };
}

/** A market that should have a shadow. */
type Wanted = {
  readonly config: BotConfig;
  readonly account: QuotedAccount;
  readonly market: QuotedMarket;
  readonly shadow: ShadowConfig;
};

class RunningShadow {
  readonly #modules: ShadowModules;
  readonly #hash: string | null;
  readonly #name: string;
  readonly #place: { readonly account: string; readonly market: MarketId };
  #config: BotConfig;
  readonly #starting: Promise<Bot | null>;
  #bot: Bot | null = null;
  #phase: ShadowPhase = "starting";
  #reason: string | null = null;
  #closing: Promise<void> | null = null;

  constructor(wanted: Wanted, beside: Beside, feed: MarketFeed, modules: ShadowModules) {
    const { account, market, shadow } = wanted;
    this.#modules = modules;
    this.#hash = shadowHash(shadow);
    this.#name = shadow.strategy.name;
    this.#place = { account: `${account.accountId}`, market: market.marketId };
    this.#config = shadowConfig(wanted);
    this.#starting = this.#start(wanted, beside, feed).catch((error: unknown) => {
      this.#end("stopped", `it did not start: ${messageOf(error)}`);
      return null;
    });
  }

  /** Returns false if a different shadow is wanted. Limits are the market's current ones. */
  follow(wanted: Wanted): boolean {
    if (shadowHash(wanted.shadow) !== this.#hash) return false;
    const next = shadowConfig(wanted);
    if (next.hash === this.#config.hash) return true;
    this.#config = next;
    const read = async (): Promise<BotConfig> => this.#config;
    void this.#starting.then((bot) => bot?.reload({ by: "signal", asked: bot.configVersion, read })).catch(() => {});
    return true;
  }

  shown(): Shadow {
    const status = this.#bot?.status().accounts[0]?.markets[0] ?? null;
    return { strategy: this.#name, phase: this.#phase, reason: this.#reason, status };
  }

  hear(event: OutsideEvent): void {
    this.#bot?.hear(event);
  }

  close(): Promise<void> {
    this.#closing ??= this.#starting
      .then((bot) => bot?.stop())
      .then(
        () => {},
        () => {},
      );
    return this.#closing;
  }

  async #start({ account, market, shadow, config }: Wanted, beside: Beside, feed: MarketFeed): Promise<Bot> {
    const { clock, log, prng, verifier, enclave, supervise, version, commit } = this.#modules;
    const { marketId } = market;
    const own = () => beside.own(account.accountId, marketId);
    const key = agentKeyOf(enclave.signerOf(KEY_SEED));
    const paper = {
      accountId: SHADOW_ACCOUNT,
      paper: shadow,
      publicKey: key.publicKey,
      markets: [marketId],
      assumedFeeBps: market.limits.assumedFeeBps,
    };
    const draws = prng.fork(`shadow ${account.accountId} ${marketId}`);
    const venue = await openPaper(config.venue.chainId, [paper], feed.beside(marketId, own), {
      clock,
      prng: draws.fork("paper"),
      verifier,
      enclave,
      log: () => {},
      read: (what, read) => readAtStart(what, read, clock),
      storeOf: () => forgetfulStore,
    });
    const engine = forgetfulEngine();
    const state = beside.estimates(account.accountId, marketId);
    // It starts with the market's estimates, as the trading bot would with other parameters.
    const estimates = () =>
      state === null ? [] : [{ accountId: SHADOW_ACCOUNT, marketId, state, atMs: clock.wallMs() }];
    const bot = await startBot(
      this.#config,
      {
        venue,
        keys: new Map([[SHADOW_ACCOUNT, key]]),
        reloadKey: async (_, running) => running,
        ledger: { ...engine, read: { ...engine.read, estimates } },
        prng: draws,
        release: () => {},
      },
      {
        clock,
        log: this.#listening(),
        metrics: createMetrics(),
        serve: async () => ({ url: "", close: async () => {} }),
        version,
        commit,
        ...(supervise === undefined ? {} : { supervise }),
      },
    );
    this.#bot = bot;
    if (this.#phase === "starting") this.#phase = "running";
    log.info(
      { event: "shadow.started", ...this.#place },
      `market ${marketId}: ${this.#name} runs beside ${market.strategy.name} as its shadow; nothing of it is sent`,
    );
    return bot;
  }

  /** Its own log shows why it stops or halts. */
  #listening(): Log {
    const write = (text: string): void => {
      const { event, reason, msg } = JSON.parse(text) as Readonly<Record<string, string | undefined>>;
      if (event === "strategy.fault" || event === "turn.fault") this.#end("stopped", msg ?? "a fault");
      else if (event === "strategy.memory" || event === "strategy.leftOut") this.#tell(event, msg ?? "");
      else if (event === "latch.tripped") this.#end("halted", reason ?? msg ?? "a limit");
    };
    return createLog("warn", { write, terminal: false, wallMs: this.#modules.clock.wallMs });
  }

  /** Reports events that do not end it. */
  #tell(event: string, words: string): void {
    this.#modules.log.warn({ event: event.replace("strategy", "shadow"), ...this.#place }, `its shadow: ${words}`);
  }

  #end(phase: "stopped" | "halted", reason: string): void {
    if (this.#phase === "stopped" || this.#phase === phase) return;
    this.#phase = phase;
    this.#reason = reason;
    // It may be in the middle of a turn.
    if (phase === "stopped") this.#modules.clock.after(0, () => void this.close());
    this.#modules.log.warn(
      { event: `shadow.${phase}`, ...this.#place },
      `market ${this.#place.market}: its shadow ${this.#name} is ${phase}: ${reason}; trading is not affected`,
    );
  }
}

/** Configuration of a bot with only this account and market. */
function shadowConfig({ config, account, market, shadow }: Wanted): BotConfig {
  const { strategy, collateral, queueModel, latencyMs } = shadow;
  const { marketId, limits, requoteDepths, queueTicks, printSchedule, premiumBook, signals } = market;
  const quoted = { strategy, limits, requoteDepths, queueTicks, printSchedule, premiumBook, signals };
  const hash = marketHash(quoted);
  const markets = [{ marketId, ...quoted, shadow: null, hash }];
  return {
    ...config,
    accounts: [
      {
        ...account,
        accountId: SHADOW_ACCOUNT,
        paper: { collateral, queueModel, latencyMs },
        agentKeyFile: null,
        formerKeyFiles: [],
        watchdogKeyFile: null,
        markets,
      },
    ],
    ledger: { ...config.ledger, file: null },
    fleet: null,
    webhook: null,
    settings: [],
    hash: shortHash({ market: hash, limits: account.limits }),
  };
}
