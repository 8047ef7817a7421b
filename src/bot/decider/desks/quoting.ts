// Whether one market is quoted, from turn to turn: which target quotes do not rest, for how long, and whether the market can act at all.
// Guard, metrics and log read it; standing.ts makes the sentences.

import { type Command, isCancel } from "../../../domain/command.ts";
import type { DropReason } from "../../../domain/drop-reason.ts";
import type { SubmitOutcome } from "../../../domain/event.ts";
import { opposite, type Side, sides } from "../../../domain/units.ts";
import type { StuckQuotes, StuckSide } from "../../risk/risk-state.ts";
import { deskTiming } from "../../timing.ts";
import type { Turn } from "../turns/turn.ts";
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

export class Quoting {
  readonly #report: QuotingReport;
  readonly #progress: Readonly<Record<Side, SideProgress>> = { buy: new SideProgress(), sell: new SideProgress() };
  /** As of the last turn. */
  standing: Standing = notStarted;
  /** How long `standing` was known in this run, seconds. */
  watchedSecs = 0;
  /** How long nothing of ours rested in this run, seconds by side and first reason. */
  readonly silentSecs: Readonly<Record<Side, Map<NotQuotingReason, number>>> = { buy: new Map(), sell: new Map() };
  #turn: Turn | null = null;
  /** When an order of a stuck side, or of a short budget, was last sent, monotonic ms. */
  #triedMs = Number.NEGATIVE_INFINITY;
  /** How long target quotes and resting orders had differed at the last look, seconds; 0: they did not. */
  mismatchSecs = 0;
  /** The standing at the last look, and since when, monotonic ms. */
  #watched: { readonly standing: Standing; readonly sinceMs: number } | null = null;

  constructor(report: QuotingReport) {
    this.#report = report;
  }

  /** Returns the sides that are stuck, for the guard, at monotonic `nowMs`. */
  stuckQuotes(nowMs: number): StuckQuotes {
    const [buy, sell] = [this.#stuckSide("buy", nowMs), this.#stuckSide("sell", nowMs)];
    return {
      buy,
      sell,
      trial: nowMs - this.#triedMs < deskTiming.trialMs ? null : Math.floor(nowMs / deskTiming.trialMs),
    };
  }

  /** When a side counts as stuck if nothing comes to rest, or since when it has, monotonic ms; infinity: nothing is missing. */
  get stuckFromMs(): number {
    return Math.min(...sides.map((side) => this.#progress[side].sinceMs)) + deskTiming.lacksMaxMs;
  }

  /** When the next trial order of a stuck side, or of a short budget, may go, monotonic ms. */
  get trialMs(): number {
    return this.#triedMs + deskTiming.trialMs;
  }

  turned(turn: Turn): void {
    this.#turn = turn;
    this.standing = standingOf(turn);
    for (const side of sides) this.#progress[side].look(lacksOf(turn, side), turn.view.nowMs);
  }

  /** New settings apply: the obstacle may be gone. */
  restart(): void {
    for (const side of sides) this.#progress[side].executed(null);
  }

  /** Call it when a command has been sent. */
  sent(command: Command, nowMs: number): void {
    if (isCancel(command)) return;
    const isShort = this.#turn !== null && budgetShortage(this.#turn) !== null;
    if (isShort || this.#stuckSide(command.side, nowMs) !== null) this.#triedMs = nowMs;
  }

  answered(command: Command, outcome: SubmitOutcome, nowMs: number): void {
    if (isCancel(command)) {
      // Most refused cancels came after a fill.
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

  /** Call it once a turn's orders are on their way, since nothing waits for it. `name`: the market's; `nowMs`: the turn's. */
  show(name: string, nowMs: number): void {
    this.#watch(nowMs);
    this.#report.look(this.standing, name, nowMs);
  }

  /** A turn threw: its decision is unknown. */
  failed(why: string, nowMs: number): void {
    this.standing = failed(why);
    this.#watch(nowMs);
  }

  /** No more turns follow. */
  stop(nowMs: number): void {
    this.standing = stopped;
    this.#watch(nowMs);
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

  /** An obstacle of the other side may block this one too: they share key and budget. */
  #obstacle(side: Side): string {
    const { [side]: own, [opposite(side)]: other } = this.#progress;
    return own.obstacle ?? other.obstacle ?? "they wait to be sent or answered";
  }

  /** Counts the time since the last look for the standing until now. */
  #watch(nowMs: number): void {
    const seconds = this.#watched === null ? 0 : (nowMs - this.#watched.sinceMs) / 1000;
    for (const side of sides) {
      const before = this.#watched === null ? null : reasonOf(this.#watched.standing, side);
      if (before !== null && seconds > 0)
        this.silentSecs[side].set(before, (this.silentSecs[side].get(before) ?? 0) + seconds);
    }
    this.watchedSecs += seconds;
    this.mismatchSecs = Math.max(...sides.map((side) => this.#progress[side].lacksMs(nowMs))) / 1000;
    this.#watched = { standing: this.standing, sinceMs: nowMs };
  }
}

/** Returns why nothing rests on the side; null: something does. */
const reasonOf = (standing: Standing, side: Side): NotQuotingReason | null =>
  standing[side].rests ? null : (standing[side].why[0]?.reason ?? null);

const nothing: readonly Lack[] = [];

/**
 * Returns which target quotes do not rest while gates are open. A quote denied by a full position cannot rest; while the budget is short,
 * quotes wait their turn.
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
