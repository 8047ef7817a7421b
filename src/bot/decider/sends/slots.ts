// The way from approved commands to sends. A waiting command is a ticket for a slot: when its lane lets it start, the guard judges the
// slot's newest command again by current facts. A command that finds budget and a place starts at once. Cancels do not wait.

import { actionClassOf, type Command, isCancel } from "../../../domain/command.ts";
import type { DropReason } from "../../../domain/drop-reason.ts";
import type { SubmitOutcome } from "../../../domain/event.ts";
import { laneOf, lanes, type WaitingLane } from "../../../domain/lane.ts";
import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { Clocks } from "../../../kernel/clock.ts";
import type { Facts } from "../../../kernel/errors.ts";
import { BackOff } from "../../../kernel/retry.ts";
import type { Approved } from "../../risk/approved.ts";
import { sendTiming } from "../../timing.ts";
import type { Output } from "../output.ts";
import type { RateBudget } from "./budget.ts";

const waitingLanes: readonly WaitingLane[] = ["reduce", "modify", "place"];

/** Concurrent transactions per lane; their sum stays below what the nonces allow in flight. */
const PLACES: Readonly<Record<WaitingLane, number>> = { reduce: 10, modify: 20, place: 20 };
/** More than an account may have orders: there is one slot per order or level. */
const TICKETS_MAX = 1000;

export type SlotModules = {
  readonly clock: Clocks;
  readonly budget: RateBudget;
  readonly put: (output: Output) => void;
  readonly nextSubmit: () => number;
  /** The guard, by current facts; null: denied. */
  readonly judge: (command: Command) => Approved<Command> | null;
  readonly onDropped: (command: Command, reason: DropReason, facts: Facts) => void;
};

/** `turn` counts the lists of commands. */
type Ticket = {
  readonly slot: string;
  readonly lane: WaitingLane;
  readonly command: Approved<Command>;
  readonly turn: number;
};
/** `lane` null: a cancel, which takes no place. */
type Flight = {
  readonly name: string;
  readonly slot: string;
  readonly lane: WaitingLane | null;
  readonly command: Approved<Command>;
};

