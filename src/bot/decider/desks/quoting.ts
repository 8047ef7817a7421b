// Whether one market is quoted, from turn to turn: what of its target quotes does not rest, for how long, and whether the market can act
// at all. Guard, metrics and log read it; the sentences are made in standing.ts.

import { type Command, isCancel } from "../../../domain/command.ts";
import type { SubmitOutcome } from "../../../domain/event.ts";
import { opposite, type Side, sides } from "../../../domain/units.ts";
import type { DropReason } from "../../execution/queue.ts";
import type { StuckQuotes, StuckSide } from "../../risk/risk-state.ts";
import type { MarketMetrics } from "../../telemetry/bound.ts";
import { deskTiming } from "../../timing.ts";
import type { Turn } from "../turn.ts";
import { type Lack, SideProgress } from "./progress.ts";
import type { QuotingReport } from "./quoting-report.ts";
import {
  budgetShortage,
  failed,
  limitDenials,
  type NotQuotingReason,
  notStarted,
  type Standing,
  standingOf,
  stopped,
  whyText,
} from "./standing.ts";

type Shown = "quoting" | "notQuoting" | "targetMismatch";
export type QuotingModules = {
  readonly metrics: Pick<MarketMetrics<never, never, never, never, NotQuotingReason, never>, Shown>;
  readonly report: QuotingReport;
};

export class Quoting {
  readonly #modules: QuotingModules;
  readonly #progress: Readonly<Record<Side, SideProgress>> = { buy: new SideProgress(), sell: new SideProgress() };
  /** As of the last turn. */
  standing: Standing = notStarted;
  /** How long `standing` was known in this run, seconds. */
  watchedSecs = 0;
  /** How long nothing of ours rested in this run, seconds by side and first reason. */
  readonly silentSecs: Readonly<Record<Side, Map<NotQuotingReason, number>>> = { buy: new Map(), sell: new Map() };
  #turn: Turn | null = null;
  /** When an order of a side that stands still, or while the budget was short, was last sent, monotonic ms. */
  #triedMs = Number.NEGATIVE_INFINITY;
  /** What the metrics show, and since when, monotonic ms. */
  #shown: { readonly standing: Standing; readonly sinceMs: number } | null = null;

  constructor(modules: QuotingModules) {
    this.#modules = modules;
  }

