// The configuration that runs, and all that changes it, one after the other: reloads, what an operator sets, promotions and their way back.
// What is refused changes nothing.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import { instantOf } from "../../../kernel/clock.ts";
import type { BotConfig, QuotedMarket } from "../../config/config.ts";
import type { TrialLine } from "../../dashboard/status.ts";
import { marketText } from "../desks/kept-estimates.ts";
import { malformed, type OperatorRefusal } from "../operator/operator.ts";
import { changedConfig, type ParamsRequest } from "../operator/params.ts";
import { type MarketPreview, otherConfig, type PreviewRequest, previewOf } from "../operator/preview.ts";
import { type Promoted, type PromoteRequest, Promotions } from "../operator/promotions.ts";
import type { Phase } from "../watchdog/heartbeat.ts";
import type { BotModules, BotParts } from "./build.ts";
import { applyReload, ReloadRefusal, type ReloadTrigger, restoreMarket } from "./reload.ts";

export type Around = {
  readonly phase: () => Phase;
  /** Another configuration holds. */
  readonly onApplied: () => void;
};

export class RunningConfig {
  readonly #parts: BotParts;
  readonly #modules: BotModules;
  readonly #around: Around;
  #config: BotConfig;
  #changes: Promise<void> = Promise.resolve();
  #unapplied: readonly string[] = [];
  /** Null: the configuration has no file here. */
  readonly #promotions: Promotions | null;

  constructor(config: BotConfig, parts: BotParts, modules: BotModules, around: Around) {
    this.#config = config;
    this.#parts = parts;
    this.#modules = modules;
    this.#around = around;
    this.#promotions = this.#promotionsOf(modules);
    for (const result of ["applied", "refused"]) parts.metrics.configReloads.labels({ result });
  }

  get config(): BotConfig {
    return this.#config;
  }

  reload(config: BotConfig, by: ReloadTrigger): Promise<void> {
    return this.#next(() => this.#apply(config, by));
  }

  /** The file as it is saved cannot run: `why`, a sentence. */
  refused(why: string): void {
    this.#unapplied = [why];
    this.#parts.metrics.configReloads.labels({ result: "refused" }).inc();
  }

  /** In what the saved file differs from what runs, a sentence each. */
  get fileDifferences(): readonly string[] {
    const set = this.#config.settings.map(
      ({ path, value }) => `${path} was set to ${JSON.stringify(value)} by an operator; the file does not have it`,
    );
    return [...this.#unapplied, ...set];
  }

  /** What an operator sets goes the way of the file; the reads follow each other, so that none loses what another has set. */
  readonly change = (request: ParamsRequest): Promise<BotConfig | OperatorRefusal> => {
    const { readConfig } = this.#modules;
    return this.#next(async () => {
      if (this.#around.phase() !== "trading" || readConfig === undefined) return this.#notTrading();
      const wanted = await changedConfig(request, this.#config, readConfig);
      if ("kind" in wanted) return wanted;
      try {
        await this.#apply(wanted, "file");
      } catch (error) {
        if (error instanceof ReloadRefusal) return malformed(error.message);
        throw error;
      }
      return this.#config;
    });
  };

  readonly preview = async (request: PreviewRequest): Promise<readonly MarketPreview[] | OperatorRefusal> => {
    const { readConfig, readOther } = this.#modules;
    if (this.#around.phase() !== "trading" || readConfig === undefined || readOther === undefined)
      return this.#notTrading();
    const wanted =
      "change" in request
        ? await changedConfig(request.change, this.#config, readConfig)
        : await otherConfig(this.#config, () => (request.file === null ? readConfig([]) : readOther(request.file)));
    return "kind" in wanted ? wanted : previewOf(this.#config, wanted, this.#parts);
  };

  readonly promote = (request: PromoteRequest): Promise<Promoted | OperatorRefusal> =>
    this.#next(async () => {
      const promotions = this.#around.phase() === "trading" ? this.#promotions : null;
      return promotions === null ? this.#notTrading() : promotions.promote(request, this.#config);
    });

  /** Judges promoted strategies: call it each second. */
  look(): void {
    for (const { trial, why } of this.#promotions?.look() ?? []) this.#rollBack(trial, why);
  }

  trialOf(account: AccountId, market: MarketId): TrialLine | null {
    return this.#promotions?.trialOf(account, market) ?? null;
  }

  followShadows(): void {
    const { shadows, desks, chainId } = this.#parts;
    shadows.follow(this.#config, {
      own: (account, market) => desks.get(account)?.markets.get(market)?.last?.view ?? { orders: [], vacated: [] },
      estimates: (account, market) => {
        const desk = desks.get(account)?.markets.get(market);
        return desk === undefined ? null : marketText(desk, chainId, instantOf(this.#modules.clock));
      },
    });
  }

  #next<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#changes.then(act);
    this.#changes = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  readonly #notTrading = (): OperatorRefusal => malformed(`the daemon is ${this.#around.phase()}`);

  async #apply(config: BotConfig, by: ReloadTrigger): Promise<void> {
    if (this.#around.phase() !== "trading") return;
    const { config: applied, unapplied } = await applyReload(this.#config, config, by, this.#parts, this.#modules);
    this.#config = applied;
    this.#unapplied = unapplied;
    this.#parts.metrics.configReloads.labels({ result: "applied" }).inc();
    this.followShadows();
    this.#around.onApplied();
  }

  #promotionsOf({ readConfig, configFile: file, clock, log }: BotModules): Promotions | null {
    if (readConfig === undefined || file === undefined) return null;
    const { desks, shadows, metrics, onStrategyFault } = this.#parts;
    const preview = (running: BotConfig, wanted: BotConfig) => previewOf(running, wanted, this.#parts);
    const apply = async (wanted: BotConfig) => {
      await this.#apply(wanted, "file");
      return this.#config;
    };
    const restore = (account: AccountId, market: QuotedMarket) => {
      this.#config = restoreMarket(this.#config, account, market, this.#parts);
      this.followShadows();
    };
    const onUnwritten = (difference: string) => {
      this.#unapplied = [...this.#unapplied, difference];
    };
    const beside = { desks, shadows, metrics, clock, log, file, readConfig, onUnwritten };
    const promotions = new Promotions({ ...beside, preview, apply, restore });
    onStrategyFault((market, fault) => {
      const trial = promotions.ofFault(market);
      if (trial !== null) this.#rollBack(trial, `the strategy ${fault.message}`);
    });
    return promotions;
  }

  /** Between two changes: each believes what it found running. */
  #rollBack(...of: Parameters<Promotions["rollBack"]>): void {
    void this.#next(async () => {
      if (this.#around.phase() === "trading") this.#promotions?.rollBack(...of);
    });
  }
}
