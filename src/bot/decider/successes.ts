// Reports successes whose answers do not say what they did: what was learned of the exchange's dialect, and what three unexplained ones in
// a row mean for the account.

import type { AccountId } from "../../domain/units.ts";
import type { Clocks } from "../../kernel/clock.ts";
import type { AccountEffect } from "../account/effects.ts";
import { IN_ROW_MAX } from "../account/orders/orders.ts";
import type { AccountDesk } from "./desks/account-desk.ts";
import type { Say } from "./notice.ts";
import type { Output } from "./output.ts";

type Modules = {
  readonly desks: ReadonlyMap<
    AccountId,
    Pick<AccountDesk, "trip"> & { readonly records: Pick<AccountDesk["records"], "learned"> }
  >;
  readonly clock: Clocks;
  readonly log: Say;
  readonly put: (output: Output) => void;
};
type EffectOf<K extends AccountEffect["kind"]> = Extract<AccountEffect, { readonly kind: K }>;

export function onSuccess(effect: EffectOf<"shown" | "notUnderstood" | "dialectLearned">, modules: Modules): void {
  if (effect.kind === "shown") modules.put({ kind: "shown", accountId: effect.accountId });
  else if (effect.kind === "notUnderstood") onNotUnderstood(effect, modules);
  else onLearned(effect, modules);
}

/** Reports why the effect of a success is unknown, and halts where it is no accident. */
function onNotUnderstood(
  { accountId, marketId, action, said, isTooMany }: EffectOf<"notUnderstood">,
  { desks, clock, log }: Modules,
): void {
  const facts = { account: `${accountId}`, market: marketId, action, said };
  log.warn(
    { event: "success.notUnderstood", ...facts },
    `a ${action} in market ${marketId} of account ${accountId} succeeded, and neither its answer (${said}) nor the stream nor a read shows what it did`,
  );
  if (!isTooMany || action === "modify") return;
  const reason = `${IN_ROW_MAX} transactions in a row succeeded, the last a ${action} in market ${marketId}, and neither their answers (${said}) nor the stream nor reads show what they did`;
  const numbers = { inRow: IN_ROW_MAX };
  desks
    .get(accountId)
    ?.trip({ kind: "mismatch", accountId, marketId: null, holds: "halted", reason, numbers }, clock.wallMs());
}

function onLearned({ accountId, key, word }: EffectOf<"dialectLearned">, { desks, clock, log }: Modules): void {
  desks.get(accountId)?.records.learned(key, word, clock.wallMs());
  const facts = { account: `${accountId}`, key, word };
  if (key === "modifySize" && word === "none")
    log.warn(
      { event: "dialect.learned", ...facts },
      `account ${accountId}: ${IN_ROW_MAX} modifies in a row were not understood; orders are canceled and placed instead from now on`,
    );
  else
    log.info(
      { event: "dialect.learned", ...facts },
      `account ${accountId}: learned how this exchange speaks: ${key} is ${word}`,
    );
}