  /** For the guard, at monotonic `nowMs`. */
  stuckQuotes(nowMs: number): StuckQuotes {
    const [buy, sell] = [this.#stuckSide("buy", nowMs), this.#stuckSide("sell", nowMs)];
    return {
      buy,
      sell,
      trial: nowMs - this.#triedMs < deskTiming.trialMs ? null : Math.floor(nowMs / deskTiming.trialMs),
    };
  }

  isAnyStuck(nowMs: number): boolean {
    return sides.some((side) => this.#progress[side].lacksMs(nowMs) > deskTiming.lacksMaxMs);
  }

  turned(turn: Turn): void {
    this.#turn = turn;
    this.standing = standingOf(turn);
    for (const side of sides) this.#progress[side].look(lacksOf(turn, side), turn.view.nowMs);
  }

  /** Other settings hold: what was in the way may be gone. */
  restart(): void {
    for (const side of sides) this.#progress[side].executed(null);
  }

  /** A command has left. */
  sent(command: Command, nowMs: number): void {
    if (isCancel(command)) return;
    const isShort = this.#turn !== null && budgetShortage(this.#turn) !== null;
    if (isShort || this.#stuckSide(command.side, nowMs) !== null) this.#triedMs = nowMs;
  }

  answered(command: Command, outcome: SubmitOutcome, nowMs: number): void {
    if (isCancel(command)) {
      // Most cancels that are refused came after a fill.
      if (outcome.kind === "executed" || outcome.kind === "refused") return;
      for (const side of sides) this.#progress[side].failed(outcome);
    } else {
      const progress = this.#progress[command.side];
      if (outcome.kind !== "executed") progress.failed(outcome);
      else progress.executed(this.#stuckSide(command.side, nowMs) === null ? command.level : null);
    }
  }

  dropped(command: Command, reason: DropReason): void {
    if (!isCancel(command)) this.#progress[command.side].dropped(reason);
  }

  /** Once a turn's orders are on their way, since nothing waits for metrics and log. `name`: of the market; `nowMs`: the turn's. */
  show(name: string, nowMs: number): void {
    this.#showMetrics(nowMs);
    this.#modules.report.look(this.standing, name, nowMs);
  }

  /** A turn threw: nothing is known of what it would have decided. */
  failed(why: string, nowMs: number): void {
    this.standing = failed(why);
    this.#showMetrics(nowMs);
  }

  /** No turn follows. */
  stop(nowMs: number): void {
    this.standing = stopped;
    this.#showMetrics(nowMs);
  }

  #stuckSide(side: Side, nowMs: number): StuckSide | null {
    const progress = this.#progress[side];
    const forMs = progress.lacksMs(nowMs);
    if (forMs <= deskTiming.lacksMaxMs || this.#turn === null) return null;
    if (this.#turn.fault !== null) return { forMs, why: `the strategy ${this.#turn.fault.message}`, blocks: false };
    const denied = limitDenials(this.#turn, side);
    const isDenied = (lack: Lack): boolean => denied.some(({ level }) => lack === `level ${level}`);
    if (!progress.lacking(deskTiming.lacksMaxMs, nowMs).every(isDenied))
      return { forMs, why: this.#obstacle(side), blocks: true };
    return { forMs, why: denied.map(({ denial }) => whyText(denial)).join("; "), blocks: false };
  }

  /** What is in the way of the other side may be in the way of this one too: they share key and budget. */
  #obstacle(side: Side): string {
    const { [side]: own, [opposite(side)]: other } = this.#progress;
    return own.obstacle ?? other.obstacle ?? "they wait to be sent or answered";
  }

  /** What was shown held until now. */
  #showMetrics(nowMs: number): void {
    const { quoting, notQuoting, targetMismatch } = this.#modules.metrics;
    const seconds = this.#shown === null ? 0 : (nowMs - this.#shown.sinceMs) / 1000;
    for (const side of sides) {
      const before = this.#shown === null ? null : reasonOf(this.#shown.standing, side);
      if (before !== null && seconds > 0) {
        notQuoting(side, before).inc(seconds);
        this.silentSecs[side].set(before, (this.silentSecs[side].get(before) ?? 0) + seconds);
      }
      quoting[side].set(this.standing[side].rests ? 1 : 0);
    }
    this.watchedSecs += seconds;
    targetMismatch.set(Math.max(...sides.map((side) => this.#progress[side].lacksMs(nowMs))) / 1000);
    this.#shown = { standing: this.standing, sinceMs: nowMs };
  }
}

/** Why nothing rests on the side; null: something does. */
const reasonOf = (standing: Standing, side: Side): NotQuotingReason | null =>
  standing[side].rests ? null : (standing[side].why[0]?.reason ?? null);

const nothing: readonly Lack[] = [];

/**
 * What of the target quotes does not rest while gates are open. A quote that a full position denies is none that may rest; while the budget is
 * short, quotes wait their turn.
 */
function lacksOf(turn: Turn, side: Side): readonly Lack[] {
  if (turn.permitted !== "increase" || budgetShortage(turn) !== null) return nothing;
  if (turn.fault !== null) return ["strategy"];
  const { unmet, extra } = turn.plan[side];
  if (unmet.length === 0 && extra.length === 0) return nothing;
  const full = limitDenials(turn, side).filter(({ isFull }) => isFull);
  const levels = unmet.filter((level) => full.every((denied) => denied.level !== level));
  return [...levels.map((level): Lack => `level ${level}`), ...extra.map((id): Lack => `order ${id}`)];
}
