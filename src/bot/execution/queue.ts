// The way from approved commands to the socket. What waits is a ticket for a slot, never an envelope: when it starts it takes the
// slot's newest command, the guard judges it again on the facts of now, and nonce, journal, signature and socket follow without a
// pause. What finds budget and a place starts at once. Cancels do not queue.

import { actionClassOf, type Command, isCancel } from "../../domain/command.ts";
import type { MarketId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Facts } from "../../kernel/errors.ts";
import { BackOff } from "../../kernel/retry.ts";
import type { Approved } from "../risk/approved.ts";
import { sendTiming } from "../timing.ts";
import type { Lane } from "../venue/port.ts";
import type { RateBudget } from "./budget.ts";
import { StartLane } from "./lane.ts";
import { Pauses } from "./pauses.ts";
import type { Attempt, Sender, SendRefusal, SigningKey } from "./send.ts";
import { laneOf } from "./transactions.ts";

/** Why a command was not sent. Closed set. */
export type DropReason =
  | SendRefusal["code"]
  | "superseded"
  | "unwanted"
  | "denied"
  | "stopped"
  | "inFlight"
  | "backOff"
  | "resolving"
  | "queueFull";

export type QueueOptions = {
  /** Transactions of a lane under way at once; together they stay below what the nonces allow in flight. */
  readonly concurrency: Readonly<Record<Exclude<Lane, "cancel">, number>>;
};

export const defaultQueue: QueueOptions = { concurrency: { reduce: 10, modify: 20, place: 20 } };

export type QueueModules = {
  readonly clock: Clock;
  readonly sender: Sender;
  readonly budget: RateBudget;
  readonly signing: () => SigningKey;
  /** The guard, on the facts of now; null: denied. */
  readonly recheck: (command: Command) => Approved<Command> | null;
  /** Whether a lost answer of the market is being resolved: new exposure there would be canceled by the fence. */
  readonly isResolving: (market: MarketId) => boolean;
  /** Takes a transaction whose answer was lost; the promise resolves when it is resolved. */
  readonly resolve: (attempt: Attempt) => Promise<void>;
  readonly onDropped: (command: Command, reason: DropReason, facts: Facts) => void;
};

type WaitingLane = Exclude<Lane, "cancel">;
/** The turn that a list of commands comes from. */
export type TurnSource = {
  readonly marketId: MarketId;
  /** When the event that the turn reacts to was received, monotonic ms; null: no event, time alone. */
  readonly causeMs: number | null;
};
/** One call of `submit`. While it is on the stack its approvals hold, and what it starts reacts to the turn's event. */
type Call = { onStack: boolean; readonly causeMs: number | null };
type Ticket = { readonly slot: string; readonly lane: WaitingLane; command: Approved<Command>; call: Call };

/** More than an account may have orders: slots are one an order or a level. */
const TICKETS_MAX = 1000;
const LANE_ORDER: Readonly<Record<Lane, number>> = { cancel: 0, reduce: 1, modify: 2, place: 3 };

export class CommandQueue {
  readonly #modules: QueueModules;
  readonly #lanes: Readonly<Record<WaitingLane, StartLane>>;
  readonly #tickets = new Map<string, Ticket>();
  /** Slots with a transaction under way, each with its command, and those with one whose answer was lost. */
  readonly #underWay = new Map<string, Command>();
  readonly #unresolved = new Set<string>();
  readonly #pauses: Pauses;
  readonly #backOff: BackOff;
  readonly #cancelBackOff: BackOff;
  #stopped = false;

