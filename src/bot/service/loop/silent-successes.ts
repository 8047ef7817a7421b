// Successes that nothing confirms. One alone is an unknown outcome, which the resolver settles; three in a row mean that this exchange does
// not say what its transactions did, as we assume it does (S6.1), and nothing that we send is sure any longer.

import type { Command } from "../../../domain/command.ts";
import type { VenueEvent } from "../../../domain/event.ts";
import type { AccountId, MarketId, Nonce, Side } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { BotState } from "../../account/account-state.ts";
import { lacksEvent } from "../../account/evidence.ts";
import type { AccountDesk } from "../desks/account-desk.ts";

export type SilentModules = {
  readonly state: Pick<BotState, "accounts" | "readLagMaxMs">;
  readonly desks: ReadonlyMap<AccountId, Pick<AccountDesk, "trip">>;
  readonly clock: Clock;
};

/** A success whose answer lacks its event. `answeredMs`: monotonic. */
type Silent = { readonly nonce: Nonce; readonly command: Command; readonly answeredMs: number };

const IN_ROW_MAX = 3;

export class SilentSuccesses {
  readonly #modules: SilentModules;
  /** Those that a frame may yet confirm, oldest first. */
  #waiting: readonly Silent[] = [];
  readonly #inRow = new Map<AccountId, number>();
  /** When a frame last told of a new order, monotonic ms. */
  readonly #placedMs = new Map<string, number>();

  constructor(modules: SilentModules) {
    this.#modules = modules;
  }

  /** Call it with every event. */
  note(event: VenueEvent): void {
    if (event.kind === "orderPlaced") {
      this.#placed(event.accountId, event.marketId, event.side, event.receivedMs);
    } else if (event.kind === "execution") {
      const { takerAccountId, marketId, takerSide } = event.execution;
      this.#placed(takerAccountId, marketId, takerSide, event.receivedMs);
    } else if (event.kind === "answered" && event.outcome.kind === "executed" && event.command.kind !== "cancelAll") {
      const { nonce, command, receivedMs } = event;
      if (lacksEvent(command, event.outcome))
        this.#waiting = [...this.#waiting, { nonce, command, answeredMs: receivedMs }];
      else this.#inRow.set(command.accountId, 0);
    }
  }

  #placed(account: AccountId, market: MarketId, side: Side, atMs: number): void {
    if (this.#modules.desks.has(account)) this.#placedMs.set(placeOf(account, market, side), atMs);
  }

  /** Frames are behind answers by less than `readLagMaxMs`: what none has confirmed by then counts. */
  tick(): void {
    if (this.#waiting.length === 0) return;
    const { state, clock } = this.#modules;
    const dueMs = clock.monotonicMs() - state.readLagMaxMs;
    const left: Silent[] = [];
    for (const silent of this.#waiting) {
      if (this.#isConfirmed(silent)) this.#inRow.set(silent.command.accountId, 0);
      else if (silent.answeredMs <= dueMs) this.#count(silent.command);
      else left.push(silent);
    }
    this.#waiting = left;
  }

  /** Nothing but its answer says under which id an order was placed, so any new one of its side will do. */
  #isConfirmed({ command, nonce, answeredMs }: Silent): boolean {
    const { state } = this.#modules;
    const orders = state.accounts.get(command.accountId)?.orders;
    if (orders === undefined || command.kind === "cancelAll") return true;
    if (command.kind !== "place")
      return orders.isOver(command.orderId) || (command.kind === "modify" && !orders.isOpen(nonce));
    const placedMs = this.#placedMs.get(placeOf(command.accountId, command.marketId, command.side));
    return placedMs !== undefined && placedMs >= answeredMs - state.readLagMaxMs;
  }

  #count({ accountId, kind, marketId }: Command): void {
    const { desks, clock } = this.#modules;
    const inRow = (this.#inRow.get(accountId) ?? 0) + 1;
    this.#inRow.set(accountId, inRow);
    if (inRow < IN_ROW_MAX) return;
    this.#inRow.set(accountId, 0);
    const reason =
      `${IN_ROW_MAX} transactions in a row succeeded, the last a ${kind} in market ${marketId}, ` +
      "and neither their answers nor the stream told what they did";
    const numbers = { inRow };
    desks
      .get(accountId)
      ?.trip({ kind: "mismatch", accountId, marketId: null, holds: "halted", reason, numbers }, clock.wallMs());
  }
}

const placeOf = (account: AccountId, market: MarketId, side: Side): string => `${account} ${market} ${side}`;
