// Updates desks from what is sent and answered: how often orders are added and rejected, and how long quotes take to rest.

import type { VenueEvent } from "../../../domain/event.ts";
import type { AccountId } from "../../../domain/units.ts";
import { observeAdd, observeAnswer, observeRejection } from "../../risk/observed.ts";
import type { AccountDesk } from "../desks/account-desk.ts";
import { pairOf } from "../turns/turn-queue.ts";

/** Call it with each event once it is folded. `nowMs`: monotonic. */
export function observe(event: VenueEvent, desks: ReadonlyMap<AccountId, AccountDesk>, nowMs: number): void {
  if (event.kind !== "sent" && event.kind !== "answered") return;
  const { command } = event;
  const pair = pairOf(desks, command.accountId, command.marketId);
  if (pair === null) return;
  const { desk, market } = pair;
  const isOrder = command.kind === "place" || command.kind === "modify";
  if (event.kind === "answered") {
    const { outcome } = event;
    if (isOrder) {
      desk.rejections = observeRejection(desk.rejections, outcome, nowMs);
      market.observed = observeAnswer(market.observed, outcome, market.quoted.limits, nowMs);
    }
    market.quoting.answered(command, outcome, nowMs);
  } else if (isOrder) {
    market.quoting.sent(command, nowMs);
    market.observed = observeAdd(market.observed, nowMs);
  }
}
