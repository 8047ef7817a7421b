// The loop: events are folded as they come, turns decide. An event that concerns a market lets it turn at once; a timer looks ten
// times a second for others that must turn, since facts also change by growing old, and lets those be that rest (rest.ts). Where many
// markets are to turn, the loop yields in between, so that events do not wait for the turns of all.

import type { Command } from "../../domain/command.ts";
import { marketOfEvent, type SubmitOutcome, type VenueEvent } from "../../domain/event.ts";
import { requestBudgetOf } from "../../domain/request-budget.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import { absent, type View } from "../../domain/view.ts";
import { type Clock, type Instant, instantOf } from "../../kernel/clock.ts";
import { type Facts, messageOf } from "../../kernel/errors.ts";
import type { BotState } from "../account/account-state.ts";
import { oraclePriceIn } from "../account/booking.ts";
import { grossNotionalElsewhere } from "../account/funds.ts";
import type { DropReason, TurnSource } from "../execution/queue.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { journalHealth } from "../live/journal.ts";
import { Rounds } from "../live/rounds.ts";
import { isRepeat } from "../market/facts.ts";
import { chainTimeMs } from "../market/time.ts";
import type { TurnDecision } from "../recording/entry.ts";
import type { Approved } from "../risk/approved.ts";
import { check, type Verdict } from "../risk/guard.ts";
import type { Limits } from "../risk/limits/limits.ts";
import { observeAdd, observeAnswer, observeRejection } from "../risk/observed.ts";
import { nothingStuck, type RiskState } from "../risk/risk-state.ts";
import { observeLosses, tripsNow } from "../risk/trips.ts";
import type { Entries } from "../service/loop/entries.ts";
import type { QuoteFault } from "../strategy/checked-quotes.ts";
import { readSignals, startSignals } from "../strategy/signals.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { loopTiming } from "../timing.ts";
import { ChannelActivity } from "./channel-activity.ts";
import { type Concern, concerns, everyMarket } from "./concerns.ts";
import type { AccountDesk } from "./desks/account-desk.ts";
import { dayOf } from "./desks/day-tracker.ts";
import { type MarketDesk, showTurn } from "./desks/market-desk.ts";
import { type FoldEffect, fold } from "./fold.ts";
import { IdleCheck } from "./idle-check.ts";
import type { StallDetector } from "./stall-detector.ts";
import { type Turn, takeTurn } from "./turn.ts";
import { buildView } from "./view.ts";

export type LoopModules = {
  readonly state: BotState;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly entries: Entries;
  readonly metrics: Metrics;
  /** Ticks with the loop. */
  readonly stalls: StallDetector;
  /** Why the account's key has no nonce for a new order; null: it has one. Undefined: it has no key. */
  readonly nonceRefusal: (account: AccountId) => Facts | null | undefined;
  readonly submit: (account: AccountId, approved: readonly Approved[], turn: TurnSource) => void;
  /** False: nothing comes of what is submitted, so that no side is judged by whether its orders come to rest. */
  readonly isSending: boolean;
  readonly onEffect: (effect: FoldEffect, event: VenueEvent) => void;
  readonly onStrategyFault: (market: MarketDesk, fault: QuoteFault) => void;
  /** Told of each turn whose strategy quotes more than may rest. */
  readonly onQuotesLeftOut: (market: MarketDesk, leftOut: number) => void;
  /** A turn threw, which is a fault of ours: nothing is known of what it would have done. */
  readonly onTurnFault: (desk: AccountDesk, market: MarketDesk, error: unknown) => void;
  /** The machine slept: what was known is older than it looks. */
  readonly onSlept: () => void;
};

export class TradingLoop {
  readonly #modules: LoopModules;
  readonly channelActivity = new ChannelActivity();
  lastTurnMs: number;
  #deciding = false;
  #stopped = false;
  readonly #rounds: Rounds;
  readonly #idleCheck: IdleCheck;
  /** When the first turn since the loop last yielded began, monotonic ms; null: none has. */
  #busySinceMs: number | null = null;
  /** Markets that turn after the loop has yielded, in the order in which they were asked to. */
  readonly #waiting = new Map<MarketDesk, Asked>();
  /** Those with answers that have just come. */
  readonly #answered = new Map<MarketDesk, Asked>();
  /** What no turn waits for: records of events, and of the turns just taken. */
  readonly #records: (() => void)[] = [];

