// How markets were quoted by the hour, for the ledger: written every few seconds, at the end of each hour and at the stop. Reports of live
// periods use it.

import type { AccountId } from "../../domain/units.ts";
import { type Clock, HOUR_MS } from "../../kernel/clock.ts";
import { hourText, minusCounts, noCounts, type QuoteCounts } from "../analytics/hour.ts";
import type { AccountDesk } from "../decider/desks/account-desk.ts";
import type { MarketDesk } from "../decider/desks/market-desk.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { ExchangeState } from "../market/state.ts";
import { chainTimeMs } from "../market/time.ts";
import { deskTiming, processTiming } from "../timing.ts";

export type HoursModules = {
  readonly state: Pick<ExchangeState, "chain">;
  readonly ledger: Pick<Ledger, "keep">;
  readonly clock: Clock;
};

/** Looks over which all markets are written, so that none occupies the loop for long. */
const PARTS = deskTiming.markedEveryMs / processTiming.keepMs;

export class HoursKeeper {
  readonly #desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly #modules: HoursModules;
  /** When this run began, wall ms. */
  readonly #beganMs: number;
  /** Each market's counts when the hour began. */
  #before = new Map<MarketDesk, QuoteCounts>();
  /** Hours since 1970 (UTC); null while chain time was never known. It never goes back, since a clock set back would overwrite a row. */
  #hour: number | null = null;
  #part = 0;

  constructor(desks: ReadonlyMap<AccountId, AccountDesk>, modules: HoursModules) {
    this.#desks = desks;
    this.#modules = modules;
    this.#beganMs = modules.clock.wallMs();
  }

  /** Call it each second. */
  look(): void {
    const { state, clock } = this.#modules;
    const chainMs = chainTimeMs(state, clock.monotonicMs());
    if (chainMs === null) return;
    const hour = Math.floor(Math.min(chainMs, clock.wallMs()) / HOUR_MS);
    if (this.#hour !== null && hour > this.#hour) {
      this.keep();
      this.#before = new Map(this.#markets().map((market) => [market, countsOf(market)]));
    }
    this.#hour = Math.max(this.#hour ?? hour, hour);
    this.#write(this.#markets().filter((_, nth) => nth % PARTS === this.#part));
    this.#part = (this.#part + 1) % PARTS;
  }

  /** Writes the hour so far down. */
  keep(): void {
    this.#write(this.#markets());
  }

  #write(markets: readonly MarketDesk[]): void {
    const { ledger, clock } = this.#modules;
    const hour = this.#hour;
    if (hour === null) return;
    for (const market of markets) {
      const { accountId, marketId, quoted } = market;
      const { currentMarks } = market.pnl;
      const { strategy, hash, limits } = quoted;
      const { maxPosition, maxLoss } = limits;
      const since = minusCounts(countsOf(market), this.#before.get(market) ?? noCounts);
      ledger.keep({
        kind: "hour",
        hour: {
          accountId,
          marketId,
          hour,
          beganMs: this.#beganMs,
          prices: currentMarks,
          state: hourText({ ...since, strategy: strategy.name, config: hash, maxPosition, maxLoss }),
          atMs: clock.wallMs(),
        },
      });
    }
  }

  #markets(): readonly MarketDesk[] {
    return [...this.#desks.values()].flatMap(({ markets }) => [...markets.values()]);
  }
}

/** Since the run began. */
const countsOf = ({ quoting: { watchedSecs, silentSecs }, fills }: MarketDesk): QuoteCounts => ({
  watchedSecs,
  twoSidedSecs: fills.quotedSeconds,
  silentSecs: { buy: Object.fromEntries(silentSecs.buy), sell: Object.fromEntries(silentSecs.sell) },
  markouts: fills.means.sums(),
});
