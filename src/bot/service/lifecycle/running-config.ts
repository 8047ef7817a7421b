// The running configuration and its changes: reloads, an operator's settings, promotions and rollbacks. A change is read in the background
// against one version of the configuration and applies only to that version: after another change it is read again. Tightened limits and
// rollbacks do not wait for reading. A refused change changes nothing.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import { instantOf } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/errors.ts";
import type { BotConfig, QuotedMarket } from "../../config/config.ts";
import { shortHash } from "../../config/market-hash.ts";
import type { Setting } from "../../config/setting.ts";
import type { TrialLine } from "../../dashboard/status.ts";
import { marketText } from "../../decider/desks/kept-estimates.ts";
import { changedConfig, isOfLimits, type ParamsRequest, pathsOf, tightenedConfig } from "../operator/params.ts";
import {
  differencesOf,
  otherConfig,
  type Preview,
  type PreviewRequest,
  previewOf,
  wholePreview,
} from "../operator/preview.ts";
import { type Promoted, type PromoteRequest, Promotions } from "../operator/promotions.ts";
import type { Judged } from "../operator/proposals.ts";
import { malformed, type OperatorRefusal } from "../operator/trading-state.ts";
import type { Phase } from "../watchdog/heartbeat.ts";
import type { BotModules, BotParts } from "./build.ts";
import {
  type Authority,
  applyReload,
  prepareReload,
  ReloadRefusal,
  type ReloadTrigger,
  restoreMarket,
} from "./reload.ts";

export type Around = {
  readonly phase: () => Phase;
  /** Another configuration is in force. */
  readonly onApplied: () => void;
};

/** `asked`: the version that ran when the reload was requested. Settings of an operator since then are newer. */
export type Reload = {
  readonly by: ReloadTrigger;
  readonly asked: number;
  /** Reads the configuration with these settings in it; null: there is nothing to apply. */
  readonly read: (settings: readonly Setting[]) => Promise<BotConfig | null>;
};

/** `isCurrent`: false once its source has changed. */
type Proposal = { readonly wanted: BotConfig; readonly isCurrent?: () => boolean };

export class RunningConfig {
  readonly #parts: BotParts;
  readonly #modules: BotModules;
  readonly #around: Around;
  #config: BotConfig;
  #version = 0;
  /** By path: the version that its last setting made. */
  readonly #setAs = new Map<string, number>();
  #preparing: Promise<void> = Promise.resolve();
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