  constructor(modules: LoopModules) {
    this.#modules = modules;
    this.lastTurnMs = modules.clock.monotonicMs();
    this.#rounds = new Rounds(loopTiming.tickMs, modules.clock);
    const { clock } = modules.entries;
    this.#idleCheck = new IdleCheck({ ...modules, clock });
  }

  /** Folds an event and lets the markets it concerns turn. */
  apply(event: VenueEvent): void {
    this.#modules.entries.enter({ kind: "event", event }, () => this.#apply(event));
  }

  #apply(event: VenueEvent): void {
    const { state, onEffect, entries, stalls } = this.#modules;
    const { clock } = entries;
    if (!this.#deciding) {
      this.#doRecords();
      if (stalls.wasAway(this.#now())) this.lookAtClock();
    }
    const isNews = !isRepeat(state, event);
    for (const effect of fold(state, event)) onEffect(effect, event);
    if (event.kind === "answered") this.#observeAnswer(event.command, event.outcome, clock.monotonicMs());
    if (isNews) this.#idleCheck.disturb(event);
    const concerned = concerns(event, this.#modules.desks);
    if (concerned !== null && !this.#deciding && !this.#stopped) {
      entries.outside(() => {
        if (event.kind === "answered") this.#turnAfterAnswers(concerned, event.receivedMs);
        else this.#turnConcerned(concerned, event.receivedMs);
      });
    }
    const marketId = marketOfEvent(event);
    if (marketId !== null) for (const { markets } of this.#modules.desks.values()) markets.get(marketId)?.learn(event);
    this.channelActivity.note(event, clock.wallMs());
    // No turn follows: nothing else would run what was left for later.
    if (this.#stopped || this.#busySinceMs === null) this.#doRecords();
  }

  /** Runs when the sockets have written the orders of the turns under way, in any case before the next event is folded. */
  later(run: () => void): void {
    this.#records.push(run);
  }

  /**
   * The timer fired, which it does each `loopTiming.tickMs`: every market turns that does not rest and that no event has let turn within half of
   * that. More than a slice of them are spread over the period.
   */
  tick(): void {
    this.look();
    if (this.#stopped) return;
    this.#rounds.run(this.#pairsOf(everyMarket), (slice) => {
      for (const pair of slice) this.#turnByTimer(pair);
    });
  }

  /** All of `tick` but the turns. */
  look(): void {
    this.#modules.entries.enter({ kind: "tick" }, () => {
      this.#doRecords();
      this.lookAtClock();
      this.lastTurnMs = this.#modules.clock.monotonicMs();
    });
  }

  #turnByTimer({ desk, market }: DeskPair): void {
    const nowMs = this.#modules.clock.monotonicMs();
    if (nowMs - (market.last?.view.nowMs ?? Number.NEGATIVE_INFINITY) < loopTiming.tickMs / 2) return;
    if (!this.#idleCheck.isResting(desk, market)) this.#turnSoon({ desk, market }, null);
    else if (market.isMeasureDue(nowMs)) this.measure(desk.accountId, market.marketId);
  }

  /** Measures fills that are due, without a turn. */
  measure(accountId: AccountId, marketId: MarketId): void {
    const market = this.#modules.desks.get(accountId)?.markets.get(marketId);
    if (market === undefined) return;
    this.#modules.entries.enter({ kind: "measure", accountId, marketId }, () =>
      market.measure(this.view(accountId, marketId)),
    );
  }