  constructor(options: Partial<QueueOptions>, modules: QueueModules) {
    const { concurrency } = { ...defaultQueue, ...options };
    this.#modules = modules;
    this.#lanes = {
      reduce: new StartLane(concurrency.reduce),
      modify: new StartLane(concurrency.modify),
      place: new StartLane(concurrency.place),
    };
    this.#pauses = new Pauses(modules);
    this.#backOff = new BackOff(sendTiming.slotBackOff, modules);
    this.#cancelBackOff = new BackOff(sendTiming.cancelBackOff, modules);
  }

  /** Commands that wait for budget or room. */
  get waiting(): number {
    return this.#tickets.size;
  }

  /** Transactions that are not answered; unresolved ones are not among them. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** Those of the market, or with null of all, that may yet become orders. */
  mayRest(marketId: MarketId | null): number {
    let count = 0;
    for (const command of this.#underWay.values()) {
      if (!isCancel(command) && (marketId === null || command.marketId === marketId)) count += 1;
    }
    return count;
  }

  /**
   * Starts or queues what the guard has passed. The list of a turn is all that its market wants: what is queued for the market and
   * not listed is dropped.
   */
  submit(approved: readonly Approved<Command>[], turn: TurnSource | null = null): void {
    const call: Call = { onStack: true, causeMs: turn?.causeMs ?? null };
    try {
      for (const command of inLaneOrder(approved)) this.#accept(command, call);
    } finally {
      call.onStack = false;
    }
    if (turn === null) return;
    for (const ticket of [...this.#tickets.values()]) {
      if (ticket.command.marketId !== turn.marketId || ticket.call === call) continue;
      this.#tickets.delete(ticket.slot);
      this.#modules.onDropped(ticket.command, "unwanted", {});
    }
  }

  /** From this instant on cancels alone are sent: an order that only reduces rests like any other. For the lifetime of the queue. */
  blockOrders(): void {
    this.#stopped = true;
    for (const { command } of this.#tickets.values()) this.#modules.onDropped(command, "stopped", {});
    this.#tickets.clear();
  }

  /** Nothing more is started; what waits is forgotten. */
  close(): void {
    this.blockOrders();
    this.#pauses.end();
  }

  #accept(command: Approved<Command>, call: Call): void {
    const slot = slotOf(command);
    const refusal = this.#obstacle(command, slot);
    if (refusal !== null) {
      this.#modules.onDropped(command, refusal, {});
      return;
    }
    const lane = laneOf(command);
    if (lane === "cancel") {
      this.#supersede(slot);
      void this.#start(command, slot, call);
      return;
    }
    this.#enqueue(command, slot, lane, call);
  }

  #obstacle(command: Command, slot: string): DropReason | null {
    if (this.#stopped && !isCancel(command)) return "stopped";
    const flight = flightOf(command, slot);
    if (this.#underWay.has(flight) || this.#unresolved.has(flight)) return "inFlight";
    if (this.#backOffOf(command).waitMs(slot) > 0) return "backOff";
    const increases = actionClassOf(command) === "increase";
    if (increases && command.marketId !== null && this.#modules.isResolving(command.marketId)) return "resolving";
    return null;
  }

  #enqueue(command: Approved<Command>, slot: string, lane: WaitingLane, call: Call): void {
    const waiting = this.#tickets.get(slot);
    if (waiting?.lane === lane) {
      this.#modules.onDropped(waiting.command, "superseded", {});
      waiting.command = command;
      waiting.call = call;
      return;
    }
    this.#supersede(slot);
    const starts = this.#lanes[lane];
    if (starts.isOpen && this.#modules.budget.take(lane) === 0) {
      starts.hold(this.#start(command, slot, call));
      return;
    }
    if (this.#tickets.size >= TICKETS_MAX) {
      this.#modules.onDropped(command, "queueFull", {});
      return;
    }
    const ticket: Ticket = { slot, lane, command, call };
    this.#tickets.set(slot, ticket);
    starts.line(() => this.#run(ticket));
  }

  #supersede(slot: string): void {
    const waiting = this.#tickets.get(slot);
    if (waiting === undefined) return;
    this.#tickets.delete(slot);
    this.#modules.onDropped(waiting.command, "superseded", {});
  }

  /** Waits for a place and for budget, then starts the newest command of the slot. */
  async #run(ticket: Ticket): Promise<void> {
    const starts = this.#lanes[ticket.lane];
    const isCurrent = (): boolean => this.#tickets.get(ticket.slot) === ticket;
    await starts.place();
    while (isCurrent()) {
      const waitMs = this.#modules.budget.take(ticket.lane);
      if (waitMs === 0) break;
      await this.#pauses.wait(waitMs);
    }
    if (!isCurrent()) return;
    this.#tickets.delete(ticket.slot);
    const command = this.#stillRight(ticket);
    if (command === null) return;
    starts.hold(this.#start(command, ticket.slot, ticket.call));
    // Guard and signature take as long as a turn: events come before the next of the lane.
    await this.#pauses.wait(0);
  }

  /** An approval holds while the call that brought it is on the stack; later the guard is asked again. */
  #stillRight(ticket: Ticket): Command | null {
    const { command } = ticket;
    if (ticket.call.onStack) return command;
    const refusal = this.#obstacle(command, ticket.slot);
    if (refusal === null) {
      const approved = this.#modules.recheck(command);
      if (approved !== null) return approved;
    }
    this.#modules.onDropped(command, refusal ?? "denied", {});
    return null;
  }

  /** Resolves when the transaction was answered, or at once when there is none. */
  async #start(command: Command, slot: string, { onStack, causeMs }: Call): Promise<void> {
    const { sender, signing, onDropped, resolve } = this.#modules;
    const attempt = sender.prepare(command, signing());
    if ("code" in attempt) {
      onDropped(command, attempt.code, attempt.facts);
      return;
    }
    const flight = flightOf(command, slot);
    this.#underWay.set(flight, command);
    const { attempt: last, outcome } = await sender.release(attempt, onStack ? causeMs : null);
    const backOff = this.#backOffOf(command);
    if (outcome.kind === "executed") backOff.succeeded(slot);
    else backOff.failed(slot);
    this.#underWay.delete(flight);
    if (outcome.kind !== "unknown") return;
    // The slot stays taken: nothing new is sent for it while it is unresolved.
    this.#unresolved.add(flight);
    void resolve(last).then(() => this.#unresolved.delete(flight));
  }

  #backOffOf(command: Command): BackOff {
    return laneOf(command) === "cancel" ? this.#cancelBackOff : this.#backOff;
  }
}

/** Cancels first, then what reduces, modifies, places; within a lane the order of the plan. */
const inLaneOrder = (commands: readonly Approved<Command>[]): readonly Approved<Command>[] =>
  [...commands].sort((a, b) => LANE_ORDER[laneOf(a)] - LANE_ORDER[laneOf(b)]);

/** What newer commands replace: a quote's level, or an order. An order that no quote asked for has the slot of its side. */
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

/** A cancel may overtake the modify of its order on the way; two of a kind never travel together. */
const flightOf = (command: Command, slot: string): string => `${command.kind} ${slot}`;
