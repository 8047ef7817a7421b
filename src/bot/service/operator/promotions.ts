// Makes a market's shadow the strategy that trades. The file is changed first, since it defines what runs; then the change goes through an
// ordinary reload, so that fitting orders stay and the limits hold. For a while it is on trial: if it fails or its fills are worse than
// those of the former strategy, that one continues, and the file is changed back.

import { type AccountId, accountId, type MarketId } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/errors.ts";
import { withComment, withPairs, YamlEditError } from "../../../kernel/yaml/edit.ts";
import { ConfigError, formatFault } from "../../../kernel/yaml/fault.ts";
import { unwritable } from "../../../kernel/yaml/files.ts";
import { listAt, mappingOf } from "../../../kernel/yaml/partial-parse.ts";
import { readYaml } from "../../../kernel/yaml/yaml.ts";
import { COMPARED_MIN, ERRORS, type MarkoutTally, worseThan } from "../../analytics/markout-tally.ts";
import type { BotConfig, QuotedMarket } from "../../config/config.ts";
import { strategyHash } from "../../config/market-hash.ts";
import type { TrialLine } from "../../dashboard/status.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import type { MarketDesk } from "../../decider/desks/market-desk.ts";
import type { Shadows } from "../../live/shadow.ts";
import type { LoadedStrategy } from "../../strategy/loader.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { promotionTiming } from "../../timing.ts";
import type { ReadConfig } from "./params.ts";
import type { MarketPreview } from "./preview.ts";
import { fieldsOf, isAccountNumber, isMarketNumber, malformed, type OperatorRefusal } from "./trading-state.ts";

export type PromoteRequest = { readonly accountId: AccountId; readonly marketId: MarketId };

/** `kept` and `canceled`: resting orders, as the plan judged them at that moment; the others were moved. */
export type Promoted = {
  readonly accountId: string;
  readonly marketId: MarketId;
  readonly from: string;
  readonly to: string;
  readonly kept: number;
  readonly canceled: number;
};

/** The configuration's file. `write` replaces it whole or not at all. Both throw what the file system throws. */
export type ConfigFile = { readonly read: () => string; readonly write: (text: string) => void };

export type PromotionModules = {
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly shadows: Pick<Shadows, "of">;
  readonly metrics: Pick<Metrics, "promotions">;
  readonly clock: Clock;
  readonly log: Log;
  readonly file: ConfigFile;
  readonly readConfig: ReadConfig;
  /** Returns what another configuration would do now. */
  readonly preview: (running: BotConfig, wanted: BotConfig) => readonly MarketPreview[];
  /** Applies it like a reload of the file; returns the new configuration. */
  readonly apply: (wanted: BotConfig) => BotConfig;
  /** Replaces one market of the running configuration; the former strategy continues where it was. */
  readonly restore: (account: AccountId, market: QuotedMarket) => void;
  /** The file could not be written back: its remaining difference, a sentence. */
  readonly onUnwritten: (difference: string) => void;
};

type Trial = PromoteRequest & {
  readonly desk: MarketDesk;
  readonly from: QuotedMarket;
  readonly to: LoadedStrategy;
  /** Markouts of the former strategy. */
  readonly markouts: MarkoutTally;
  /** The file before and after the promotion. */
  readonly before: string;
  readonly after: string;
  readonly sinceMs: number;
  readonly sinceWallMs: number;
};

/** The sources of `wanted`: `before` with the promotion is `after`. */
export type Promotion = Pick<Trial, "desk" | "before" | "after" | "to"> & {
  readonly request: PromoteRequest;
  readonly market: QuotedMarket;
  readonly running: BotConfig;
  readonly wanted: BotConfig;
  /** Whether the file is unchanged. */
  readonly isCurrent: () => boolean;
};

const SHAPE = 'the body must be {"account":"12","market":1}';

export function readPromoteRequest(body: string): PromoteRequest | OperatorRefusal {
  const { account, market, ...unknown } = fieldsOf(body) ?? {};
  if (!isAccountNumber(account) || !isMarketNumber(market) || Object.keys(unknown).length > 0) return malformed(SHAPE);
  return { accountId: accountId(BigInt(account)), marketId: market };
}

export class Promotions {
  readonly #modules: PromotionModules;
  readonly #trials = new Map<MarketDesk, Trial>();

  constructor(modules: PromotionModules) {
    this.#modules = modules;
  }

  /** Resolves with the configuration that has the shadow in place of the trading strategy; nothing has changed yet. */
  async propose(request: PromoteRequest, running: BotConfig): Promise<Promotion | OperatorRefusal> {
    const found = this.#find(request, running);
    if ("kind" in found) return found;
    const edited = await this.#edit(request, found.market, running);
    if ("kind" in edited) return edited;
    const isCurrent = (): boolean => this.#modules.file.read() === edited.before;
    return { ...edited, ...found, request, running, isCurrent };
  }

