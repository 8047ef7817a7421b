// One run of a process: its clocks, and the gate through which timers and bytes reach it. A dead process runs nothing more; a stalled
// process runs everything that arrived meanwhile when it wakes, in order.

import type { Clock, Timer } from "../kernel/clock.ts";
import type { SkewedClock, VirtualClock } from "../kernel/virtual-clock.ts";

/** Fractions of a nanosecond lost between two clock rates. */
const ROUNDING_MS = 1e-6;

/** How the world reaches a process, and the time that the process sees. */
export type Reach = Pick<ProcessRun, "clock" | "enter" | "isDead">;

/** A process that never stalls or dies, with a correct clock. */
export const undisturbed = (clock: Clock): Reach => ({ clock, enter: (run) => run(), isDead: false });

type Task = { readonly run: () => void; isCanceled: boolean };

export class ProcessRun {
  /** The time that the process sees. */
  readonly clock: Clock;
  readonly #world: VirtualClock;
  readonly #view: SkewedClock;
  readonly #waiting: Task[] = [];
  #isDead = false;
  #stalledUntilMs = 0;
  /** Monotonic time that a suspended machine did not count. */
  #frozenMs = 0;
  #timers = 0;

  constructor(modules: { readonly world: VirtualClock; readonly view: SkewedClock }) {
    this.#world = modules.world;
    this.#view = modules.view;
    this.clock = {
      wallMs: modules.view.wallMs,
      monotonicMs: () => modules.view.monotonicMs() - this.#frozenMs,
      after: (delayMs, run) => this.#after(delayMs, run),
      every: (periodMs, run) => this.#every(periodMs, run),
    };
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isStalled(): boolean {
    return this.#world.elapsedMs() < this.#stalledUntilMs;
  }

  /** Timers that are set and neither ran nor were canceled. */
  get timers(): number {
    return this.#timers;
  }

  /** Something from outside reaches the process. */
  enter(run: () => void): void {
    this.#admit({ run, isCanceled: false });
  }

  /** Nothing of the process runs for this time, while the world continues. */
  stall(ms: number): void {
    if (this.#isDead) return;
    const untilMs = this.#world.elapsedMs() + ms;
    if (untilMs <= this.#stalledUntilMs) return;
    this.#stalledUntilMs = untilMs;
    this.#world.after(ms, () => this.#goOn());
  }

  /** The machine sleeps: like `stall`, and its monotonic clock stops too. */
  suspend(ms: number): void {
    if (this.#isDead || this.isStalled) return;
    const fellAsleepMs = this.#view.monotonicMs();
    this.#world.after(ms, () => {
      this.#frozenMs += this.#view.monotonicMs() - fellAsleepMs;
    });
    this.stall(ms);
  }

  /** An operator or a time service sets the wall clock. */
  stepWall(ms: number): void {
    this.#view.step(ms);
  }

  /** From now on nothing of the process runs. */
  end(): void {
    this.#isDead = true;
    this.#waiting.length = 0;
  }

  #admit(task: Task): void {
    if (this.#isDead) return;
    if (this.isStalled || this.#waiting.length > 0) this.#waiting.push(task);
    else task.run();
  }

  /** Runs the waiting tasks one by one, each settled before the next. */
  #goOn(): void {
    if (this.#isDead || this.isStalled) return;
    const task = this.#waiting.shift();
    if (task === undefined) return;
    if (!task.isCanceled) task.run();
    if (this.#waiting.length > 0) this.#world.after(0, () => this.#goOn());
  }

  #after(delayMs: number, run: () => void): Timer {
    if (this.#isDead) return { cancel: () => {} };
    const dueMs = this.clock.monotonicMs() + delayMs;
    this.#timers += 1;
    const task: Task = {
      isCanceled: false,
      run: () => {
        // A machine that slept has not counted that time: wait for the rest.
        const leftMs = dueMs - this.clock.monotonicMs();
        if (leftMs > ROUNDING_MS) timer = this.#view.after(leftMs, fire);
        else {
          this.#timers -= 1;
          task.isCanceled = true;
          run();
        }
      },
    };
    const fire = (): void => this.#admit(task);
    let timer = this.#view.after(delayMs, fire);
    return {
      cancel: () => {
        if (task.isCanceled) return;
        task.isCanceled = true;
        this.#timers -= 1;
        timer.cancel();
      },
    };
  }

  #every(periodMs: number, run: () => void): Timer {
    let next = this.#after(periodMs, repeat.bind(this));
    function repeat(this: ProcessRun): void {
      next = this.#after(periodMs, repeat.bind(this));
      run();
    }
    return { cancel: () => next.cancel() };
  }
}