  /** Whether the process stood still, which is looked at by the timer and before the first event after it. */
  lookAtClock(): void {
    const { stalls, entries, onSlept } = this.#modules;
    entries.enter({ kind: "look" }, () => {
      const passed = stalls.tick(this.#now());
      if (passed === "ran") return;
      this.apply({ kind: "slept", reason: passed, receivedMs: entries.clock.monotonicMs() });
      if (passed === "slept") onSlept();
    });
  }

  #now(): Instant {
    return instantOf(this.#modules.entries.clock);
  }

  /** No turn after this; events are still folded. */
  stop(): void {
    const { entries } = this.#modules;
    entries.enter({ kind: "stop" }, () => {
      this.#stopped = true;
      this.#doRecords();
      const nowMs = entries.clock.monotonicMs();
      for (const { market } of this.#pairsOf(everyMarket)) market.quoting.stop(nowMs);
    });
  }

  /** What is known now. Reading changes nothing. */
  view(account: AccountId, market: MarketId): View {
    const { state, desks } = this.#modules;
    const now = this.#now();
    const desk = desks.get(account);
    const signals = desk?.markets.get(market)?.estimates ?? readSignals(startSignals(market));
    return buildView(state, account, market, now, signals, desk?.extraInventory(market) ?? 0);
  }

  /** A ticket at its start: the guard's word on the facts of now. A throw is a no, as in a turn. */
  recheck(command: Command): Approved | null {
    return this.#modules.entries.enter(
      { kind: "recheck", command },
      () => this.#recheck(command),
      (approved) => approved,
    );
  }

  #recheck(command: Command): Approved | null {
    try {
      const approved = this.#judge(command)?.approved[0];
      return approved?.kind === command.kind ? approved : null;
    } catch (error) {
      const desk = this.#modules.desks.get(command.accountId);
      const market = command.marketId === null ? undefined : desk?.markets.get(command.marketId);
      if (desk === undefined || market === undefined) throw error;
      this.#modules.onTurnFault(desk, market, error);
      return null;
    }
  }