  /** Makes it trade while `running` still runs. A refusal changes nothing. */
  begin(promotion: Promotion): Promoted | OperatorRefusal {
    const { request, running, market, desk, before, after, wanted, to } = promotion;
    const at = ({ accountId: account, marketId }: Pick<MarketPreview, "accountId" | "marketId">): boolean =>
      account === `${request.accountId}` && marketId === request.marketId;
    const { markouts } = desk.strategy;
    const expected = this.#modules.preview(running, wanted).find(at);
    const refused = this.#apply(promotion);
    if (refused !== null) return refused;
    const { clock, log } = this.#modules;
    const [sinceMs, sinceWallMs] = [clock.monotonicMs(), clock.wallMs()];
    this.#trials.set(desk, { ...request, desk, from: market, to, markouts, before, after, sinceMs, sinceWallMs });
    this.#count(request, "promoted");
    log.warn(
      { event: "promotion.began", ...placeOf(request) },
      `market ${request.marketId}: its shadow ${to.name} trades in place of ${market.strategy.name}; ${trialText(markouts)}`,
    );
    return {
      accountId: `${request.accountId}`,
      marketId: request.marketId,
      from: market.strategy.name,
      to: to.name,
      kept: expected?.keeps ?? 0,
      canceled: expected?.cancels ?? 0,
    };
  }

  /** Judges the strategies on trial: call it each second. Returns those to pass to `rollBack`. */
  look(): readonly { readonly trial: Trial; readonly why: string }[] {
    const due: { trial: Trial; why: string }[] = [];
    for (const trial of [...this.#trials.values()]) {
      if (this.#isOver(trial)) continue;
      const worse = worseThan(trial.markouts, trial.desk.strategy.markouts);
      if (worse === null) continue;
      const [mean, bound, error] = [worse.meanBps, worse.bound, worse.errorBps].map((bps) => bps.toFixed(2));
      const fills = trial.desk.strategy.markouts.count;
      due.push({
        trial,
        why: `its ${fills} fills are worth ${mean} bps after 10 s, below ${bound} by more than ${ERRORS} x ${error}`,
      });
    }
    return due;
  }

  /** Returns the trial of a strategy that has failed; null: it is on none. */
  ofFault(market: MarketDesk): Trial | null {
    const trial = this.#trials.get(market);
    return trial === undefined || this.#isOver(trial) ? null : trial;
  }

  /** The former strategy continues; the file is written once it does. */
  rollBack(trial: Trial, why: string): void {
    const { desk, from, to, accountId: account } = trial;
    if (this.#trials.get(desk) !== trial || this.#isOver(trial)) return;
    this.#trials.delete(desk);
    const { strategy, shadow } = from;
    this.#modules.restore(account, { ...desk.quoted, strategy, shadow });
    this.#count(trial, "rolled_back");
    this.#modules.log.error(
      { event: "promotion.rolledBack", ...placeOf(trial) },
      `market ${trial.marketId}: ${to.name} is rolled back to ${strategy.name}, which quotes again: ${why}`,
    );
    this.#writeBack(trial, why);
  }

  trialOf(account: AccountId, market: MarketId): TrialLine | null {
    const desk = this.#modules.desks.get(account)?.markets.get(market);
    const trial = desk && this.#trials.get(desk);
    if (desk === undefined || trial === undefined) return null;
    return { from: trial.from.strategy.name, sinceMs: trial.sinceWallMs, fills: desk.strategy.markouts.count };
  }

  #find({ accountId: account, marketId }: PromoteRequest, { accounts }: BotConfig) {
    const quoted = accounts.find((each) => each.accountId === account);
    if (quoted === undefined) return elsewhere(`account ${account} is not one of this daemon's`);
    const market = quoted.markets.find((each) => each.marketId === marketId);
    const desk = this.#modules.desks.get(account)?.markets.get(marketId);
    if (market === undefined || desk === undefined)
      return elsewhere(`market ${marketId} is not quoted by account ${account}`);
    const shadow = this.#modules.shadows.of(account, marketId);
    if (market.shadow === null || shadow === null)
      return malformed(
        `market ${marketId} of account ${account} has no shadow to promote; give it one: shadow: { strategy, params }`,
      );
    if (shadow.phase === "stopped") return malformed(`the shadow ${shadow.strategy} is stopped: ${shadow.reason}`);
    return { market, desk };
  }

  /** Edits the file to the shadow's strategy in place of the trading one: read and checked like every configuration. */
  async #edit(request: PromoteRequest, { shadow }: QuotedMarket, running: BotConfig) {
    const { file, readConfig } = this.#modules;
    const { accountId: account, marketId } = request;
    try {
      const before = file.read();
      const path = pathOf(before, request);
      const from = { text: before, path: [...path, "shadow"] };
      const after = withPairs(before, path, { strategy: from, params: from, shadow: null });
      const own = `accounts.${account}.markets.${marketId}.params.`;
      const wanted = await readConfig(
        running.settings.filter((setting) => !setting.path.startsWith(own)),
        after,
      );
      const to = marketIn(wanted, request)?.strategy;
      if (to !== undefined && shadow !== null && isSame(to, shadow.strategy)) return { before, after, wanted, to };
      return malformed("the file's shadow is not the one that runs; promote again once the daemon has read the file");
    } catch (error) {
      if (error instanceof ConfigError) return malformed(error.faults.map(formatFault).join("; "));
      if (error instanceof YamlEditError)
        return malformed(
          `market ${marketId} of account ${account} cannot be edited in ${running.file}: ${error.message}; write the shadow's strategy and params in place of the market's there`,
        );
      if (isOfFileSystem(error)) return malformed(`${running.file} cannot be read: ${messageOf(error)}`);
      throw error;
    }
  }

