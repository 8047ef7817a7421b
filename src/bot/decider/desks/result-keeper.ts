// Writes down results that have changed, days that have ended, and the worth of accounts and markets.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { View } from "../../../domain/view.ts";
import type { Instant } from "../../../kernel/clock.ts";
import type { BotState } from "../../account/account-state.ts";
import type { Output } from "../output.ts";
import type { AccountDesk } from "./account-desk.ts";
import { daySummary } from "./day-summary.ts";
import { agreedMark, keepEquity } from "./equity.ts";

export type ResultKeeperModules = {
  readonly state: BotState;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly view: (account: AccountId, market: MarketId) => View;
  readonly put: (output: Output) => void;
};

export class ResultKeeper {
  readonly #modules: ResultKeeperModules;
  /** The ledger knows the accounts' worth at the start of this run. */
  #isWorthKept = false;

  constructor(modules: ResultKeeperModules) {
    this.#modules = modules;
  }

  /** While the disk fails, skips writes that can wait. */
  keep(now: Instant, isHealthy: boolean): void {
    const { state, desks, put } = this.#modules;
    if (isHealthy && !this.#isWorthKept && state.accounts.values().every(({ reconcile }) => reconcile.rounds > 0))
      this.keepEquity(now);
    for (const desk of desks.values()) {
      const { accountId } = desk;
      if (isHealthy) desk.keepResults(now.wallMs);
      const mark = isHealthy ? agreedMark(state.accounts.get(accountId)) : null;
      if (mark !== null) desk.records.chain(mark, now.wallMs);
      const ended = desk.lookAtDay();
      if (ended !== null) put({ kind: "dayEnded", accountId, ...daySummary(`${accountId}`, ended) });
    }
  }

  keepEquity(now: Instant): void {
    this.#isWorthKept = true;
    keepEquity({ ...this.#modules, now });
  }
}
