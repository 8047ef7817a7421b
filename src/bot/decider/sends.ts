// What each account may send: its slots and its budget, which learns of everything that is sent and answered.

import { type Command, isCancel } from "../../domain/command.ts";
import type { DropReason } from "../../domain/drop-reason.ts";
import type { VenueEvent } from "../../domain/event.ts";
import type { AccountId } from "../../domain/units.ts";
import { assert } from "../../kernel/assert.ts";
import type { Clocks } from "../../kernel/clock.ts";
import type { Facts } from "../../kernel/errors.ts";
import type { Approved } from "../risk/approved.ts";
import type { BeginOptions } from "./begin.ts";
import { RateBudget } from "./budget.ts";
import type { Output } from "./output.ts";
import { Slots } from "./slots.ts";

export type SendModules = {
  readonly clock: Clocks;
  readonly put: (output: Output) => void;
  /** The guard, on the facts of now; null: denied. */
  readonly judge: (command: Command) => Approved<Command> | null;
  readonly onDropped: (command: Command, reason: DropReason) => void;
};

/** What waits and is under way, and what may still be sent. */
export type Sending = { readonly slots: Slots; readonly budget: RateBudget };

export class Sends {
  readonly #of: ReadonlyMap<AccountId, Sending>;
  #submits = 0;

  constructor({ accounts, dialect }: Pick<BeginOptions, "accounts" | "dialect">, modules: SendModules) {
    const countWord = dialect?.budget ?? null;
    this.#of = new Map(accounts.map(({ accountId }) => [accountId, this.#sending(accountId, countWord, modules)]));
  }

  of(accountId: AccountId): Sending {
    const sending = this.#of.get(accountId);
    assert(sending !== undefined, "submits are of accounts that the machine was made for");
    return sending;
  }

  /** To be called before an event is folded: the exchange's own count is believed as far as it counts transactions. */
  heard(event: VenueEvent): VenueEvent {
    if (event.kind === "rateLimitRead") {
      const limit = this.#of.get(event.accountId)?.budget.learnLimit(event.rateLimit);
      return limit === undefined ? event : { ...event, rateLimit: limit };
    }
    if (event.kind !== "sent" && event.kind !== "answered") return event;
    const sending = this.#of.get(event.command.accountId);
    if (sending === undefined) return event;
    const { slots, budget } = sending;
    if (event.kind === "answered") budget.learn(event.outcome);
    // A slot has taken its cancel's share; cancels that are sent beside any slot take theirs here.
    else if (event.isAgain === true || (isCancel(event.command) && !slots.isUnderWay(event.command)))
      budget.take("cancel");
    return event;
  }

  stop(): void {
    for (const { slots } of this.#of.values()) slots.stop();
  }

  #sending(
    accountId: AccountId,
    countWord: ConstructorParameters<typeof RateBudget>[0]["countWord"],
    modules: SendModules,
  ): Sending {
    const { clock, put, judge } = modules;
    const budget = new RateBudget({ countWord: countWord ?? null }, { clock });
    const nextSubmit = (): number => {
      this.#submits += 1;
      return this.#submits;
    };
    const onDropped = (command: Command, reason: DropReason, facts: Facts): void => {
      modules.onDropped(command, reason);
      put({ kind: "dropped", accountId, command, reason, facts });
    };
    return { slots: new Slots(accountId, { clock, budget, put, nextSubmit, judge, onDropped }), budget };
  }
}