  #apply({ request, wanted, to, before, after }: Promotion): OperatorRefusal | null {
    const { file, apply } = this.#modules;
    try {
      file.write(after);
    } catch (cause) {
      return malformed(`${wanted.file} cannot be written, so nothing is changed: ${unwritable(cause)}`);
    }
    try {
      const now = marketIn(apply(wanted), request);
      if (now !== undefined && isSame(now.strategy, to)) return null;
      file.write(before);
      return malformed("its parameters need a limit that waits for SIGHUP; nothing is changed");
    } catch (error) {
      file.write(before);
      return malformed(messageOf(error));
    }
  }

  /** Writes back the market's part of the file, whatever else has changed in it since. */
  #writeBack(trial: Trial, why: string): void {
    const { file, log, clock, onUnwritten } = this.#modules;
    const { before, after, from, to, sinceWallMs } = trial;
    const at = (ms: number): string => new Date(ms).toISOString();
    const comment = `quoin: ${to.name}, promoted ${at(sinceWallMs)}, was rolled back ${at(clock.wallMs())}: ${why.replaceAll(/\s+/g, " ")}`;
    try {
      const now = file.read();
      const written = { text: before, path: pathOf(before, trial) };
      const path = pathOf(now, trial);
      const text =
        now === after ? before : withPairs(now, path, { strategy: written, params: written, shadow: written });
      file.write(withComment(text, [...path, "shadow"], comment));
    } catch (error) {
      const difference = `the file still says ${to.name}: write strategy ${from.strategy.name} and its params there, or the next reload promotes ${to.name} again (${messageOf(error)})`;
      log.error({ event: "promotion.unwritten", ...placeOf(trial) }, difference);
      onUnwritten(difference);
    }
  }

  /** Ended by time or fills, or by an operator's later setting. */
  #isOver(trial: Trial): boolean {
    const { desk, to, sinceMs } = trial;
    const { count } = desk.strategy.markouts;
    const isOther = !isSame(desk.quoted.strategy, to);
    const isLong = this.#modules.clock.monotonicMs() - sinceMs >= promotionTiming.trialMs;
    if (!isOther && !isLong && count < promotionTiming.trialFills) return false;
    if (this.#trials.get(desk) !== trial) return true;
    this.#trials.delete(desk);
    if (isOther) return true;
    this.#count(trial, "kept");
    this.#modules.log.info(
      { event: "promotion.kept", ...placeOf(trial) },
      `market ${trial.marketId}: ${to.name} is kept: in ${count} fills it was no worse than ${trial.from.strategy.name}`,
    );
    return true;
  }

  #count({ accountId: account, marketId }: PromoteRequest, result: "promoted" | "kept" | "rolled_back"): void {
    this.#modules.metrics.promotions.labels({ account: `${account}`, market: `${marketId}`, result }).inc();
  }
}

const trialText = ({ count }: MarkoutTally): string =>
  count < COMPARED_MIN
    ? `it is rolled back if it fails, or loses by its fills (${count} fills are too few to compare with)`
    : "it is rolled back if it fails, or its fills are worse";

const placeOf = ({ accountId: account, marketId }: PromoteRequest) => ({ account: `${account}`, market: marketId });

const marketIn = ({ accounts }: BotConfig, { accountId: account, marketId }: PromoteRequest) =>
  accounts.find((each) => each.accountId === account)?.markets.find((each) => each.marketId === marketId);

/** Returns the place of a market in a file. Throws YamlEditError. */
function pathOf(text: string, { accountId: account, marketId }: PromoteRequest): readonly (string | number)[] {
  const { value } = readYaml(text);
  const accounts = listAt(value, "accounts");
  const index = accounts.findIndex((each) => String(mappingOf(each).accountId) === `${account}`);
  const markets = listAt(accounts[index], "markets");
  const position = markets.findIndex((each) => String(mappingOf(each).marketId) === `${marketId}`);
  if (position < 0) throw new YamlEditError("it is not in the file");
  return ["accounts", index, "markets", position];
}

const isSame = (a: LoadedStrategy, b: LoadedStrategy): boolean => strategyHash(a) === strategyHash(b);

const isOfFileSystem = (error: unknown): boolean => typeof (error as NodeJS.ErrnoException | null)?.code === "string";

const elsewhere = (why: string): OperatorRefusal => ({ kind: "elsewhere", why });
