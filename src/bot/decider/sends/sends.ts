// What each account may send: its slots, and its budget, which learns from everything that is sent and answered.

import {
  actionClassOf,
  type CancelAllCommand,
  type CancelCommand,
  type Command,
  isCancel,
} from "../../../domain/command.ts";
import type { DropReason, SendRefusalCode } from "../../../domain/drop-reason.ts";
import type { SubmitOutcome, VenueEvent } from "../../../domain/event.ts";
import type { SendBy, Submitted } from "../../../domain/submit.ts";
import type { AccountId } from "../../../domain/units.ts";
import { assert } from "../../../kernel/assert.ts";
import type { Clocks } from "../../../kernel/clock.ts";
import type { Facts } from "../../../kernel/errors.ts";
import type { QuotedAccount } from "../../config/config.ts";
import type { Approved } from "../../risk/approved.ts";
import type { BeginOptions } from "../begin.ts";
import type { Output } from "../output.ts";
import type { SubmitEnd, Work } from "../work.ts";
import { type BudgetOptions, RateBudget } from "./budget.ts";
import { Slots } from "./slots.ts";

export type SendOptions = Pick<BeginOptions, "dialect"> & {
  readonly accounts: readonly Pick<QuotedAccount, "accountId">[];
  readonly budget?: Partial<BudgetOptions>;
};

export type SendModules = {
  readonly clock: Clocks;
  readonly put: (output: Output) => void;
  /** The guard, by current facts; null: denied. */
  readonly judge: (command: Command) => Approved<Command> | null;
  readonly onDropped: (command: Command, reason: DropReason) => void;
};

/** Waiting commands, those under way, and the remaining budget. */
export type Sending = { readonly slots: Slots; readonly budget: RateBudget };

/** A cancel outside the slots. */
type Own = {
  readonly command: CancelCommand | CancelAllCommand;
  readonly by: SendBy | null;
  readonly onEnd: (end: SubmitEnd) => void;
};

export class Sends {
  readonly #of: ReadonlyMap<AccountId, Sending>;
  readonly #put: (output: Output) => void;
  /** By the number of their submit. */
  readonly #own = new Map<number, Own>();
  #submits = 0;

  constructor({ accounts, dialect, budget }: SendOptions, modules: SendModules) {
    const options = { countWord: dialect?.budget ?? null, ...budget };
    this.#put = modules.put;
    this.#of = new Map(accounts.map(({ accountId }) => [accountId, this.#sending(accountId, options, modules)]));
  }

  of(accountId: AccountId): Sending {
    const sending = this.#of.get(accountId);
    assert(sending !== undefined, "submits are of accounts that the machine was made for");
    return sending;
  }

  /** Sends a cancel at once, outside the slots. `by` null: with the current key and a fresh nonce. */
  readonly cancel: Work["cancel"] = (command, by, onEnd) => {
    const submit = this.#nextSubmit();
    this.#own.set(submit, { command, by, onEnd });
    this.#put({ kind: "submit", accountId: command.accountId, submit, command, by, causeMs: null });
  };

  /** Counts unanswered cancels outside the slots. */
  ownUnderWay(accountId: AccountId): number {
    return [...this.#own.values()].filter(({ command }) => command.accountId === accountId).length;
  }

  /** The submit was not sent. */
  refused(accountId: AccountId, submit: number, reason: SendRefusalCode, facts: Facts): void {
    const own = this.#own.get(submit);
    if (own === undefined) {
      this.of(accountId).slots.refused(submit, reason, facts);
      return;
    }
    this.#own.delete(submit);
    own.onEnd({ outcome: { kind: "notSent", why: reason }, submitted: null });
  }

  /** Call it once the answer is folded. Returns true if it was the last one, and not for a cancel outside the slots. */
  answered(command: Command, outcome: SubmitOutcome, submitted: Submitted): boolean {
    const { accountId } = command;
    const { submit, hasOtherTime } = submitted;
    const own = this.#own.get(submit);
    // A command that must go and was rejected before execution is sent once more by the other clock. A fence keeps its nonce.
    const again = own?.command ?? this.of(accountId).slots.commandOf(submit);
    if (outcome.kind === "rejected" && hasOtherTime && again !== undefined && actionClassOf(again) !== "increase") {
      const by = { ...(own?.by ?? { signer: null, nonce: null }), isOtherTime: true };
      this.#put({ kind: "submit", accountId, submit, command: again, by, causeMs: null });
      return false;
    }
    if (own === undefined) {
      this.of(accountId).slots.ended(submit, outcome.kind);
      return true;
    }
    this.#own.delete(submit);
    if (outcome.kind === "unknown" && !isFence(command)) this.#harmless(accountId, submitted);
    own.onEnd({ outcome, submitted });
    return false;
  }

  /** Call it before an event is folded: keeps only the part of the exchange's count that counts transactions. */
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
    // A slot has taken its cancel's share of the budget; cancels outside the slots take theirs here.
    else if (event.isAgain === true || (isCancel(event.command) && !slots.isUnderWay(event.command)))
      budget.take("cancel");
    return event;
  }

  stop(): void {
    for (const { slots } of this.#of.values()) slots.stop();
  }

  /** Nothing depends on whether it lands. */
  #harmless(accountId: AccountId, { signer, nonce, intentId }: Submitted): void {
    this.#put({ kind: "settled", accountId, signer, nonce, intentIds: [intentId], end: "harmless" });
  }

  #nextSubmit(): number {
    this.#submits += 1;
    return this.#submits;
  }

  #sending(accountId: AccountId, options: Partial<BudgetOptions>, modules: SendModules): Sending {
    const { clock, put, judge } = modules;
    const budget = new RateBudget(options, { clock });
    const nextSubmit = (): number => this.#nextSubmit();
    const onDropped = (command: Command, reason: DropReason, facts: Facts): void => {
      modules.onDropped(command, reason);
      put({ kind: "dropped", accountId, command, reason, facts });
    };
    return { slots: new Slots(accountId, { clock, budget, put, nextSubmit, judge, onDropped }), budget };
  }
}

/** The fence's unknown handles a lost answer. */
const isFence = (command: Command): boolean => command.kind === "cancelAll" && command.fences !== null;
