// What the machine does beyond its turns: it resolves lost answers, cancels resting orders, resynchronizes accounts, closes positions and
// reads facts. A part that waits for an answer continues in the step that brings it.

import type { Command } from "../../../domain/command.ts";
import type { ExecutionEvent, ReadEvent, VenueEvent } from "../../../domain/event.ts";
import type { Latch } from "../../../domain/latch.ts";
import type { Recovered, Submitted } from "../../../domain/submit.ts";
import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { View } from "../../../domain/view.ts";
import type { Clocks } from "../../../kernel/clock.ts";
import type { BotState } from "../../account/account-state.ts";
import { chainTimeMs } from "../../market/time.ts";
import type { Verdict } from "../../risk/guard.ts";
import type { BeginOptions } from "../begin.ts";
import type { AccountDesk } from "../desks/account-desk.ts";
import type { Act, Listed, Readings, Unread } from "../input.ts";
import type { Say } from "../notice.ts";
import type { Done, Output } from "../output.ts";
import type { Sends } from "../sends/sends.ts";
import type { Timers } from "../timers.ts";
import type { Work } from "../work.ts";
import { Ability } from "./ability.ts";
import { actText } from "./command-text.ts";
import { flattenAccount } from "./flatten.ts";
import { judgeFoundOrders } from "./found-orders.ts";
import { Halts } from "./halts.ts";
import { KeyExpiry } from "./key-expiry.ts";
import type { OrderOwnership } from "./mass-cancel.ts";
import { ownershipOf } from "./ownership.ts";
import { Reads } from "./reads.ts";
import { Resyncs } from "./resyncs.ts";
import { MassCancels } from "./start-mass-cancel.ts";
import { Unknowns } from "./unknowns.ts";

export type ActingModules = {
  readonly state: BotState;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly clock: Clocks;
  readonly log: Say;
  readonly readings: () => Readings;
  readonly sends: Sends;
  readonly timers: Timers;
  readonly put: (output: Output) => void;
  /** Folds an event that the machine itself made. */
  readonly tell: (event: VenueEvent) => void;
  readonly trip: (latch: Latch) => void;
  readonly view: (account: AccountId, market: MarketId) => View;
  readonly close: (commands: readonly Command[]) => Verdict | null;
  readonly drop: (account: AccountId, market: MarketId) => void;
};

type ActingOptions = Pick<BeginOptions, "landingBoundMs" | "watchdogSilenceMs" | "isSending">;
type EventOf<K extends VenueEvent["kind"]> = Extract<VenueEvent, { readonly kind: K }>;

export class Acting {
  readonly reads: Reads;
  readonly ability: Ability;
  readonly #modules: ActingModules;
  readonly #isSending: boolean;
  readonly #work: Work;
  readonly #resyncs: Resyncs;
  readonly #halts: Halts;
  readonly #keyExpiry: KeyExpiry;
  readonly #unknowns: ReadonlyMap<AccountId, Unknowns>;
  readonly #ownership: ReadonlyMap<AccountId, OrderOwnership>;
  /** Markets with orders of ours that the configuration no longer names. */
  readonly #toLeave: { readonly desk: AccountDesk; readonly marketId: MarketId }[] = [];
  #isStopping = false;

  constructor({ landingBoundMs, watchdogSilenceMs, isSending }: ActingOptions, modules: ActingModules) {
    const { state, desks, clock, log, timers, readings, tell, trip } = modules;
    const { readLagMaxMs } = state;
    this.#modules = modules;
    this.#isSending = isSending;
    this.reads = new Reads({ ...modules, after: timers.after, fold: tell });
    this.#work = this.#makeWork();
    const work = this.#work;
    this.#ownership = new Map(
      Array.from(state.accounts, ([id, account]) => {
        const desk = desks.get(id) as AccountDesk;
        return [id, ownershipOf(desk, account, readings)];
      }),
    );
    this.#unknowns = new Map(
      Array.from(state.accounts.keys(), (accountId) => [accountId, this.#unknownsOf(accountId, landingBoundMs)]),
    );
    const massCancels = new MassCancels({
      work,
      readLagMaxMs,
      ownership: (account) => this.#ownership.get(account),
      mayRest: (account, market) => this.#mayRest(account, market),
    });
    this.#resyncs = new Resyncs({ state, desks, massCancels, work, log, trip, adopt: tell });
    this.#halts = new Halts({ desks, massCancels, log });
    this.#keyExpiry = new KeyExpiry({ desks, log, halts: this.#halts });
    this.ability = new Ability({ silenceMs: watchdogSilenceMs }, { state, clock });
  }