export class Slots {
  readonly #accountId: AccountId;
  readonly #modules: SlotModules;
  /** By slot, in order of arrival. */
  readonly #lines: Readonly<Record<WaitingLane, Map<string, Ticket>>> = {
    reduce: new Map(),
    modify: new Map(),
    place: new Map(),
  };
  /** Lanes whose first ticket is offered to start, or waits for budget. */
  readonly #offered = new Set<WaitingLane>();
  /** By the number of their submit. */
  readonly #flights = new Map<number, Flight>();
  /** Names of unanswered flights, and of those whose lost answer is not resolved. */
  readonly #underWay = new Set<string>();
  readonly #unresolved = new Set<string>();
  /** Markets where a lost answer is being resolved: the fence would cancel new exposure there. */
  readonly #resolving = new Set<MarketId | null>();
  readonly #held: Record<WaitingLane, number> = { reduce: 0, modify: 0, place: 0 };
  readonly #backOff: BackOff;
  readonly #cancelBackOff: BackOff;
  #turn = 0;
  #isStopped = false;

  constructor(accountId: AccountId, modules: SlotModules) {
    this.#accountId = accountId;
    this.#modules = modules;
    this.#backOff = new BackOff(sendTiming.slotBackOff, modules);
    this.#cancelBackOff = new BackOff(sendTiming.cancelBackOff, modules);
  }

  /** Commands that wait for budget or a place. */
  get waiting(): number {
    return waitingLanes.reduce((sum, lane) => sum + this.#lines[lane].size, 0);
  }

  /** Unanswered transactions, without unresolved ones. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** Whether a submit of the same kind for the same order or level is unanswered. */
  isUnderWay(command: Command): boolean {
    return this.#underWay.has(flightName(command, slotOf(command)));
  }

  /** Returns the command under way by this number; undefined: none. */
  commandOf(submit: number): Approved<Command> | undefined {
    return this.#flights.get(submit)?.command;
  }

  /** Counts those of the market, or with null of all, that may still become orders. */
  mayRest(marketId: MarketId | null): number {
    let count = 0;
    for (const { name, command } of this.#flights.values()) {
      const isThere = marketId === null || command.marketId === marketId;
      if (isThere && !isCancel(command) && this.#underWay.has(name)) count += 1;
    }
    return count;
  }

  /**
   * Takes all that a market wants: waiting commands that are not listed are dropped; with null none is. `causeMs`: when the event that
   * caused the turn was received, monotonic; null: none.
   */
  submit(approved: readonly Approved<Command>[], marketId: MarketId | null, causeMs: number | null): void {
    this.#turn += 1;
    for (const command of inLaneOrder(approved)) this.#accept(command, causeMs);
    if (marketId !== null)
      for (const lane of waitingLanes)
        for (const { slot, command, turn } of [...this.#lines[lane].values()])
          if (command.marketId === marketId && turn !== this.#turn) this.#drop(lane, slot, "unwanted");
    this.#offer();
  }

  start(lane: WaitingLane): void {
    this.#offered.delete(lane);
    this.#startFirst(lane);
    this.#offer();
  }

  #startFirst(lane: WaitingLane): void {
    const [ticket] = this.#lines[lane].values();
    if (ticket === undefined || !this.#hasPlace(lane)) return;
    const waitMs = this.#modules.budget.take(lane);
    if (waitMs > 0) {
      this.#line(lane, waitMs);
      return;
    }
    this.#lines[lane].delete(ticket.slot);
    const refusal = this.#obstacle(ticket.command, ticket.slot);
    const approved = refusal === null ? this.#modules.judge(ticket.command) : null;
    if (approved === null) this.#modules.onDropped(ticket.command, refusal ?? "denied", {});
    else this.#send(approved, ticket.slot, lane, null);
  }

  /** The submit was not sent. */
  refused(submit: number, reason: DropReason, facts: Facts): void {
    const flight = this.#landed(submit);
    if (flight === undefined) return;
    this.#modules.onDropped(flight.command, reason, facts);
    this.#offer();
  }

  /** Takes the last answer: a slot whose transaction may have landed stays taken until that is resolved. */
  ended(submit: number, outcome: SubmitOutcome["kind"]): void {
    const flight = this.#flights.get(submit);
    if (flight === undefined) return;
    const { name, slot, command } = flight;
    const backOff = this.#backOffOf(command);
    if (outcome === "executed") backOff.succeeded(slot);
    else backOff.failed(slot);
    this.#landed(submit);
    if (outcome === "unknown") {
      this.#unresolved.add(name);
      this.#flights.set(submit, { ...flight, lane: null });
    }
    this.#offer();
  }

  /** The fate of a lost answer is known. */
  settled(submit: number): void {
    const flight = this.#flights.get(submit);
    if (flight === undefined) return;
    this.#flights.delete(submit);
    this.#unresolved.delete(flight.name);
  }

  resolving(marketId: MarketId | null, isResolving: boolean): void {
    if (isResolving) this.#resolving.add(marketId);
    else this.#resolving.delete(marketId);
  }

  /** From now on sends only cancels. */
  stop(): void {
    this.#isStopped = true;
    for (const lane of waitingLanes)
      for (const slot of [...this.#lines[lane].keys()]) this.#drop(lane, slot, "stopped");
  }

  #accept(command: Approved<Command>, causeMs: number | null): void {
    const slot = slotOf(command);
    const refusal = this.#obstacle(command, slot);
    const lane = laneOf(command);
    if (refusal !== null) this.#modules.onDropped(command, refusal, {});
    else if (lane === "cancel") {
      this.#supersede(slot, null);
      this.#send(command, slot, null, causeMs);
    } else this.#enqueue(command, slot, lane, causeMs);
  }

  #obstacle(command: Command, slot: string): DropReason | null {
    if (this.#isStopped && !isCancel(command)) return "stopped";
    const name = flightName(command, slot);
    if (this.#underWay.has(name) || this.#unresolved.has(name)) return "inFlight";
    if (this.#backOffOf(command).waitMs(slot) > 0) return "backOff";
    return actionClassOf(command) === "increase" && this.#resolving.has(command.marketId) ? "resolving" : null;
  }

  #enqueue(command: Approved<Command>, slot: string, lane: WaitingLane, causeMs: number | null): void {
    const line = this.#lines[lane];
    this.#supersede(slot, lane);
    const before = line.get(slot);
    const ticket: Ticket = { slot, lane, command, turn: this.#turn };
    if (before !== undefined) {
      this.#modules.onDropped(before.command, "superseded", {});
      line.set(slot, ticket);
    } else if (this.#isOpen(lane) && this.#modules.budget.take(lane) === 0) this.#send(command, slot, lane, causeMs);
    else if (this.waiting < TICKETS_MAX) line.set(slot, ticket);
    else this.#modules.onDropped(command, "queueFull", {});
  }

  /** A newer command in another lane supersedes the older one; in the same lane it takes its place. */
  #supersede(slot: string, except: WaitingLane | null): void {
    for (const lane of waitingLanes) if (lane !== except) this.#drop(lane, slot, "superseded");
  }

  #drop(lane: WaitingLane, slot: string, reason: DropReason): void {
    const ticket = this.#lines[lane].get(slot);
    if (ticket === undefined) return;
    this.#lines[lane].delete(slot);
    this.#modules.onDropped(ticket.command, reason, {});
  }

  /** Whether nobody waits and a place is free. */
  #isOpen(lane: WaitingLane): boolean {
    return this.#lines[lane].size === 0 && !this.#offered.has(lane) && this.#hasPlace(lane);
  }

  #hasPlace(lane: WaitingLane): boolean {
    return this.#held[lane] < PLACES[lane];
  }

  #offer(): void {
    for (const lane of waitingLanes) {
      if (this.#offered.has(lane) || this.#lines[lane].size === 0 || !this.#hasPlace(lane)) continue;
      this.#line(lane, 0);
    }
  }

  #line(lane: WaitingLane, afterMs: number): void {
    this.#offered.add(lane);
    this.#modules.put({ kind: "line", accountId: this.#accountId, lane, afterMs });
  }

  #send(command: Approved<Command>, slot: string, lane: WaitingLane | null, causeMs: number | null): void {
    const submit = this.#modules.nextSubmit();
    const name = flightName(command, slot);
    this.#underWay.add(name);
    this.#flights.set(submit, { name, slot, lane, command });
    if (lane === null) this.#modules.budget.take("cancel");
    else this.#held[lane] += 1;
    this.#modules.put({ kind: "submit", accountId: this.#accountId, submit, command, by: null, causeMs });
  }

  #landed(submit: number): Flight | undefined {
    const flight = this.#flights.get(submit);
    if (flight === undefined) return undefined;
    this.#flights.delete(submit);
    this.#underWay.delete(flight.name);
    if (flight.lane !== null) this.#held[flight.lane] -= 1;
    return flight;
  }

  #backOffOf(command: Command): BackOff {
    return isCancel(command) ? this.#cancelBackOff : this.#backOff;
  }
}

/** Sorts cancels first, then reduces, modifies, places; within a lane in the order of the plan. */
const inLaneOrder = (commands: readonly Approved<Command>[]): readonly Approved<Command>[] =>
  [...commands].sort((a, b) => lanes.indexOf(laneOf(a)) - lanes.indexOf(laneOf(b)));

/** Returns the unit that newer commands replace: a quote's level, or an order. An order without a quote has the slot of its side. */
function slotOf(command: Command): string {
  switch (command.kind) {
    case "place":
      return `level ${command.marketId} ${command.side} ${command.level ?? "take"}`;
    case "cancelAll":
      return `market ${command.marketId ?? "all"}`;
    default:
      return `order ${command.orderId}`;
  }
}

/** A cancel may overtake its order's modify; two of a kind never travel together. */
const flightName = (command: Command, slot: string): string => `${command.kind} ${slot}`;
