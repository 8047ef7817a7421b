// Whether the wanted orders of one side come to rest: since when they have not, and the last obstacle.

import type { DropReason } from "../../../domain/drop-reason.ts";
import type { SubmitOutcome } from "../../../domain/event.ts";
import type { OrderId } from "../../../domain/units.ts";

/** What is missing: a level without its order, an order that must go, or an answer of the strategy. */
export type Lack = `level ${number}` | `order ${OrderId}` | "strategy";

type Failure = Exclude<SubmitOutcome, { readonly kind: "executed" }>;

export class SideProgress {
  #sinceMs: ReadonlyMap<Lack, number> = new Map();
  #obstacle: string | null = null;

  /** Notes what a turn at monotonic `nowMs` lacks. */
  look(lacks: readonly Lack[], nowMs: number): void {
    if (lacks.length === 0 && this.#sinceMs.size === 0) return;
    this.#sinceMs = new Map(lacks.map((lack) => [lack, this.#sinceMs.get(lack) ?? nowMs]));
  }

  /** Since when something has been missing, monotonic ms; infinity: nothing is. */
  get sinceMs(): number {
    return Math.min(...this.#sinceMs.values());
  }

  /** Returns how long something has been missing, ms; 0: nothing is. */
  lacksMs(nowMs: number): number {
    return Math.max(0, nowMs - this.sinceMs);
  }

  /** Returns what has been missing for more than `ms`. */
  lacking(ms: number, nowMs: number): readonly Lack[] {
    return [...this.#sinceMs].flatMap(([lack, sinceMs]) => (nowMs - sinceMs > ms ? lack : []));
  }

  /** The last obstacle, a clause; null: none was seen. */
  get obstacle(): string | null {
    return this.#obstacle;
  }

  /** The exchange has executed an order of the level, or with null an order that shows that the whole side works again. */
  executed(level: number | null): void {
    this.#obstacle = null;
    const left = [...this.#sinceMs].filter(([lack]) => level !== null && lack !== `level ${level}`);
    this.#sinceMs = new Map(left);
  }

  failed(outcome: Failure): void {
    const words = failures[outcome.kind];
    this.#obstacle = `${words}: ${"error" in outcome ? outcome.error : outcome.why}`;
  }

  dropped(reason: DropReason): void {
    this.#obstacle = drops[reason] ?? this.#obstacle;
  }
}

const failures: Readonly<Record<Failure["kind"], string>> = {
  refused: "the exchange refuses them",
  rejected: "the exchange rejects them",
  rateLimited: "the exchange asks us to wait",
  notSent: "they cannot be sent",
  unknown: "their outcome is unknown",
};

/** Null: it follows from an earlier obstacle. */
const drops: Readonly<Record<DropReason, string | null>> = {
  offsetUnknown: "chain time is unknown",
  offsetTooLarge: "our clock and chain time differ too much",
  tooManyInFlight: "too many transactions are unanswered",
  notReserved: "the next nonces are not reserved on disk yet",
  journal: "the journal cannot be written",
  closed: "the daemon is stopping",
  stopped: "the daemon is stopping",
  resolving: "an order whose answer was lost is not resolved",
  allowance: "too much is unanswered for a node of a fleet",
  queueFull: "too many orders wait",
  superseded: null,
  unwanted: null,
  denied: null,
  inFlight: null,
  backOff: null,
};
