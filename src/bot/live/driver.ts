// Drives the machine: stamps each input with its instant and current readings, steps, and carries out the outputs in order before it takes
// another input. A turn's sends are reported in between: the first command is at the socket before the second is looked at.

import type { VenueEvent } from "../../domain/event.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import type { View } from "../../domain/view.ts";
import { type Clock, instantOf, type Timer } from "../../kernel/clock.ts";
import type { Input, InputBody, Lift, Readings } from "../decider/input.ts";
import type { Output } from "../decider/output.ts";
import type { Machine } from "../decider/step.ts";
import type { Latches } from "../risk/latches.ts";
import { loopTiming } from "../timing.ts";

/** Outputs that the driver handles itself, or returns to the caller. */
type Answered = "lifted" | "again" | "wake";
/** Outputs that others carry out. */
export type Wanted = Exclude<Output, { readonly kind: Answered }>;

export type DriverModules = {
  readonly machine: Machine;
  readonly clock: Clock;
  readonly readings: () => Readings;
  readonly onTurned: (durationMs: number) => void;
  /** Takes each input with its outputs; null: nothing is recorded. */
  readonly record: ((input: Input, outputs: readonly Output[]) => void) | null;
};

export class Driver {
  readonly #modules: DriverModules;
  #carryOut: (wanted: Wanted) => void = () => {};
  /** Inputs that arrived within a step, and while outputs were carried out. */
  readonly #inbox: InputBody[] = [];
  #isCarrying = false;
  /** A step is running: its own inputs come after it. */
  #isStepping = false;
  /** Instant and readings of the step whose outputs are carried out, or of the last one. */
  #at: Pick<Input, "instant" | "readings">;
  /** The machine has asked for another step. */
  #isAgain = false;
  /** That step waits for the event loop to go around. */
  #isYielding = false;
  readonly #timers = new Set<Timer>();
  #isClosed = false;
  /** When the first turn since the event loop last went around began, monotonic ms; null: none has. */
  #busySinceMs: number | null = null;

  constructor(modules: DriverModules) {
    this.#modules = modules;
    this.#at = { instant: instantOf(modules.clock), readings: modules.readings() };
  }

  /** Call it once, before the first input: carries out the machine's first outputs. */
  connect(carryOut: (wanted: Wanted) => void): void {
    this.#carryOut = carryOut;
    for (const output of this.#modules.machine.begun) this.#handle(output, 0);
  }

  /** Carries out all outputs before it returns, except turns deferred because turns have taken long. */
  feed(body: InputBody): void {
    if (this.#isClosed) return;
    if (this.#isStepping || (this.#isCarrying && !isOfSending(body))) this.#inbox.push(body);
    else this.#run(body);
  }

  /** The machine is not called again: open work stays in the journal and is found at the next start. */
  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  fold(event: VenueEvent): void {
    this.feed({ kind: "event", event });
  }

  /** Returns the latches that no longer hold. */
  lift(lift: Omit<Lift, "kind">): Latches {
    return this.#ask({ kind: "lift", ...lift }, "lifted")?.latches ?? [];
  }

  /** Returns what is known now. */
  view(account: AccountId, market: MarketId): View {
    return this.#modules.machine.view(account, market, instantOf(this.#modules.clock));
  }

  #ask<K extends Output["kind"]>(body: InputBody, kind: K): Extract<Output, { readonly kind: K }> | undefined {
    return this.#run(body).find((output): output is Extract<Output, { readonly kind: K }> => output.kind === kind);
  }

  /** Returns the outputs of the first step. */
  #run(body: InputBody): readonly Output[] {
    const outputs = this.#step(body);
    if (this.#isCarrying) return outputs;
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#step(next);
    return outputs;
  }

  /** An input's remaining steps come before the next input. */
  #next(): InputBody | undefined {
    if (!this.#isAgain || this.#isYielding) return this.#inbox.shift();
    if (!this.#mustYield()) return { kind: "again" };
    this.#isYielding = true;
    this.#later(0, () => {
      this.#isYielding = false;
      this.feed({ kind: "again" });
    });
    return this.#inbox.shift();
  }

  /** Inputs caused by outputs have the instant of their step: time stands still while they are carried out. */
  #step(body: InputBody): readonly Output[] {
    const { machine, clock, readings, record } = this.#modules;
    const isWithin = this.#isCarrying;
    if (!isWithin) this.#at = { instant: instantOf(clock), readings: readings() };
    const { instant } = this.#at;
    const mayTurn = body.kind === "again" || !(isWithin || this.#mustYield());
    const input: Input = { ...body, ...this.#at, mayTurn };
    const outputs = this.#stepped(machine, input);
    record?.(input, outputs);
    this.#isCarrying = true;
    this.#isAgain = false;
    try {
      for (const output of outputs) this.#handle(output, instant.monotonicMs);
    } finally {
      this.#isCarrying = isWithin;
    }
    return outputs;
  }

  #stepped(machine: Machine, input: Input): readonly Output[] {
    this.#isStepping = true;
    try {
      return machine.step(input);
    } finally {
      this.#isStepping = false;
    }
  }

  #handle(output: Output, startedMs: number): void {
    const { clock, onTurned } = this.#modules;
    switch (output.kind) {
      case "again":
        this.#isAgain = true;
        break;
      case "wake":
        this.#wakeAt(output.atMs);
        break;
      case "lifted":
        break;
      case "turned":
        this.#busySinceMs ??= startedMs;
        onTurned(clock.monotonicMs() - startedMs);
        this.#carryOut(output);
        break;
      default:
        this.#carryOut(output);
    }
  }

  /** A timer that fires early is set again: the machine does nothing before its instant, and would not be called at it. */
  #wakeAt(atMs: number): void {
    const { clock } = this.#modules;
    this.#later(Math.max(0, atMs - clock.monotonicMs()), () => {
      if (atMs - clock.monotonicMs() < loopTiming.earlyMs) this.feed({ kind: "wake" });
      else this.#wakeAt(atMs);
    });
  }

  /** By then the sockets have written the orders of the last turns, and newer events are folded first. */
  #later(delayMs: number, run: () => void): void {
    const timer = this.#modules.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      this.#busySinceMs = null;
      run();
    });
    this.#timers.add(timer);
  }

  #mustYield(): boolean {
    return this.#busySinceMs !== null && this.#modules.clock.monotonicMs() - this.#busySinceMs > loopTiming.busyMaxMs;
  }
}

/** Inputs caused by sending: a part of carrying out a turn. */
const isOfSending = (body: InputBody): boolean =>
  body.kind === "refused" || (body.kind === "event" && (body.event.kind === "sent" || body.event.kind === "answered"));
