// Looks at a market that something has touched or that is due: must it turn, and if not, when is the next look?

import { isDeepStrictEqual } from "node:util";
import type { Command } from "../../../domain/command.ts";
import type { DropReason } from "../../../domain/drop-reason.ts";
import type { VenueEvent } from "../../../domain/event.ts";
import type { AccountId, MarketId } from "../../../domain/units.ts";
import { lastKnown, type View } from "../../../domain/view.ts";
import type { Instant } from "../../../kernel/clock.ts";
import type { BotState } from "../../account/account-state.ts";
import type { MarketLimits } from "../../risk/limits/limits.ts";
import { isVolatilityWithin } from "../../risk/observed.ts";
import { loopTiming } from "../../timing.ts";
import type { Input, Readings } from "../input.ts";
import type { Slots } from "../sends/slots.ts";
import { IdleCheck, isLook } from "./idle-check.ts";
import { type Basis, type Beginning, beginningOf } from "./judgment.ts";
import { hasMore, type Turn } from "./turn.ts";
import type { DeskPair, Turns } from "./turn-queue.ts";

export type LookModules = {
  readonly state: BotState;
  readonly turns: Turns;
  readonly view: (account: AccountId, market: MarketId, now?: Instant) => View;
  readonly basis: () => Basis;
  readonly slotsOf: (account: AccountId) => Slots;
};

export class Looks {
  readonly #modules: LookModules;
  readonly #idleCheck: IdleCheck;
  /** What no event carries, at the last tick. `wallOffsetMs`: wall clock minus monotonic clock; `lagMs` infinity: not known yet. */
  #outside: { readonly readings: Readings; readonly wallOffsetMs: number; readonly lagMs: number };

  constructor(modules: LookModules, { instant, readings }: Pick<Input, "instant" | "readings">) {
    this.#modules = modules;
    this.#idleCheck = new IdleCheck(modules);
    const wallOffsetMs = instant.wallMs - instant.monotonicMs;
    this.#outside = { readings, wallOffsetMs, lagMs: Number.POSITIVE_INFINITY };
  }

  /** Whether anything that no event carries has changed since the last tick: readings, wall clock, or the judgment of a stall. */
  hasChangedOutside(pairs: readonly DeskPair[]): boolean {
    const { now, readings, stalls } = this.#modules.basis();
    const before = this.#outside;
    const offsetMs = now.wallMs - now.monotonicMs;
    const isSet = Math.abs(offsetMs - before.wallOffsetMs) > loopTiming.clockDriftMs;
    const lagMs = lastKnown(stalls.longest(now)) ?? Number.POSITIVE_INFINITY;
    this.#outside = { readings, wallOffsetMs: isSet ? offsetMs : before.wallOffsetMs, lagMs };
    const isJudgedOtherwise = ({ maxEventLoopLagMs }: MarketLimits): boolean =>
      before.lagMs <= maxEventLoopLagMs !== lagMs <= maxEventLoopLagMs;
    return isSet || readings !== before.readings || pairs.some(({ market }) => isJudgedOtherwise(market.quoted.limits));
  }

  /** True: another turn would find what the last one found. Fills are measured all the same. */
  isIdle(pair: DeskPair): boolean {
    const { market } = pair;
    const { view, basis } = this.#modules;
    try {
      const { accountId, marketId, last } = market;
      const now = basis();
      if (market.fills.dueMs <= now.now.monotonicMs) this.measure(pair, view(accountId, marketId));
      const beginning = beginningOf(pair, view(accountId, marketId), now);
      const dueMs = this.#idleCheck.idleUntilMs(pair, beginning);
      if (dueMs === null) return false;
      if (last !== null && isLook(last, beginning.view)) {
        const { view, day } = beginning;
        const { wallMs } = now.now;
        market.rested(view);
        if (market.pnl.isMarkDue(day, wallMs)) pair.desk.records.mark(market, day, wallMs);
      }
      this.#lookAgain(pair, dueMs, now.now.monotonicMs);
      return true;
    } catch {
      // The turn reports the error.
      return false;
    }
  }

  /** Call it when a turn has ended and its orders are known. `basis`: the turn's. */
  finished(pair: DeskPair, turn: Turn, basis: Basis): void {
    const { turns, view } = this.#modules;
    const { accountId, marketId } = pair.market;
    try {
      const beginning = beginningOf(pair, view(accountId, marketId, basis.now), basis);
      if (this.#isUnfinished(pair, turn, beginning)) this.unsettle(pair);
      else {
        // The commands that it sent have touched it.
        turns.forget(pair.market);
        this.#lookAgain(pair, this.#idleCheck.turned(pair, turn, beginning), this.#nowMs);
      }
    } catch {
      // The next turn reports the error.
      this.unsettle(pair);
    }
  }

  /** A dropped command leaves its work undone. */
  dropped(pair: DeskPair | null, command: Command, reason: DropReason): void {
    if (pair === null) return;
    pair.market.quoting.dropped(command, reason);
    this.unsettle(pair);
  }

  /** The market turns at the next event that touches it, and soon if there is none. */
  unsettle(pair: DeskPair): void {
    this.#idleCheck.forget(pair.market);
    this.#modules.turns.lookAt(pair, this.#nowMs + loopTiming.tickMs);
  }

  /** Measured fills may be a reason to quote further away. */
  measure(pair: DeskPair, view: View): void {
    const { observed } = pair.market;
    pair.market.measure(view);
    if (pair.market.observed !== observed) this.#modules.turns.touch([pair]);
  }

  /** Learning may close a gate, or move the forecast of the next print. */
  learn(pair: DeskPair, event: VenueEvent): void {
    const { market } = pair;
    const { limits } = market.quoted;
    const before = market.estimates.signals;
    market.learn(event);
    const { signals } = market.estimates;
    if (signals === before) return;
    const isJudgedAlike = isVolatilityWithin(signals, limits) === isVolatilityWithin(before, limits);
    if (!isJudgedAlike || !isDeepStrictEqual(signals.nextPrint, before.nextPrint)) this.#modules.turns.touch([pair]);
  }

  get #nowMs(): number {
    return this.#modules.basis().now.monotonicMs;
  }

  /** Schedules the next look: at the next instant that the market's last turn named, when a fill is to be measured, and each second. */
  #lookAgain(pair: DeskPair, dueMs: number, nowMs: number): void {
    const { dueMs: measureDueMs } = pair.market.fills;
    // A fill that no fresh price could measure waits for one.
    const measureMs = measureDueMs > nowMs ? measureDueMs : nowMs + loopTiming.tickMs;
    const nextMs = Math.min(dueMs, measureMs, nowMs + loopTiming.lookMs);
    // A wake may come early: the next one must be later, or virtual time would never advance.
    this.#modules.turns.lookAt(pair, Math.max(nextMs, nowMs + loopTiming.earlyMs));
  }

  /** Whether something is left to do: a command is not on its way, or another one may follow. */
  #isUnfinished({ desk }: DeskPair, turn: Turn, beginning: Beginning): boolean {
    const { approved } = turn.verdict;
    const slots = this.#modules.slotsOf(desk.accountId);
    return approved.some((command) => !slots.isUnderWay(command)) || (approved.length > 0 && hasMore(turn, beginning));
  }
}
