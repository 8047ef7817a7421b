// Work that the machine's parts request outside: a send or a read; its result arrives in a later step.

import type { Account, OpenOrders, Positions } from "../../domain/account.ts";
import type { CancelAllCommand, CancelCommand } from "../../domain/command.ts";
import type { SubmitOutcome } from "../../domain/event.ts";
import type { Trade } from "../../domain/fill.ts";
import type { SendBy, Submitted } from "../../domain/submit.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import type { Clocks, Timer } from "../../kernel/clock.ts";

/** The last answer to a submit and how it was sent; null: it was not. */
export type SubmitEnd = { readonly outcome: SubmitOutcome; readonly submitted: Submitted | null };

/** The value that was read, or why that failed. */
export type Answer<T> = { readonly value: T } | { readonly why: string };

export type Work = {
  readonly clock: Clocks;
  readonly after: (delayMs: number, run: () => void) => Timer;
  /** Sends a cancel outside the slots. `by` null: with the current key and a fresh nonce. */
  readonly cancel: (
    command: CancelCommand | CancelAllCommand,
    by: SendBy | null,
    onEnd: (end: SubmitEnd) => void,
  ) => void;
  readonly readAccount: (account: AccountId, onEnd: (answer: Answer<Account>) => void) => void;
  /** Reads the public trades of a market and folds them. */
  readonly readTrades: (market: MarketId, onEnd: (answer: Answer<readonly Trade[]>) => void) => void;
  /** Reads one list of an account, the second witness; nothing is folded. */
  readonly listOrders: (account: AccountId, onEnd: (answer: Answer<OpenOrders>) => void) => void;
  readonly listPositions: (account: AccountId, onEnd: (answer: Answer<Positions>) => void) => void;
};
