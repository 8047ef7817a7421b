// A screening: many settings over one tape, each with the decisions of the bot that trades, its fills by a queue model. It ignores the
// crowd's reaction to our orders, so it only preselects settings for a full backtest.

import type { BotConfig, QuotedAccount } from "../../bot/config/config.ts";
import type { QueueModel } from "../../domain/queue.ts";
import { DAY_MS } from "../../kernel/clock.ts";
import { createPrng } from "../../kernel/prng.ts";
import type { BacktestJob, Outcome, WorldLine } from "../outcome.ts";
import { Recorder } from "../recorder.ts";
import type { ScreenAccount } from "./account-read.ts";
import { ScreenError, ScreenExchange } from "./screen-exchange.ts";
import { ScreenedAccount } from "./screened-account.ts";
import { play, type Tape } from "./tape.ts";

/** A setting on a tape. */
export type Screening = {
  readonly bot: BotConfig;
  readonly job: Omit<BacktestJob, "sources">;
  readonly account: Omit<ScreenAccount, "accountId">;
  readonly model: QueueModel;
  readonly world: WorldLine;
};

/** Returns one outcome per setting, in order. Throws ScreenError where a setting needs what a tape does not hold. */
export function screen(tape: Tape, screenings: readonly Screening[]): readonly Outcome[] {
  const runs = screenings.map((screening) => new Run(tape, screening));
  play(tape, (atMs, events) => {
    for (const run of runs) {
      run.advance(atMs);
      for (const event of events) run.account.hear(event);
      run.end(atMs);
    }
  });
  return runs.map((run) => run.outcome(tape.lastsMs));
}

class Run {
  readonly account: ScreenedAccount;
  readonly #tape: Tape;
  readonly #screening: Screening;
  readonly #exchange: ScreenExchange;
  readonly #recorder: Recorder;

  constructor(tape: Tape, screening: Screening) {
    const { bot, job, model, world } = screening;
    const account = accountToScreen(bot);
    this.#tape = tape;
    this.#screening = screening;
    this.#exchange = new ScreenExchange(tape, { accountId: account.accountId, ...screening.account }, model);
    this.#recorder = new Recorder(bot, this.#exchange.chain, {
      startMs: tape.startMs + Math.round(job.warmUpDays * DAY_MS),
      keepsFills: job.keepsFills,
      keepsBlocks: job.recording !== undefined,
    });
    const latencyMs = world.orderMs + world.feedMs;
    const prng = createPrng(job.seed).fork("screen");
    this.account = new ScreenedAccount({ bot, account, head: tape, latencyMs }, this.#exchange, prng);
  }

  /** Acts at every instant before `atMs` at which something is due. */
  advance(atMs: number): void {
    for (let dueMs = this.account.dueMs; dueMs < atMs; dueMs = this.account.dueMs) {
      this.account.act(dueMs);
      this.#exchange.endBlock(this.#tape.startMs + dueMs);
    }
  }

  end(atMs: number): void {
    this.account.act(atMs);
    this.#exchange.endBlock(this.#tape.startMs + atMs);
  }

  outcome(lastsMs: number): Outcome {
    this.advance(lastsMs);
    this.#exchange.endBlock(this.#tape.startMs + lastsMs);
    const { job, world } = this.#screening;
    return this.#recorder.end(job, world);
  }
}

/** The account of a configuration that can be screened. Throws ScreenError where it cannot. */
export function accountToScreen({ accounts }: BotConfig): QuotedAccount {
  const [account, ...more] = accounts;
  if (account === undefined || more.length > 0)
    throw new ScreenError(`a screening runs one account, and the configuration has ${accounts.length}`);
  const informed = account.markets.find(({ signals }) => signals.length > 0);
  if (informed !== undefined)
    throw new ScreenError(`market ${informed.marketId} uses outside facts (signals), which a screening does not have`);
  const premium = account.markets.find(({ premiumBook }) => premiumBook !== null);
  if (premium !== undefined)
    throw new ScreenError(`market ${premium.marketId} has a premium book, which a screening does not run`);
  return account;
}
