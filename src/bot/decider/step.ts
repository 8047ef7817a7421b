// The machine that decides: one input in, what is to be done out. An input's life has one order: the process stood still or not, the fold, what
// is done about what came to light, then the turns of the markets that it concerns, one a step, and after the last of them what estimators
// learn and what is measured. Nothing here waits, looks at a clock or calls the outside: the same inputs end in the same outputs.

import type { Command } from "../../domain/command.ts";
import { marketOfEvent, type VenueEvent } from "../../domain/event.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import type { View } from "../../domain/view.ts";
import type { Instant } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import type { Prng } from "../../kernel/prng.ts";
import { type AccountState, type BotState, rekey } from "../account/account-state.ts";
import { oraclePriceIn } from "../account/booking.ts";
import type { LedgerReads, LedgerRecord } from "../ledger/store.ts";
import { isRepeat } from "../market/facts.ts";
import { chainTimeMs } from "../market/time.ts";
import type { Verdict } from "../risk/guard.ts";
import { observeAdd, observeAnswer, observeRejection } from "../risk/observed.ts";
import type { QuoteFault } from "../strategy/checked-quotes.ts";
import type { RunningStrategy } from "../strategy/loader.ts";
import { readSignals, startSignals } from "../strategy/signals.ts";
import type { Supervise } from "../strategy/supervised.ts";
import { loopTiming } from "../timing.ts";
import { type BeginOptions, foreignActivityOf, stateOf } from "./begin.ts";
import { ChannelActivity } from "./channel-activity.ts";
import { concerns, everyMarket } from "./concerns.ts";
import type { AccountDesk } from "./desks/account-desk.ts";
import { daySummary } from "./desks/day-summary.ts";
import { dayOf } from "./desks/day-tracker.ts";
import { makeDesks, takeMarkets } from "./desks/desks.ts";
import { effectHandler, type OnEffect } from "./effects.ts";
import { agreedMark, keepEquity } from "./equity.ts";
import { type FaultHandlers, faultHandlers } from "./faults.ts";
import { fold } from "./fold.ts";
import type { ForeignActivity } from "./foreign-activity.ts";
import { IdleCheck } from "./idle-check.ts";
import type { Input, Readings } from "./input.ts";
import { type Basis, judge, limitsOf, stateAfterTrips } from "./judgment.ts";
import { sayTo } from "./notice.ts";
import type { Output } from "./output.ts";
import { recovered } from "./recovered.ts";
import { type Sending, Sends } from "./sends.ts";
import type { Slots } from "./slots.ts";
import { StallDetector } from "./stall-detector.ts";
import { type Turn, takeTurn } from "./turn.ts";
import { type Asked, type DeskPair, pairOf, pairsOf, Turns } from "./turns.ts";
import { buildView } from "./view.ts";

export type MachineModules = {
  readonly prng: Prng;
  readonly supervise?: Supervise | undefined;
  readonly onSlow?: ((account: AccountId, market: MarketId, why: string) => void) | undefined;
};

export class Machine {
  readonly desks: Map<AccountId, AccountDesk>;
  readonly state: BotState;
  readonly channelActivity = new ChannelActivity();
  /** What is to be carried out of its beginning. */
  readonly begun: readonly Output[];
  /** When the timer was last heard of, monotonic ms. */
  lastTickMs: number;
  readonly #modules: MachineModules;
  readonly #options: Pick<BeginOptions, "chainId" | "isSending">;
  readonly #foreignActivity: ForeignActivity;
  readonly #onEffect: OnEffect;
  readonly #faults: FaultHandlers;
  readonly #idleCheck: IdleCheck;
  readonly #stalls = new StallDetector();
  readonly #sends: Sends;
  /** The ledger knows what the accounts were worth as this run began. */
  #isWorthKept = false;
  readonly #turns = new Turns();
  readonly #log = sayTo((notice) => this.#put({ kind: "notice", notice }));
  /** Stands still within a step. */
  readonly #clock = { monotonicMs: () => this.#now.monotonicMs, wallMs: () => this.#now.wallMs };
  #now: Instant;
  #readings: Readings;
  #outputs: Output[] = [];
  #isStopped = false;
  /** What is left until the last market has turned. */
  readonly #unlearned: VenueEvent[] = [];
  readonly #afterTurns: (() => void)[] = [];
  #hasTurned = false;
  #unfinished: (() => void) | null = null;
  /** The end of an input's life is asked for. */
  #isEnding = false;

