// Unanswered places of new exposure, kept below a limit: a fleet registers what each node may have on the way, so that the next holder of
// the account can count it.

import type { Allowances } from "../../domain/allowance.ts";
import { actionClassOf, type Command, type PlaceCommand } from "../../domain/command.ts";
import type { ExecutionEvent } from "../../domain/event.ts";
import type { Nonce } from "../../domain/units.ts";

export class Unanswered {
  readonly #allowances: Allowances | null;
  readonly #places = new Map<Nonce, PlaceCommand>();

  /** Null: no limit. A market without an allowance may have none. */
  constructor(allowances: Allowances | null) {
    this.#allowances = allowances;
  }

  /** Call it with everything that is sent and answered, before it is folded. */
  note(event: ExecutionEvent): void {
    const { command, nonce } = event;
    if (this.#allowances === null || !isCounted(command)) return;
    if (event.kind === "sent") this.#places.set(nonce, command);
    else if (event.kind === "answered" && event.outcome.kind !== "unknown") this.#places.delete(nonce);
  }

  /** The fate of a lost answer is known. */
  settled(nonce: Nonce): void {
    this.#places.delete(nonce);
  }

  admits(command: Command): boolean {
    if (this.#allowances === null || !isCounted(command)) return true;
    const { marketId, side, size } = command;
    const allowance = this.#allowances.get(marketId);
    if (allowance === undefined) return false;
    const before = [...this.#places.values()].filter((place) => place.marketId === marketId);
    const contracts = before.reduce((sum, place) => (place.side === side ? sum + place.size : sum), 0n);
    return before.length < allowance.orders && contracts + size <= allowance.contracts;
  }
}

/** A modify of a resting order ends with the order, which the next holder cancels first. */
const isCounted = (command: Command): command is PlaceCommand =>
  command.kind === "place" && actionClassOf(command) === "increase";