  /** Counts transactions without an answer, and those whose answer was lost and whose fate is unresolved. */
  unanswered(account: AccountId): { readonly underWay: number; readonly unresolved: number } {
    const { sends } = this.#modules;
    const underWay = sends.of(account).slots.underWay + sends.ownUnderWay(account);
    return { underWay, unresolved: this.#unknowns.get(account)?.pending(null) ?? 0 };
  }

  /** Call it with each event before it is folded. */
  note(event: VenueEvent): void {
    this.ability.note(event);
    if (event.kind === "sent" || event.kind === "answered" || event.kind === "resolved") this.#resyncs.note(event);
  }

  /** Handles an output within the machine. */
  follow(output: Output): void {
    switch (output.kind) {
      case "tripped":
        if (output.latch.holds === "halted") this.enforce(output.latch.accountId, output.latch.marketId);
        return;
      case "resyncWanted":
        this.#resyncs.wanted(output.accountId);
        return;
      case "fill":
        if (output.isNews) this.#resyncs.filled(output.fill.accountId, output.fill.marketId);
        return;
      case "turned":
        if (output.turn !== null) this.ability.wants(output.accountId, output.marketId, output.turn.verdict.approved);
        return;
      default:
    }
  }

  /** Cancels in a halted scope until the exchange has confirmed that nothing is left. */
  enforce(account: AccountId, marketId: MarketId | null): void {
    const desk = this.#modules.desks.get(account);
    if (desk !== undefined) this.#halts.enforce(desk, { holds: "halted", marketId });
  }

  /** Cancels an order that landed late. */
  readonly cancel = (command: Extract<Command, { readonly kind: "cancel" }>): void =>
    this.#work.cancel(command, null, () => {});

  /** Call it once the answer is folded. */
  answered({ nonce, command, outcome }: EventOf<"answered">, submitted: Submitted): void {
    const isOfSlot = this.#modules.sends.answered(command, outcome, submitted);
    if (!isOfSlot || outcome.kind !== "unknown") return;
    const { intentId } = submitted;
    this.#unknowns.get(command.accountId)?.take({ ...submitted, nonce, command, intentIds: [intentId] });
  }

  /** Call it once the recovered transaction is folded. */
  recovered(recovered: Recovered): void {
    if (this.#isSending) this.#unknowns.get(recovered.command.accountId)?.take({ ...recovered, submit: null });
  }

  /** Call it once the fact is folded. */
  folded(read: number, event: ReadEvent): void {
    this.reads.folded(read, event);
  }

  listed(read: number, listed: Listed): void {
    this.ability.answered();
    this.reads.listed(read, listed);
  }

  unread(read: number, unread: Unread): void {
    if (unread.isImplausible) this.ability.answered();
    this.reads.unread(read, unread);
  }

  /** From now on, orders of this run may be sent. */
  start(lastOrderedMs: ReadonlyMap<AccountId, number>): void {
    const { put, state } = this.#modules;
    this.#halts.start();
    for (const { desk, marketId } of this.#toLeave.splice(0)) this.#halts.leaveMarket(desk, marketId, () => {});
    this.reads.run();
    this.#resyncs.start(lastOrderedMs);
    for (const accountId of state.accounts.keys())
      put({ kind: "resyncWanted", accountId, marketId: null, reason: "start" });
  }

  /** Call it ten times a second. */
  tick(): void {
    this.reads.tick();
    const receivedMs = this.#modules.clock.monotonicMs();
    if (this.ability.tick()) this.#modules.tell({ kind: "slept", reason: "cannotAct", receivedMs });
  }

  /** Call it about once a second. */
  look(): void {
    this.#keyExpiry.look();
  }

  /** After a fault: stops all resyncs and reads. */
  abandon(): void {
    this.#resyncs.stop();
    this.reads.stop();
  }

  /** Drops a drained market once the exchange has confirmed that nothing of ours rests there. */
  leave(accountId: AccountId, marketId: MarketId): void {
    const { desks, drop, put } = this.#modules;
    const desk = desks.get(accountId);
    const market = desk?.markets.get(marketId);
    if (desk === undefined || market === undefined) return;
    this.#halts.leaveMarket(desk, marketId, (isConfirmed) => {
      if (!isConfirmed || desk.markets.get(marketId) !== market) return;
      drop(accountId, marketId);
      put({ kind: "left", accountId, marketId });
    });
  }

  /** Starts an operator's act; the output `done` with its number reports the end. */
  act(number: number, act: Act): void {
    const done = (result: Done): void => this.#modules.put({ kind: "done", number, result });
    switch (act.kind) {
      case "found":
        this.#judgeFound(act, () => done({ kind: "found" }));
        return;
      case "cancelOrder":
        this.#work.cancel(act.order, null, ({ outcome }) => done({ kind: "cancelOrder", outcome }));
        return;
      case "flatten":
        this.#flatten(act, (flattened) => done({ kind: "flatten", flattened }));
        return;
      case "stop":
        this.#isStopping = true;
        this.#resyncs.stop();
        this.#halts.stop((lines) => done({ kind: "stop", lines }));
        return;
      case "closeBooks":
        this.#closeBooks(() => done({ kind: "closeBooks" }));
    }
  }

  #judgeFound(found: Extract<Act, { readonly kind: "found" }>, onEnd: () => void): void {
    const { state: all, desks, log } = this.#modules;
    const { accountId, openOrders } = found.account;
    const [state, desk] = [all.accounts.get(accountId), desks.get(accountId)];
    if (state === undefined || desk === undefined) {
      onEnd();
      return;
    }
    judgeFoundOrders(found, { state, desk, work: this.#work, log, isSending: this.#isSending }, () => {
      const ours = openOrders.filter(({ orderId }) => state.orders.isOurs(orderId));
      for (const marketId of new Set(ours.map((order) => order.marketId)))
        if (!desk.markets.has(marketId)) this.#toLeave.push({ desk, marketId });
      onEnd();
    });
  }