  /** What the guard says of one command on the facts of now; null where the market is not ours to act in. */
  judge(command: Command): Verdict | null {
    return this.#modules.entries.enter(
      { kind: "judge", command },
      () => this.#judge(command),
      (verdict) => verdict,
    );
  }

  #judge(command: Command): Verdict | null {
    const desk = this.#modules.desks.get(command.accountId);
    const market = command.marketId === null ? undefined : desk?.markets.get(command.marketId);
    if (desk === undefined || market === undefined) return null;
    const view = this.view(desk.accountId, market.marketId);
    const limits = { market: market.quoted.limits, account: desk.quoted.limits };
    const fairValueUsd = market.last?.quotes.fairValueUsd ?? null;
    // Of a side that stands still, or while the budget is short, only the order that tries was let into the queue.
    const state = { ...this.#riskState(desk, market), fairValueUsd, stuckQuotes: nothingStuck, budget: absent };
    return check([command], view, limits, state);
  }

  /** The answers to the orders of a turn come together: the market turns once they are folded. */
  #turnAfterAnswers(concerned: Concern, causeMs: number): void {
    if (this.#answered.size === 0) this.#modules.clock.after(0, () => this.#afterAnswers());
    for (const pair of this.#pairsOf(concerned))
      if (!this.#answered.has(pair.market)) this.#answered.set(pair.market, { pair, causeMs });
  }

  #afterAnswers(): void {
    const answered = [...this.#answered.values()];
    this.#answered.clear();
    for (const { pair, causeMs } of answered) this.#turnUnlessResting(pair, causeMs);
  }

  #turnConcerned(concerned: Concern, causeMs: number): void {
    for (const pair of this.#pairsOf(concerned)) this.#turnUnlessResting(pair, causeMs);
  }

  #turnUnlessResting(pair: DeskPair, causeMs: number | null): void {
    if (!this.#idleCheck.isResting(pair.desk, pair.market)) this.#turnSoon(pair, causeMs);
  }

  #pairsOf(concerned: Concern): readonly DeskPair[] {
    const pairs: DeskPair[] = [];
    for (const desk of this.#modules.desks.values()) {
      if (concerned.account !== null && concerned.account !== desk.accountId) continue;
      const markets = concerned.market === null ? desk.markets.values() : [desk.markets.get(concerned.market)];
      for (const market of markets) if (market !== undefined) pairs.push({ desk, market });
    }
    return pairs;
  }

  /** At once, unless turns have occupied the event loop for too long: then the market waits, once, until the loop has yielded. */
  #turnSoon(pair: DeskPair, causeMs: number | null): void {
    if (this.#waiting.size === 0 && !this.#mustYield()) this.#turn(pair, causeMs);
    else if (!this.#waiting.has(pair.market)) this.#waiting.set(pair.market, { pair, causeMs });
  }

  #mustYield(): boolean {
    return this.#busySinceMs !== null && this.#modules.clock.monotonicMs() - this.#busySinceMs > loopTiming.busyMaxMs;
  }

  /** Runs when the sockets have written the orders of the last turns. */
  #afterYield(): void {
    this.records();
    // The records of many turns take as long as the turns: who waits lets the loop turn once more.
    if (this.#busySinceMs !== null) {
      this.#modules.clock.after(0, () => this.#afterYield());
      return;
    }
    for (const [market, { pair, causeMs }] of this.#waiting) {
      if (this.#mustYield()) return;
      this.#waiting.delete(market);
      this.#turn(pair, causeMs);
    }
  }

  /** What no turn waited for; then none is under way, unless that has taken long. */
  records(): void {
    const { entries, clock } = this.#modules;
    entries.enter({ kind: "records" }, () => {
      this.#busySinceMs = clock.monotonicMs();
      this.#doRecords();
      if (!entries.told("busy", () => this.#mustYield())) this.#busySinceMs = null;
    });
  }

  /** One market turns, whether it rests or not. */
  turn(accountId: AccountId, marketId: MarketId, causeMs: number | null): void {
    const desk = this.#modules.desks.get(accountId);
    const market = desk?.markets.get(marketId);
    if (desk !== undefined && market !== undefined) this.#turn({ desk, market }, causeMs);
  }

  /** Nothing happens where the market has gone since its turn was asked for. */
  #turn(pair: DeskPair, causeMs: number | null): void {
    const { desk, market } = pair;
    if (this.#stopped || desk.markets.get(market.marketId) !== market) return;
    const { accountId } = desk;
    this.#modules.entries.enter(
      { kind: "turn", accountId, marketId: market.marketId, causeMs },
      () => this.#decide(pair, causeMs),
      decisionOf,
    );
  }

  /** Null: it threw. */
  #decide({ desk, market }: DeskPair, causeMs: number | null): Turn | null {
    const { clock, entries, metrics, submit, onStrategyFault, onQuotesLeftOut, onTurnFault } = this.#modules;
    const startedMs = clock.monotonicMs();
    const isFirst = this.#busySinceMs === null;
    this.#busySinceMs ??= startedMs;
    this.#deciding = true;
    try {
      desk.correlatedRisk.look(desk.markets, entries.clock.monotonicMs());
      const view = this.view(desk.accountId, market.marketId);
      const day = dayOf(chainTimeMs(this.#modules.state, view.nowMs), entries.clock.wallMs());
      desk.observe(market, view, { day, priceIn: (marketId) => oraclePriceIn(this.#modules.state, marketId) });
      const limits = { market: market.quoted.limits, account: desk.quoted.limits };
      const turn = takeTurn({
        view,
        strategy: market.strategy,
        limits,
        requoteDepths: market.quoted.requoteDepths,
        queueTicks: market.quoted.queueTicks,
        usualHalfSpreadBps: market.halfSpreadBps,
        modifies: this.#modules.state.accounts.get(desk.accountId)?.orders.modifies ?? "all",
        state: this.#trip(desk, market, view, limits),
        submit: (approved) =>
          entries.outside(() => submit(desk.accountId, approved, { marketId: market.marketId, causeMs })),
      });
      market.turned(turn);
      this.#idleCheck.turned(desk, market, turn, limits);
      if (turn.fault !== null) onStrategyFault(market, turn.fault);
      if (turn.plan.leftOut > 0) onQuotesLeftOut(market, turn.plan.leftOut);
      const [durationMs, wallMs] = [clock.monotonicMs() - startedMs, entries.clock.wallMs()];
      this.later(() => {
        desk.records.decision(turn, wallMs);
        desk.keepTurn(market, wallMs);
        if (market.isMarkDue(day, wallMs)) desk.records.mark(market, day, wallMs);
        market.measure(view);
        showTurn(market.metrics, turn);
        market.quoting.show(market.name, view.nowMs);
        metrics.turnDuration.observe(durationMs / 1000);
      });
      return turn;
    } catch (error) {
      market.quoting.failed(messageOf(error), entries.clock.monotonicMs());
      onTurnFault(desk, market, error);
      return null;
    } finally {
      this.#deciding = false;
      if (isFirst) clock.after(0, () => this.#afterYield());
    }
  }

  #doRecords(): void {
    if (this.#records.length === 0) return;
    for (const run of this.#records.splice(0)) run();
  }

  /** What the guard stands on, after every latch that the numbers of now trip. */
  #trip(desk: AccountDesk, market: MarketDesk, view: View, limits: Limits): Omit<RiskState, "fairValueUsd"> {
    const inputs = { view, limits, state: { ...this.#riskState(desk, market), fairValueUsd: null } };
    market.observed = observeLosses(market.observed, inputs);
    const state = { ...inputs.state, observed: market.observed };
    const tripped = tripsNow({ ...inputs, state });
    for (const latch of tripped) desk.trip(latch, this.#modules.entries.clock.wallMs());
    return tripped.length === 0 ? state : this.#riskState(desk, market);
  }

  #riskState(desk: AccountDesk, market: MarketDesk): Omit<RiskState, "fairValueUsd"> {
    const { ledger, state, entries, stalls, nonceRefusal, isSending } = this.#modules;
    const nowMs = entries.clock.monotonicMs();
    const account = state.accounts.get(desk.accountId);
    const rateLimit = account?.rateLimit ?? null;
    const refusal = entries.told(desk.recorded.nonceRefusal, () => nonceRefusal(desk.accountId));
    const journal = entries.told("journal", () => journalHealth(ledger.health()));
    const isReserveUsed = entries.told("reserve", () => ledger.space().isReserveUsed);
    return {
      latches: desk.latches,
      journal: { state: "fresh", value: journal, ageMs: 0 },
      ledgerSpace: { state: "fresh", value: isReserveUsed ? "reserve" : "free", ageMs: 0 },
      nonceRefusal: refusal === undefined ? absent : { state: "fresh", value: refusal, ageMs: 0 },
      eventLoopLagMs: stalls.longest(this.#now()),
      budget:
        rateLimit === null
          ? absent
          : { state: "fresh", value: requestBudgetOf(rateLimit.value), ageMs: nowMs - rateLimit.askedMs },
      marketDailyPnl: market.dailyPnl(),
      accountDailyPnl: desk.dailyPnl(),
      isAccountPnlUnconfirmed: desk.isUnconfirmed,
      grossNotionalElsewhere: account === undefined ? absent : grossNotionalElsewhere(state, account, market.marketId),
      observed: market.observed,
      stuckQuotes: isSending ? market.quoting.stuckQuotes(nowMs) : nothingStuck,
      rejections: desk.rejections,
    };
  }

  #observeAnswer(command: Command, outcome: Parameters<typeof observeAnswer>[1], nowMs: number): void {
    if (command.kind !== "place" && command.kind !== "modify") return;
    const desk = this.#modules.desks.get(command.accountId);
    const market = desk?.markets.get(command.marketId);
    if (desk === undefined || market === undefined) return;
    desk.rejections = observeRejection(desk.rejections, outcome, nowMs);
    market.observed = observeAnswer(market.observed, outcome, market.quoted.limits, nowMs);
  }

  /** A command that adds risk has left. */
  added(command: Command): void {
    const market = this.#marketOf(command);
    if (market === undefined) return;
    const { entries } = this.#modules;
    entries.enter({ kind: "added", command }, () => {
      const nowMs = entries.clock.monotonicMs();
      market.quoting.sent(command, nowMs);
      market.observed = observeAdd(market.observed, nowMs);
    });
  }

  /** The outcome of a command is known; it was folded, or will be. */
  ended(command: Command, outcome: SubmitOutcome): void {
    const { entries } = this.#modules;
    const quoting = this.#marketOf(command)?.quoting;
    if (quoting === undefined) return;
    entries.enter({ kind: "outcome", command, outcome }, () =>
      quoting.answered(command, outcome, entries.clock.monotonicMs()),
    );
  }

  /** A command was not sent. */
  dropped(command: Command, reason: DropReason): void {
    const quoting = this.#marketOf(command)?.quoting;
    if (quoting === undefined) return;
    this.#modules.entries.enter({ kind: "dropped", command, reason }, () => quoting.dropped(command, reason));
  }

  #marketOf({ accountId, marketId }: Command): MarketDesk | undefined {
    return marketId === null ? undefined : this.#modules.desks.get(accountId)?.markets.get(marketId);
  }
}

/** What a replay must come to. Undefined: the turn threw. */
const decisionOf = (turn: Turn | null): TurnDecision | undefined =>
  turn === null
    ? undefined
    : {
        quotes: turn.quotes,
        fault: turn.fault?.message ?? null,
        permitted: turn.permitted,
        closed: turn.readings.filter(({ closed }) => closed !== null),
        approved: turn.verdict.approved,
        denied: turn.verdict.denied,
      };

/** A turn that was asked for. `causeMs`: when the event was received; null: time alone. */
type Asked = { readonly pair: DeskPair; readonly causeMs: number | null };
/** An account at work, and one of its markets. */
type DeskPair = { readonly desk: AccountDesk; readonly market: MarketDesk };
