// Applies a change of the configuration to the desks that it concerns.

import type { AccountId } from "../../domain/units.ts";
import { type BotState, rekey } from "../account/account-state.ts";
import { followSources } from "../market/outside.ts";
import type { AccountDesk } from "./desks/account-desk.ts";
import { type DeskModules, takeMarkets } from "./desks/desks.ts";
import type { Change } from "./input.ts";

export type ConfigureModules = {
  readonly state: BotState;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  /** What the desk of an added market needs. */
  readonly beside: Omit<DeskModules, "kept">;
};

/** A removed market only drains here: its desk stays until nothing of ours rests. */
export function configure(change: Change, { state, desks, beside }: ConfigureModules): void {
  const accountId = change.kind === "account" ? change.quoted.accountId : change.accountId;
  const desk = desks.get(accountId);
  if (desk === undefined) return;
  switch (change.kind) {
    case "account":
      desk.quoted = change.quoted;
      return;
    case "take":
      followSources(state, change.quoted.signals);
      takeMarkets(desk, [change.quoted], { ...beside, kept: change.kept });
      return;
    case "requote":
      followSources(state, change.quoted.signals);
      desk.markets.get(change.quoted.marketId)?.requote(change.quoted, change.goesOn);
      return;
    case "drain":
      desk.markets.get(change.marketId)?.strategy.drain();
      return;
    case "rekey":
      rekey(state, accountId, change.publicKey);
  }
}
