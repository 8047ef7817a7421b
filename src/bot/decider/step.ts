// The machine that decides: one input in, outputs out. Each input is handled in one order: was the process paused, the fold, the
// effects, then the turns of the markets that it concerns (concerns, turn-queue, looks, turn, slots), one per step, and after the last
// one learning and measuring. Nothing here waits, reads a clock or calls outside: the same inputs give the same outputs.

import type { Command } from "../../domain/command.ts";
import { marketOfEvent, type ReadEvent, type VenueEvent } from "../../domain/event.ts";
import type { Latch } from "../../domain/latch.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import type { View } from "../../domain/view.ts";
import type { Instant } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import type { Prng } from "../../kernel/prng.ts";
import type { BotState } from "../account/account-state.ts";
import { oraclePriceIn } from "../account/booking.ts";
import type { LedgerReads, LedgerRecord } from "../ledger/store.ts";
import { isRepeat } from "../market/facts.ts";
import type { Verdict } from "../risk/guard.ts";
import type { Supervise } from "../strategy/supervised.ts";
import { Acting } from "./acting/acting.ts";
import type { ForeignActivity } from "./acting/foreign-activity.ts";
import { recovered } from "./acting/recovered.ts";
import { type BeginOptions, foreignActivityOf, stateOf } from "./begin.ts";
import { ChannelActivity } from "./channel-activity.ts";
import { configure } from "./configure.ts";
import type { AccountDesk } from "./desks/account-desk.ts";
import { makeDesks } from "./desks/desks.ts";
import { ResultKeeper } from "./desks/result-keeper.ts";
import { effectHandler, type OnEffect } from "./effects.ts";
import { type FaultHandlers, faultHandlers } from "./faults.ts";
import { fold } from "./fold.ts";
import type { Change, Input, Readings } from "./input.ts";
import { sayTo } from "./notice.ts";
import type { Output } from "./output.ts";
import { observe } from "./sends/observe.ts";
import { type Sending, Sends } from "./sends/sends.ts";
import type { Slots } from "./sends/slots.ts";
import { Timers } from "./timers.ts";
import { changesMarkets, concerns, everyMarket, touchedBy } from "./turns/concerns.ts";
import { type Basis, dayAt, judge, riskStateOf, settingsOf, stateAfterTrips } from "./turns/judgment.ts";
import { Looks } from "./turns/looks.ts";
import { StallDetector } from "./turns/stall-detector.ts";
import { type Turn, takeTurn } from "./turns/turn.ts";
import { type Asked, type DeskPair, pairOf, pairsOf, Turns } from "./turns/turn-queue.ts";
import { besideOf, buildView } from "./turns/view.ts";

export type MachineModules = {
  readonly prng: Prng;
  readonly supervise?: Supervise | undefined;
  readonly onSlow?: ((account: AccountId, market: MarketId, why: string) => void) | undefined;
};