  #flatten(
    { accountId, options }: Extract<Act, { readonly kind: "flatten" }>,
    onEnd: Parameters<typeof flattenAccount>[3],
  ): void {
    const { desks, state, view, close, sends } = this.#modules;
    const desk = desks.get(accountId);
    if (desk === undefined) {
      onEnd({ accountId, kind: "notFlat", lines: [`account ${accountId} is not one of this daemon's`] });
      return;
    }
    flattenAccount(
      desk,
      options,
      {
        work: this.#work,
        clear: (of, then) => this.#halts.clear(of, then),
        view,
        close,
        underWay: (account) => {
          const { underWay, unresolved } = this.unanswered(account);
          return sends.of(account).slots.waiting + underWay + unresolved;
        },
        readLagMaxMs: state.readLagMaxMs,
        isStopping: () => this.#isStopping,
      },
      onEnd,
    );
  }

  /** Reads the last trades and accounts, so that the next run finds little to explain. */
  #closeBooks(onEnd: () => void): void {
    const { desks } = this.#modules;
    let left = desks.size;
    const ended = (): void => {
      left -= 1;
      if (left === 0) onEnd();
    };
    if (left === 0) {
      onEnd();
      return;
    }
    for (const { accountId, markets } of desks.values()) {
      let trades = markets.size;
      const readAccount = (): void => this.#work.readAccount(accountId, ended);
      if (trades === 0) readAccount();
      for (const marketId of markets.keys())
        this.#work.readTrades(marketId, () => {
          trades -= 1;
          if (trades === 0) readAccount();
        });
    }
  }

  #mayRest(account: AccountId, market: MarketId | null): number {
    const unknowns = this.#unknowns.get(account)?.pending(market) ?? 0;
    return this.#modules.sends.of(account).slots.mayRest(market) + unknowns;
  }

  #unknownsOf(accountId: AccountId, landingBoundMs: number): Unknowns {
    const { state, clock, log, put, sends, tell } = this.#modules;
    return new Unknowns(
      { accountId, landingBoundMs },
      {
        clock,
        work: this.#work,
        put,
        slots: sends.of(accountId).slots,
        chainTimeMs: () => chainTimeMs(state, clock.monotonicMs()),
        isOpen: (nonce) => state.accounts.get(accountId)?.orders.isOpen(nonce) ?? false,
        foreignMarkets: () => this.#ownership.get(accountId)?.foreignMarkets() ?? new Set(),
        fold: (event: ExecutionEvent) => tell(event),
        onStep: (command, step, outcome) =>
          log.warn(
            { event: "resolver.step", account: `${accountId}`, step, outcome },
            `${actText(command)} has no answer, checking: ${step} ${outcome}`,
          ),
      },
    );
  }

  #makeWork(): Work {
    const { clock, timers, sends } = this.#modules;
    const { readAccount, readTrades, listOrders, listPositions } = this.reads;
    return {
      clock,
      after: timers.after,
      cancel: sends.cancel,
      readAccount,
      readTrades,
      listOrders,
      listPositions,
    };
  }
}