  /** Hash of everything with which the accounts trade. */
  get hash(): string {
    return hashOf(this.#config);
  }

  /** Grows with each change. */
  get version(): number {
    return this.#version;
  }

  /** Keeps what an operator has set since the request: a parameter as it is, a limit at least as tight. */
  async reload({ by, asked, read }: Reload): Promise<void> {
    const isHeld = (path: string): boolean => (this.#setAs.get(path) ?? 0) > asked;
    await this.#change(
      async ({ settings }) => {
        const wanted = await read(settings.filter(({ path }) => isHeld(path) && !isLimit(path)));
        return wanted && { wanted };
      },
      ({ wanted }) => this.#apply(wanted, { by, isHeld }),
    );
  }

  /** The saved file cannot run: `why`, a sentence. */
  refused(why: string): void {
    this.#unapplied = [why];
    this.#parts.metrics.configReloads.labels({ result: "refused" }).inc();
  }

  /** How the saved file differs from the running configuration, a sentence each. */
  get fileDifferences(): readonly string[] {
    const set = this.#config.settings.map(
      ({ path, value }) => `${path} was set to ${JSON.stringify(value)} by an operator; the file does not have it`,
    );
    return [...this.#unapplied, ...set];
  }

  /** `judged`: the change must still give the same result on the same configuration. */
  readonly change = async (request: ParamsRequest, judged?: Judged): Promise<BotConfig | OperatorRefusal> => {
    const { readConfig } = this.#modules;
    if (this.#around.phase() !== "trading" || readConfig === undefined) return this.#notTrading();
    const checked = (running: BotConfig, wanted: BotConfig | OperatorRefusal): BotConfig | OperatorRefusal => {
      if (judged === undefined || "kind" in wanted) return wanted;
      const isSame = hashOf(running) === judged.running && hashOf(wanted) === judged.makes;
      return isSame ? wanted : { kind: "closed", why: "the configuration has changed since the proposal" };
    };
    if (isOfLimits(request)) {
      const wanted = checked(this.#config, tightenedConfig(request, this.#config));
      return "kind" in wanted ? wanted : this.#set(request, wanted);
    }
    const set = await this.#change(
      async (running) => {
        const wanted = checked(running, await changedConfig(request, running, readConfig));
        return "kind" in wanted ? wanted : { wanted };
      },
      ({ wanted }) => this.#set(request, wanted),
    ).catch((error: unknown) => {
      if (error instanceof ReloadRefusal) return malformed(error.message);
      throw error;
    });
    return set ?? this.#notTrading();
  };

  /** Resolves with the effect of the change on the running configuration; nothing changes. */
  readonly judge = async (request: ParamsRequest): Promise<Judged | OperatorRefusal> => {
    const { readConfig } = this.#modules;
    if (this.#around.phase() !== "trading" || readConfig === undefined) return this.#notTrading();
    const running = this.#config;
    const wanted = await changedConfig(request, running, readConfig);
    if ("kind" in wanted) return wanted;
    return { running: hashOf(running), makes: hashOf(wanted), difference: differencesOf(running, wanted) };
  };

  readonly preview = async (request: PreviewRequest): Promise<Preview | OperatorRefusal> => {
    const { readConfig, readOther } = this.#modules;
    if (this.#around.phase() !== "trading" || readConfig === undefined || readOther === undefined)
      return this.#notTrading();
    for (;;) {
      const [running, version] = [this.#config, this.#version];
      const wanted =
        "change" in request
          ? await changedConfig(request.change, running, readConfig)
          : await otherConfig(running, () => (request.file === null ? readConfig([]) : readOther(request.file)));
      if ("kind" in wanted) return wanted;
      if (this.#version === version) return wholePreview(running, wanted, this.#parts);
    }
  };

  readonly promote = async (request: PromoteRequest): Promise<Promoted | OperatorRefusal> => {
    const promotions = this.#promotions;
    if (promotions === null) return this.#notTrading();
    const promoted = await this.#change(
      (running) => promotions.propose(request, running),
      (proposal) => promotions.begin(proposal),
    ).catch((error: unknown) => malformed(messageOf(error)));
    return promoted ?? this.#notTrading();
  };

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

  /**
   * Applies what `propose` finds against the running configuration, once it is prepared and while the same one runs. Null: nothing to
   * apply, or the daemon does not trade. Rejects as they do; nothing has changed then.
   */
  async #change<P extends Proposal, T>(
    propose: (running: BotConfig) => Promise<P | OperatorRefusal | null>,
    carryOut: (proposal: P) => T,
  ): Promise<T | OperatorRefusal | null> {
    while (this.#around.phase() === "trading") {
      const [running, version] = [this.#config, this.#version];
      const proposal = await propose(running);
      if (proposal === null || "kind" in proposal) return proposal;
      const { wanted, isCurrent = () => true } = proposal;
      const done = await this.#next(async () => {
        const isStill = (): boolean => this.#version === version && this.#around.phase() === "trading" && isCurrent();
        if (isStill()) await prepareReload(running, wanted, this.#parts, this.#modules);
        return isStill() ? { done: carryOut(proposal) } : null;
      });
      if (done !== null) return done.done;
    }
    return null;
  }

  /** Key changes run one after the other. */
  #next<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#preparing.then(act);
    this.#preparing = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  readonly #notTrading = (): OperatorRefusal => malformed(`the daemon is ${this.#around.phase()}`);

  /** Keeps the known differences where the file was not read for this change. */
  #set(request: ParamsRequest, wanted: BotConfig): BotConfig {
    const before = this.#unapplied;
    this.#apply(wanted, { by: "file" });
    if (isOfLimits(request)) this.#unapplied = before;
    for (const path of pathsOf(request)) this.#setAs.set(path, this.#version);
    return this.#config;
  }

  #apply(wanted: BotConfig, authority: Authority): void {
    const { config, unapplied } = applyReload(this.#config, wanted, authority, this.#parts, this.#modules);
    this.#unapplied = unapplied;
    this.#hold(config);
    this.#parts.metrics.configReloads.labels({ result: "applied" }).inc();
    this.#around.onApplied();
  }

  #hold(config: BotConfig): void {
    this.#config = config;
    this.#version += 1;
    this.followShadows();
  }

  #promotionsOf({ readConfig, configFile: file, clock, log }: BotModules): Promotions | null {
    if (readConfig === undefined || file === undefined) return null;
    const { desks, shadows, metrics, onStrategyFault } = this.#parts;
    const preview = (running: BotConfig, wanted: BotConfig) => previewOf(running, wanted, this.#parts);
    const apply = (wanted: BotConfig) => {
      this.#apply(wanted, { by: "file" });
      return this.#config;
    };
    const restore = (account: AccountId, market: QuotedMarket) =>
      this.#hold(restoreMarket(this.#config, account, market, this.#parts, { clock }));
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

  /** After the turn that may have shown the fault. */
  #rollBack(...of: Parameters<Promotions["rollBack"]>): void {
    void Promise.resolve().then(() => {
      if (this.#around.phase() === "trading") this.#promotions?.rollBack(...of);
    });
  }
}

/** The file's hash alone does not show a limit that waits for SIGHUP, nor a strategy's code. */
const hashOf = ({ hash, accounts }: BotConfig): string =>
  shortHash({
    hash,
    accounts: accounts.map(({ accountId, limits, markets }) => ({
      accountId,
      limits,
      markets: markets.map(({ marketId, hash: of }) => ({ marketId, hash: of })),
    })),
  });

const isLimit = (path: string): boolean => /\.limits\.\w+$/.test(path);