export class Machine {
  readonly desks: Map<AccountId, AccountDesk>;
  readonly state: BotState;
  readonly channelActivity = new ChannelActivity();
  /** Outputs of the beginning. */
  readonly begun: readonly Output[];
  /** Everything that the machine does beyond turns. */
  readonly acting: Acting;
  /** When the last tick came, monotonic ms. */
  lastTickMs: number;
  readonly #modules: MachineModules;
  readonly #options: Pick<BeginOptions, "chainId" | "isSending">;
  readonly #foreignActivity: ForeignActivity;
  readonly #onEffect: OnEffect;
  readonly #faults: FaultHandlers;
  readonly #looks: Looks;
  readonly #stalls = new StallDetector();
  readonly #sends: Sends;
  readonly #timers: Timers;
  readonly #results: ResultKeeper;
  readonly #turns = new Turns();
  readonly #log = sayTo((notice) => this.#put({ kind: "notice", notice }));
  /** Frozen within a step. */
  readonly #clock = { monotonicMs: () => this.#now.monotonicMs, wallMs: () => this.#now.wallMs };
  #now: Instant;
  #readings: Readings;
  #outputs: Output[] = [];
  /** Orders of this run may be sent. */
  #isStarted = false;
  #isStopped = false;
  /** Events to learn from once the last market has turned. */
  readonly #unlearned: VenueEvent[] = [];
  readonly #afterTurns: (() => void)[] = [];
  #hasTurned = false;
  #unfinished: (() => void) | null = null;
  /** The input is about to end. */
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
    this.#looks = new Looks(
      {
        state,
        turns: this.#turns,
        view: (...of) => this.view(...of),
        basis: () => this.#basis(),
        slotsOf: (account) => this.#slotsOf(account),
      },
      at,
    );
    this.#touchAll();
    this.#faults = faultHandlers(beside);
    this.begun = this.#outputs;
    this.#timers = new Timers(beside);
    this.#sends = new Sends(options, {
      ...beside,
      judge: (command) => {
        const [approved] = this.#judge(command)?.approved ?? [];
        return approved?.kind === command.kind ? approved : null;
      },
      onDropped: (command, reason) => this.#looks.dropped(this.#pairOf(command), command, reason),
    });
    const view = (account: AccountId, market: MarketId): View => this.view(account, market);
    this.#results = new ResultKeeper({ ...beside, state, desks, view });
    this.acting = new Acting(options, {
      ...beside,
      desks,
      state,
      view,
      sends: this.#sends,
      timers: this.#timers,
      tell: (event) => this.#tell(event),
      trip: (latch) => this.#trip(latch),
      close: (commands) => this.#close(commands),
      drop: (account, market) => this.#drop(account, market),
    });
    this.#onEffect = effectHandler({
      ...beside,
      desks,
      state,
      view,
      foreignActivity: this.#foreignActivity,
      later: (run) => this.#afterTurns.push(run),
      read: () => this.acting.reads.run(),
      cancel: this.acting.cancel,
    });
  }

  /** Takes one input. Carry out its outputs, in order, before the next input. Throws on a bug of ours: the state is then unknown. */
  step(input: Input): readonly Output[] {
    this.#now = input.instant;
    this.#readings = input.readings;
    this.#outputs = [];
    if (!comesOfTurn(input)) this.#finishTurn();
    const door = this.#doors[input.kind] as (input: Input) => void;
    door(input);
    if (changesMarkets.has(input.kind)) this.#touchAll();
    this.#settle(input.mayTurn);
    return this.#outputs;
  }

  /** Returns what is known of a market at `now`, by default the last input's instant. Changes nothing. */
  view(accountId: AccountId, marketId: MarketId, now: Instant = this.#now): View {
    return buildView(this.state, accountId, marketId, now, besideOf(this.desks.get(accountId), marketId));
  }

  readonly #doors: { readonly [K in Input["kind"]]: (input: InputOf<K>) => void } = {
    event: (input) => this.#take(input),
    listed: ({ read, listed }) => this.acting.listed(read, listed),
    unread: ({ read, unread }) => this.acting.unread(read, unread),
    recovered: (input) => this.#recover(input),
    refused: ({ accountId, submit, reason, facts }) => this.#sends.refused(accountId, submit, reason, facts),
    start: ({ lastOrderedMs }) => {
      this.#isStarted = true;
      this.acting.start(lastOrderedMs);
    },
    enforceAgain: ({ accountId, marketId }) => this.acting.enforce(accountId, marketId),
    act: ({ number, act }) => {
      if (act.kind === "stop") this.#stop();
      this.acting.act(number, act);
    },
    slot: ({ accountId, lane }) => this.#slotsOf(accountId).start(lane),
    tick: () => this.#tick(),
    look: () => this.#lookAtClocks(),
    again: () => {},
    wake: () => this.#wake(),
    turn: (input) => this.#turnNow(input),
    results: () => {
      this.#results.keep(this.#now, this.#readings.journal === "healthy");
      if (!this.#isStopped) this.acting.look();
    },
    equity: () => this.#results.keepEquity(this.#now),
    slow: ({ accountId, marketId, why }) => pairOf(this.desks, accountId, marketId)?.market.strategy.tookTooLong(why),
    abandon: () => {
      // After a fault any part may throw: the call that stops the most comes first.
      this.acting.abandon();
      this.#stop();
    },
    stopReads: () => this.acting.reads.stop(),
    trip: ({ latch }) => this.#trip(latch),
    lift: (input) => this.#lift(input),
    streamed: ({ markets }) => {
      this.state.streamed = new Set(markets);
    },
    rekey: (input) => this.#configure(input),
    account: (input) => this.#configure(input),
    take: (input) => this.#configure(input),
    requote: (input) => this.#configure(input),
    drain: (input) => {
      this.#configure(input);
      this.acting.leave(input.accountId, input.marketId);
    },
  };

  #configure(change: Change): void {
    configure(change, { state: this.state, desks: this.desks, beside: this.#beside() });
  }

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
    if (this.acting === undefined) return; // The desks are still being made, and every market turns first.
    if (output.kind === "tripped") this.#touchAll();
    this.acting.follow(output);
  }

  #take({ event, read, submitted }: InputOf<"event">): void {
    if (read !== undefined && !this.acting.reads.takes(read)) return;
    this.#hear(event);
    if (read !== undefined) this.acting.folded(read, event as ReadEvent);
    if (submitted !== undefined && event.kind === "answered") this.acting.answered(event, submitted);
  }

  /** Records and folds an event that the machine made, so that a replay under another configuration gets the same one. */
  #tell(event: VenueEvent): void {
    this.#put({ kind: "folded", event });
    this.#hear(event);
  }

  #hear(event: VenueEvent): void {
    // A turn's own sends belong to it; any other event comes after it.
    if (event.kind !== "sent") {
      this.#closeTurns();
      if (this.#stalls.wasAway(this.#now)) this.#lookAtClocks();
    }
    const isNews = this.#fold(event);
    const concerned = concerns(event, this.desks);
    if (!isNews || concerned === null || this.#isStopped) return;
    const pairs = pairsOf(this.desks, concerned);
    if (event.kind !== "answered") this.#turns.ask(pairs, event.receivedMs);
    else if (this.#turns.askAfterAnswers(pairs, event.receivedMs)) this.#wakeNow();
  }

  /** Returns true when the event says more than that nothing has changed. */
  #fold(heard: VenueEvent): boolean {
    const event = this.#sends.heard(heard);
    this.acting.note(event);
    if (event.kind === "sent" || event.kind === "answered" || event.kind === "resolved")
      this.#foreignActivity.note(event);
    const isNews = !isRepeat(this.state, event);
    for (const effect of fold(this.state, event)) this.#onEffect(effect, event);
    observe(event, this.desks, this.#now.monotonicMs);
    if (isNews) this.#turns.touch(pairsOf(this.desks, touchedBy(event, this.desks)));
    if (marketOfEvent(event) !== null) this.#unlearned.push(event);
    this.channelActivity.note(event, this.#now.wallMs);
    return isNews;
  }

  /** Folds a transaction of an earlier run as one whose answer was lost. */
  #recover(input: InputOf<"recovered">): void {
    for (const event of recovered(input.nonce, input.command, this.#now.monotonicMs)) {
      this.acting.note(event);
      this.#foreignActivity.note(event);
      for (const effect of fold(this.state, event)) this.#onEffect(effect, event);
      this.#turns.touch(pairsOf(this.desks, touchedBy(event, this.desks)));
    }
    this.acting.recovered(input);
  }

  /** Asks for turns of the markets touched since their last look. */
  #tick(): void {
    this.#closeTurns();
    if (this.#isStarted) this.acting.tick();
    this.#lookAtClocks();
    this.lastTickMs = this.#now.monotonicMs;
    if (this.#isStopped) return;
    if (this.#looks.hasChangedOutside(pairsOf(this.desks, everyMarket))) this.#touchAll();
    this.#turns.tick();
  }

  /** Checks whether the process was paused: then facts are older than they look. */
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
    this.#timers.runDue();
    this.#turns.due(this.#now.monotonicMs);
  }

  #wakeNow(): void {
    this.#put({ kind: "wake", atMs: this.#now.monotonicMs });
  }

  #touchAll(): void {
    this.#turns.touch(pairsOf(this.desks, everyMarket));
  }

  #trip(latch: Latch): void {
    this.desks.get(latch.accountId)?.trip(latch, this.#now.wallMs);
  }

  #stop(): void {
    this.#isStopped = true;
    this.#sends.stop();
    this.#turns.clear();
    this.#closeTurns();
    for (const { market } of pairsOf(this.desks, everyMarket)) market.quoting.stop(this.#now.monotonicMs);
  }

  /** A market may have gone since its turn was asked for. */
  #turnNext(): void {
    const mayTurn = (asked: Asked): boolean =>
      asked.desk.markets.get(asked.market.marketId) === asked.market && !this.#looks.isIdle(asked);
    const asked = this.#isStopped ? undefined : this.#turns.next(mayTurn);
    if (asked !== undefined) this.#turn(asked, asked.causeMs);
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
      // The turn's decision is unknown.
      market.quoting.failed(messageOf(error), this.#now.monotonicMs);
      this.#looks.unsettle(pair);
      this.#faults.onTurnFault(desk, market, error);
    }
    this.#put({ kind: "turned", accountId, marketId, turn });
  }

  #decide(pair: DeskPair, causeMs: number | null): Turn {
    const { desk, market } = pair;
    const { accountId, marketId } = market;
    const { wallMs } = this.#now;
    desk.correlatedRisk.look(desk.markets, this.#now.monotonicMs);
    const basis = this.#basis();
    const view = this.view(accountId, marketId);
    const day = dayAt(basis);
    desk.observe(market, view, { day, priceIn: (of) => oraclePriceIn(this.state, of) });
    const state = stateAfterTrips(pair, view, () => riskStateOf(pair, basis), wallMs);
    const turn = takeTurn({ ...settingsOf(pair, basis), view, strategy: market.strategy.asked, state });
    this.#unfinished = () => {
      market.turned(turn);
      this.#looks.finished(pair, turn, basis);
    };
    if (this.#options.isSending) this.#slotsOf(accountId).submit(turn.verdict.approved, marketId, causeMs);
    if (turn.fault !== null) this.#faults.onStrategyFault(market, turn.fault);
    if (turn.plan.leftOut > 0) this.#faults.onQuotesLeftOut(market, turn.plan.leftOut);
    this.#afterTurns.push(() => {
      desk.records.decision(turn, wallMs);
      desk.keepTurn(market, wallMs);
      if (market.pnl.isMarkDue(day, wallMs)) desk.records.mark(market, day, wallMs);
      this.#looks.measure(pair, view);
      market.quoting.show(market.name, view.nowMs);
    });
    return turn;
  }

  /** Keeps the turn's results; none of its sends wait for this. */
  #finishTurn(): void {
    const unfinished = this.#unfinished;
    this.#unfinished = null;
    unfinished?.();
  }

  /**
   * After an input: turns the next market, in a separate step if this one has outputs, since they must be carried out first. After the last
   * market the input ends, after everything that has arrived by then; immediately where none has turned.
   */
  #settle(mayTurn: boolean): void {
    if (mayTurn && this.#outputs.length === 0) this.#turnNext();
    for (const atMs of this.#turns.wakes()) this.#put({ kind: "wake", atMs });
    if (this.#turns.areWaiting) this.#put({ kind: "again" });
    else if (!this.#hasTurned) this.#closeTurns();
    else if (!this.#isEnding) {
      this.#isEnding = true;
      this.#wakeNow();
    }
  }

  /** After the last market has turned: updates estimators, measures, and writes down the turns. */
  #closeTurns(): void {
    this.#hasTurned = false;
    this.#isEnding = false;
    for (const event of this.#unlearned.splice(0)) {
      const marketId = marketOfEvent(event);
      if (marketId !== null)
        for (const pair of pairsOf(this.desks, { account: null, market: marketId })) this.#looks.learn(pair, event);
    }
    for (const run of this.#afterTurns.splice(0)) run();
  }

  #basis(): Basis {
    const { state } = this;
    const { isSending } = this.#options;
    return { state, now: this.#now, readings: this.#readings, stalls: this.#stalls, isSending };
  }

  /** Null: we may not act in the market, or judging it threw, which is a no, as in a turn. */
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

  /** Sends the first command that the guard passes. Returns the verdict on the last one judged; null: we may not act in the market. */
  #close(commands: readonly Command[]): Verdict | null {
    let verdict: Verdict | null = null;
    for (const command of commands) {
      verdict = this.#judge(command);
      if (verdict === null || verdict.approved.length > 0) break;
    }
    const [approved] = verdict?.approved ?? [];
    if (approved !== undefined) this.#slotsOf(approved.accountId).submit([approved], null, null);
    return verdict;
  }

  /** Its last turn goes first: showing a market that is gone would bring its series back. */
  #drop(accountId: AccountId, marketId: MarketId): void {
    this.#closeTurns();
    this.desks.get(accountId)?.drop(marketId);
  }

  #lift({ accountId, marketId, latch, reason }: InputOf<"lift">): void {
    const latches = this.desks.get(accountId)?.lift({ marketId, latch, reason }, this.#now.wallMs) ?? [];
    this.#put({ kind: "lifted", latches });
  }

  /** Returns what waits and is under way, and the remaining budget. */
  sends(accountId: AccountId): Sending {
    return this.#sends.of(accountId);
  }

  #slotsOf(accountId: AccountId): Slots {
    return this.#sends.of(accountId).slots;
  }

  #pairOf({ accountId, marketId }: Command): DeskPair | null {
    return pairOf(this.desks, accountId, marketId);
  }
}

/** True for inputs that arrive while a turn's outputs are carried out. */
const comesOfTurn = (input: Input): boolean =>
  input.kind === "refused" || (input.kind === "event" && input.event.kind === "sent");

type InputOf<K, I = Input> = I extends { readonly kind: infer Kinds } ? (K extends Kinds ? I : never) : never;