  /** Throws LedgerError `malformed`, and what the storage throws. */
  constructor(
    options: BeginOptions,
    at: Pick<Input, "instant" | "readings">,
    kept: LedgerReads,
    modules: MachineModules,
  ) {
    this.#now = at.instant;
    this.#readings = at.readings;
    this.lastTickMs = at.instant.monotonicMs;
    this.#modules = modules;
    this.#options = options;
    const beside = { ...this.#beside(), kept };
    this.desks = makeDesks(options.accounts, options.causes, beside);
    this.state = stateOf(this.desks, options, kept);
    const { desks, state } = this;
    this.#foreignActivity = foreignActivityOf(options, { ...beside, desks, state });
    this.#idleCheck = new IdleCheck({ ...beside, desks, state, stalls: this.#stalls });
    this.#faults = faultHandlers(beside);
    this.begun = this.#outputs;
    this.#sends = new Sends(options, {
      ...beside,
      judge: (command) => {
        const [approved] = this.#judge(command)?.approved ?? [];
        return approved?.kind === command.kind ? approved : null;
      },
      onDropped: (command, reason) => this.#pairOf(command)?.market.quoting.dropped(command, reason),
    });
    this.#onEffect = effectHandler({
      ...beside,
      desks,
      state,
      foreignActivity: this.#foreignActivity,
      view: (account, market) => this.view(account, market),
      later: (run) => this.#afterTurns.push(run),
    });
  }

  /** One input. Its outputs are to be carried out, in their order, before the next. Throws where this code is at fault: nothing is known then. */
  step(input: Input): readonly Output[] {
    this.#now = input.instant;
    this.#readings = input.readings;
    this.#outputs = [];
    if (!comesOfTurn(input)) this.#finishTurn();
    const door = this.#doors[input.kind] as (input: Input) => void;
    door(input);
    this.#settle(input.mayTurn);
    return this.#outputs;
  }

  /** What is known of a market, at an instant; that of the last input unless another is given. Changes nothing. */
  view(accountId: AccountId, marketId: MarketId, now: Instant = this.#now): View {
    const desk = this.desks.get(accountId);
    const signals = desk?.markets.get(marketId)?.estimates ?? readSignals(startSignals(marketId));
    return buildView(this.state, accountId, marketId, now, signals, desk?.extraInventory(marketId) ?? 0);
  }

  readonly #doors: { readonly [K in Input["kind"]]: (input: InputOf<K>) => void } = {
    event: ({ event }) => this.#hear(event),
    recovered: (input) => this.#recover(input),
    refused: ({ accountId, submit, reason, facts }) => this.#slotsOf(accountId).refused(submit, reason, facts),
    ended: ({ accountId, submit, outcome }) => this.#slotsOf(accountId).ended(submit, outcome),
    settled: ({ accountId, submit }) => this.#slotsOf(accountId).settled(submit),
    resolving: ({ accountId, marketId, isResolving }) => this.#slotsOf(accountId).resolving(marketId, isResolving),
    slot: ({ accountId, lane }) => this.#slotsOf(accountId).start(lane),
    tick: () => this.#tick(),
    look: () => this.#lookAtClocks(),
    again: () => {},
    wake: () => this.#wake(),
    turn: (input) => this.#turnNow(input),
    results: () => this.#keepResults(),
    equity: () => this.#keepEquity(),
    slow: ({ accountId, marketId, why }) => pairOf(this.desks, accountId, marketId)?.market.tookTooLong(why),
    stop: () => this.#stop(),
    close: ({ commands }) => this.#close(commands),
    trip: ({ latch }) => this.desks.get(latch.accountId)?.trip(latch, this.#now.wallMs),
    lift: (input) => this.#lift(input),
    streamed: ({ markets }) => {
      this.state.streamed = new Set(markets);
    },
    late: ({ accountId, order }) => {
      const isLate = this.#ordersOf(accountId)?.takeLate(order, this.#now.monotonicMs) ?? false;
      this.#put({ kind: "late", isLate });
    },
    claim: ({ accountId, orders }) => {
      this.#ordersOf(accountId)?.claimOrders(orders.map(({ orderId }) => orderId));
      for (const order of orders) this.desks.get(accountId)?.records.order(order);
    },
    keep: ({ accountId, orders }) => this.#ordersOf(accountId)?.keepOrders(orders, this.#now.monotonicMs),
    rekey: ({ accountId, publicKey }) => rekey(this.state, accountId, publicKey),
    account: ({ quoted }) => {
      const desk = this.desks.get(quoted.accountId);
      if (desk !== undefined) desk.quoted = quoted;
    },
    take: ({ accountId, quoted, kept }) => {
      const desk = this.desks.get(accountId);
      if (desk !== undefined) takeMarkets(desk, [quoted], { ...this.#beside(), kept });
    },
    requote: ({ accountId, quoted, goesOn }) =>
      this.desks.get(accountId)?.markets.get(quoted.marketId)?.requote(quoted, goesOn),
    drain: ({ accountId, marketId }) => this.desks.get(accountId)?.markets.get(marketId)?.drain(),
    drop: ({ accountId, marketId }) => {
      // Of its last turn first: what is shown of a market that has gone would bring its series back.
      this.#closeTurns();
      this.desks.get(accountId)?.drop(marketId);
    },
  };

  #beside() {
    return {
      ...this.#modules,
      clock: this.#clock,
      log: this.#log,
      put: (output: Output): void => this.#put(output),
      keep: (record: LedgerRecord): void => this.#put({ kind: "record", record }),
      readings: (): Readings => this.#readings,
      chainId: this.#options.chainId,
    };
  }

  #put(output: Output): void {
    this.#outputs.push(output);
  }

  #hear(event: VenueEvent): void {
    // What a turn sends is a part of its own life; any other event comes after it.
    if (event.kind !== "sent") {
      this.#closeTurns();
      if (this.#stalls.wasAway(this.#now)) this.#lookAtClocks();
    }
    this.#fold(event);
    const concerned = concerns(event, this.desks);
    if (concerned === null || this.#isStopped) return;
    const pairs = pairsOf(this.desks, concerned);
    if (event.kind !== "answered") this.#turns.ask(pairs, event.receivedMs);
    else if (this.#turns.askAfterAnswers(pairs, event.receivedMs)) this.#wakeNow();
  }

  #fold(heard: VenueEvent): void {
    const event = this.#sends.heard(heard);
    if (event.kind === "sent" || event.kind === "answered" || event.kind === "resolved")
      this.#foreignActivity.note(event);
    const isNews = !isRepeat(this.state, event);
    for (const effect of fold(this.state, event)) this.#onEffect(effect, event);
    if (event.kind === "sent") this.#observeSent(event.command);
    if (event.kind === "answered") this.#observeAnswer(event);
    if (isNews) this.#idleCheck.disturb(event);
    if (marketOfEvent(event) !== null) this.#unlearned.push(event);
    this.channelActivity.note(event, this.#now.wallMs);
  }

  /** Known to the bot from here on, as one whose answer was lost; it was no act of this run. */
  #recover({ nonce, command }: InputOf<"recovered">): void {
    for (const event of recovered(nonce, command, this.#now.monotonicMs)) {
      this.#foreignActivity.note(event);
      for (const effect of fold(this.state, event)) this.#onEffect(effect, event);
      this.#idleCheck.disturb(event);
    }
  }

  #observeSent(command: Command): void {
    const market = command.kind === "place" || command.kind === "modify" ? this.#pairOf(command)?.market : undefined;
    if (market === undefined) return;
    market.quoting.sent(command, this.#now.monotonicMs);
    market.observed = observeAdd(market.observed, this.#now.monotonicMs);
  }

  #observeAnswer({ command, outcome }: Extract<VenueEvent, { readonly kind: "answered" }>): void {
    const pair = this.#pairOf(command);
    if (pair === null) return;
    const { desk, market } = pair;
    const nowMs = this.#now.monotonicMs;
    if (command.kind === "place" || command.kind === "modify") {
      desk.rejections = observeRejection(desk.rejections, outcome, nowMs);
      market.observed = observeAnswer(market.observed, outcome, market.quoted.limits, nowMs);
    }
    market.quoting.answered(command, outcome, nowMs);
  }

  /** Every market turns that does not rest and that no event has let turn within half a period. */
  #tick(): void {
    this.#closeTurns();
    this.#lookAtClocks();
    this.lastTickMs = this.#now.monotonicMs;
    if (this.#isStopped) return;
    const pairs = pairsOf(this.desks, everyMarket);
    for (const atMs of this.#turns.round(pairs, this.lastTickMs)) this.#put({ kind: "wake", atMs });
  }

  /** Whether the process stood still: then what was known is older than it looks. */
  #lookAtClocks(): void {
    const passed = this.#stalls.tick(this.#now);
    if (passed === "ran") return;
    this.#fold({ kind: "slept", reason: passed, receivedMs: this.#now.monotonicMs });
    if (passed === "stalled") return;
    const text = "the machine slept or its clock was set; everything is read again";
    this.#log.warn({ event: "process.slept" }, text);
    this.#put({ kind: "reconnect" });
  }

  #wake(): void {
    if (!this.#turns.areWaiting) this.#closeTurns();
    this.#turns.due(this.#now.monotonicMs);
  }

  #wakeNow(): void {
    this.#put({ kind: "wake", atMs: this.#now.monotonicMs });
  }

  /** While the disk fails, what can wait is not written. */
  #keepResults(): void {
    const { wallMs } = this.#now;
    const isHealthy = this.#readings.journal === "healthy";
    if (isHealthy && !this.#isWorthKept && this.state.accounts.values().every(({ reconcile }) => reconcile.rounds > 0))
      this.#keepEquity();
    for (const desk of this.desks.values()) {
      const { accountId } = desk;
      if (isHealthy) desk.keepResults(wallMs);
      const mark = isHealthy ? agreedMark(this.state.accounts.get(accountId)) : null;
      if (mark !== null) desk.records.chain(mark, wallMs);
      const ended = desk.lookAtDay();
      if (ended !== null) this.#put({ kind: "dayEnded", accountId, ...daySummary(`${accountId}`, ended) });
    }
  }

  #keepEquity(): void {
    this.#isWorthKept = true;
    const { state, desks } = this;
    keepEquity({ state, desks, now: this.#now, view: (account, market) => this.view(account, market) });
  }

  #stop(): void {
    this.#isStopped = true;
    this.#turns.clear();
    this.#closeTurns();
    this.#sends.stop();
    for (const { market } of pairsOf(this.desks, everyMarket)) market.quoting.stop(this.#now.monotonicMs);
  }

  #turnNext(): void {
    const asked = this.#turns.next((next) => this.#mayTurn(next));
    if (asked !== undefined) this.#turn(asked, asked.causeMs);
  }

  /** False where the market has gone since its turn was asked for, too. */
  #mayTurn({ desk, market, causeMs }: Asked): boolean {
    if (this.#isStopped || desk.markets.get(market.marketId) !== market) return false;
    const nowMs = this.#now.monotonicMs;
    const isByTimer = causeMs === null;
    const lastMs = market.last?.view.nowMs ?? Number.NEGATIVE_INFINITY;
    if (isByTimer && nowMs - lastMs < loopTiming.tickMs / 2) return false;
    if (!this.#idleCheck.isResting(desk, market)) return true;
    if (isByTimer && market.isMeasureDue(nowMs)) market.measure(this.view(desk.accountId, market.marketId));
    return false;
  }

  #turnNow({ accountId, marketId, causeMs }: InputOf<"turn">): void {
    const pair = pairOf(this.desks, accountId, marketId);
    if (this.#isStopped || pair === null) return;
    this.#turns.forget(pair.market);
    this.#turn(pair, causeMs);
  }

  #turn(pair: DeskPair, causeMs: number | null): void {
    const { desk, market } = pair;
    const { accountId, marketId } = market;
    this.#hasTurned = true;
    let turn: Turn | null = null;
    try {
      turn = this.#decide(pair, causeMs);
    } catch (error) {
      // Nothing is known of what it would have done.
      market.quoting.failed(messageOf(error), this.#now.monotonicMs);
      this.#faults.onTurnFault(desk, market, error);
    }
    this.#put({ kind: "turned", accountId, marketId, turn });
  }

  #decide(pair: DeskPair, causeMs: number | null): Turn {
    const { desk, market } = pair;
    const { accountId, marketId } = market;
    const { wallMs } = this.#now;
    desk.correlatedRisk.look(desk.markets, this.#now.monotonicMs);
    const view = this.view(accountId, marketId);
    const day = dayOf(chainTimeMs(this.state, view.nowMs), wallMs);
    desk.observe(market, view, { day, priceIn: (of) => oraclePriceIn(this.state, of) });
    const limits = limitsOf(pair);
    const turn = takeTurn({
      view,
      strategy: market.slowFault === null ? market.strategy : refusing(market.slowFault),
      limits,
      requoteDepths: market.quoted.requoteDepths,
      queueTicks: market.quoted.queueTicks,
      usualHalfSpreadBps: market.halfSpreadBps,
      modifies: this.#ordersOf(accountId)?.modifies ?? "all",
      state: stateAfterTrips(pair, view, this.#basis()),
    });
    this.#unfinished = () => {
      market.turned(turn);
      this.#idleCheck.turned(desk, market, turn, limits);
    };
    if (this.#options.isSending) this.#slotsOf(accountId).submit(turn.verdict.approved, marketId, causeMs);
    if (turn.fault !== null) this.#faults.onStrategyFault(market, turn.fault);
    if (turn.plan.leftOut > 0) this.#faults.onQuotesLeftOut(market, turn.plan.leftOut);
    this.#afterTurns.push(() => {
      desk.records.decision(turn, wallMs);
      desk.keepTurn(market, wallMs);
      if (market.isMarkDue(day, wallMs)) desk.records.mark(market, day, wallMs);
      market.measure(view);
      market.quoting.show(market.name, view.nowMs);
    });
    return turn;
  }

  /** What a market keeps of its turn: nothing that it sends waits for it. */
  #finishTurn(): void {
    this.#unfinished?.();
    this.#unfinished = null;
  }

  /**
   * After an input: the next market turns, in a step of its own where this one has outputs, since what they do comes before. After the last
   * market the life of the input ends, behind what has arrived by then; at once where none has turned.
   */
  #settle(mayTurn: boolean): void {
    if (mayTurn && this.#outputs.length === 0) this.#turnNext();
    if (this.#turns.areWaiting) this.#put({ kind: "again" });
    else if (!this.#hasTurned) this.#closeTurns();
    else if (!this.#isEnding) {
      this.#isEnding = true;
      this.#wakeNow();
    }
  }

  /** What estimators learn, and what is measured and written down of the turns, once the last market has turned. */
  #closeTurns(): void {
    this.#hasTurned = false;
    this.#isEnding = false;
    for (const event of this.#unlearned.splice(0)) {
      const marketId = marketOfEvent(event);
      if (marketId !== null) for (const { markets } of this.desks.values()) markets.get(marketId)?.learn(event);
    }
    for (const run of this.#afterTurns.splice(0)) run();
  }

  #basis(): Basis {
    const { state } = this;
    const { isSending } = this.#options;
    return { state, now: this.#now, readings: this.#readings, stalls: this.#stalls, isSending };
  }

  /** Null: the market is not ours to act in, or judging it threw, which is a no, as in a turn. */
  #judge(command: Command): Verdict | null {
    const pair = this.#pairOf(command);
    if (pair === null) return null;
    try {
      return judge(command, pair, this.view(pair.desk.accountId, pair.market.marketId), this.#basis());
    } catch (error) {
      this.#faults.onTurnFault(pair.desk, pair.market, error);
      return null;
    }
  }

  /** The first that the guard passes is sent. */
  #close(commands: readonly Command[]): void {
    let verdict: Verdict | null = null;
    for (const command of commands) {
      verdict = this.#judge(command);
      if (verdict === null || verdict.approved.length > 0) break;
    }
    const [approved] = verdict?.approved ?? [];
    if (approved !== undefined) this.#slotsOf(approved.accountId).submit([approved], null, null);
    this.#put({ kind: "verdict", verdict });
  }

  #lift({ accountId, marketId, latch, reason }: InputOf<"lift">): void {
    const latches = this.desks.get(accountId)?.lift({ marketId, latch, reason }, this.#now.wallMs) ?? [];
    this.#put({ kind: "lifted", latches });
  }

  /** What waits and is under way, and what may still be sent. */
  sends(accountId: AccountId): Sending {
    return this.#sends.of(accountId);
  }

  #slotsOf(accountId: AccountId): Slots {
    return this.#sends.of(accountId).slots;
  }

  #ordersOf(accountId: AccountId): AccountState["orders"] | undefined {
    return this.state.accounts.get(accountId)?.orders;
  }

  #pairOf({ accountId, marketId }: Command): DeskPair | null {
    return pairOf(this.desks, accountId, marketId);
  }
}

/** A strategy that is not called. */
const refusing = (fault: QuoteFault): Pick<RunningStrategy, "quote"> => ({
  quote: () => {
    throw fault;
  },
});

/** It is heard while the outputs of a turn are carried out. */
const comesOfTurn = (input: Input): boolean =>
  input.kind === "refused" || (input.kind === "event" && input.event.kind === "sent");

type InputOf<K, I = Input> = I extends { readonly kind: infer Kinds } ? (K extends Kinds ? I : never) : never;
