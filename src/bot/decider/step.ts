// The machine that decides: one input in, what is to be done out. An input's life has one order: the process stood still or not, the fold, what
// is done about what came to light, then the turns of the markets that it concerns, one a step, and after the last of them what estimators
// learn and what is measured. Nothing here waits, looks at a clock or calls the outside: the same inputs end in the same outputs.

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
import { readSignals, startSignals } from "../strategy/signals.ts";
import type { Supervise } from "../strategy/supervised.ts";
import { Acting } from "./acting.ts";
import { type BeginOptions, foreignActivityOf, stateOf } from "./begin.ts";
import { ChannelActivity } from "./channel-activity.ts";
import { changesMarkets, concerns, everyMarket, touchedBy } from "./concerns.ts";
import { configure } from "./configure.ts";
import type { AccountDesk } from "./desks/account-desk.ts";
import { makeDesks } from "./desks/desks.ts";
import { effectHandler, type OnEffect } from "./effects.ts";
import { type FaultHandlers, faultHandlers } from "./faults.ts";
import { fold } from "./fold.ts";
import type { ForeignActivity } from "./foreign-activity.ts";
import type { Change, Input, Readings } from "./input.ts";
import { type Basis, dayAt, judge, settingsOf, stateAfterTrips } from "./judgment.ts";
import { Looks } from "./looks.ts";
import { sayTo } from "./notice.ts";
import { observe } from "./observe.ts";
import type { Output } from "./output.ts";
import { recovered } from "./recovered.ts";
import { ResultKeeper } from "./result-keeper.ts";
import { type Sending, Sends } from "./sends.ts";
import type { Slots } from "./slots.ts";
import { StallDetector } from "./stall-detector.ts";
import { Timers } from "./timers.ts";
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
  /** What it does beyond its turns. */
  readonly acting: Acting;
  /** When the timer was last heard of, monotonic ms. */
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
  /** Stands still within a step. */
  readonly #clock = { monotonicMs: () => this.#now.monotonicMs, wallMs: () => this.#now.wallMs };
  #now: Instant;
  #readings: Readings;
  #outputs: Output[] = [];
  /** Orders of this run may be sent. */
  #isStarted = false;
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

  /** One input. Its outputs are to be carried out, in their order, before the next. Throws where this code is at fault: nothing is known then. */
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

  /** What is known of a market, at an instant; that of the last input unless another is given. Changes nothing. */
  view(accountId: AccountId, marketId: MarketId, now: Instant = this.#now): View {
    const desk = this.desks.get(accountId);
    const signals = desk?.markets.get(marketId)?.estimates.signals ?? readSignals(startSignals(marketId));
    return buildView(this.state, accountId, marketId, now, signals, desk?.extraInventory(marketId) ?? 0);
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
      // After a fault any part may throw: what stops the most comes first.
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
    if (this.acting === undefined) return; // The desks are being made, and every market turns first.
    if (output.kind === "tripped") this.#touchAll();
    this.acting.follow(output);
  }

  #take({ event, read, submitted }: InputOf<"event">): void {
    if (read !== undefined && !this.acting.reads.takes(read)) return;
    this.#hear(event);
    if (read !== undefined) this.acting.folded(read, event as ReadEvent);
    if (submitted !== undefined && event.kind === "answered") this.acting.answered(event, submitted);
  }

  /** What the machine tells itself: recorded, so that another configuration can be told the same. */
  #tell(event: VenueEvent): void {
    this.#put({ kind: "folded", event });
    this.#hear(event);
  }

  #hear(event: VenueEvent): void {
    // What a turn sends is a part of its own life; any other event comes after it.
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

  /** True: it says more than that what was known still holds. */
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

  /** Known to the bot from here on, as one whose answer was lost; it was no act of this run. */
  #recover(input: InputOf<"recovered">): void {
    for (const event of recovered(input.nonce, input.command, this.#now.monotonicMs)) {
      this.acting.note(event);
      this.#foreignActivity.note(event);
      for (const effect of fold(this.state, event)) this.#onEffect(effect, event);
      this.#turns.touch(pairsOf(this.desks, touchedBy(event, this.desks)));
    }
    this.acting.recovered(input);
  }

  /** Markets turn that something has happened to since they were last looked at. */
  #tick(): void {
    this.#closeTurns();
    if (this.#isStarted) this.acting.tick();
    this.#lookAtClocks();
    this.lastTickMs = this.#now.monotonicMs;
    if (this.#isStopped) return;
    if (this.#looks.hasChangedOutside(pairsOf(this.desks, everyMarket))) this.#touchAll();
    this.#turns.tick();
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
      // Nothing is known of what it would have done.
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
    const state = stateAfterTrips(pair, view, basis);
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

  /** What a market keeps of its turn: nothing that it sends waits for it. */
  #finishTurn(): void {
    const unfinished = this.#unfinished;
    this.#unfinished = null;
    unfinished?.();
  }

  /**
   * After an input: the next market turns, in a step of its own where this one has outputs, since what they do comes before. After the last
   * market the life of the input ends, behind what has arrived by then; at once where none has turned.
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

  /** What estimators learn, and what is measured and written down of the turns, once the last market has turned. */
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

  /** The first that the guard passes is sent. Its word on the last that it judged; null: the market is not ours to act in. */
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

  /** Of its last turn first: what is shown of a market that has gone would bring its series back. */
  #drop(accountId: AccountId, marketId: MarketId): void {
    this.#closeTurns();
    this.desks.get(accountId)?.drop(marketId);
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

  #pairOf({ accountId, marketId }: Command): DeskPair | null {
    return pairOf(this.desks, accountId, marketId);
  }
}

/** It is heard while the outputs of a turn are carried out. */
const comesOfTurn = (input: Input): boolean =>
  input.kind === "refused" || (input.kind === "event" && input.event.kind === "sent");

type InputOf<K, I = Input> = I extends { readonly kind: infer Kinds } ? (K extends Kinds ? I : never) : never;
