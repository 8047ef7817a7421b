// A recording of the bot as a session: the events of its entries, over all of its runs. Paper accounts are left out: their orders were in
// no book of the exchange.

import { recordedIn } from "../../bot/recording/reader.ts";
import type { VenueEvent } from "../../domain/event.ts";
import type { AccountId } from "../../domain/units.ts";
import type { Instant } from "../../kernel/clock.ts";
import type { Recorded, Recording } from "./session.ts";

/** A file, or a folder of them. Reading throws RecordingError. */
export const recordingOf = (path: string): Recording => {
  return function* () {
    let paper: ReadonlySet<AccountId> = new Set();
    // The monotonic clock restarts with each run; here it continues with the wall clock.
    let [start, laterMs]: [Instant | null, number] = [null, 0];
    for (const recorded of recordedIn(path, { withDecisions: false })) {
      if (recorded.kind === "life") {
        const { instant, accounts } = recorded.start;
        start ??= instant;
        laterMs = instant.wallMs - start.wallMs - (instant.monotonicMs - start.monotonicMs);
        paper = new Set(accounts.flatMap(({ accountId, paper: of }) => (of === null ? [] : [accountId])));
      } else if (recorded.kind === "entry") {
        const { entry } = recorded;
        if (entry.kind !== "event") continue;
        if (paper.size > 0 && accountsOf(entry.event).some((id) => paper.has(id))) continue;
        yield laterMs === 0 ? entry : later(entry, laterMs);
      }
    }
  };
};

function later({ instant, event }: Recorded, byMs: number): Recorded {
  const at = { ...instant, monotonicMs: instant.monotonicMs + byMs };
  const moved = { ...event, receivedMs: event.receivedMs + byMs };
  if ("askedMs" in moved) return { instant: at, event: { ...moved, askedMs: moved.askedMs + byMs } };
  return { instant: at, event: "sentMs" in moved ? { ...moved, sentMs: moved.sentMs + byMs } : moved };
}

function accountsOf(event: VenueEvent): readonly AccountId[] {
  switch (event.kind) {
    case "execution":
      return [event.execution.takerAccountId, event.execution.makerAccountId];
    case "accountRead":
    case "adopted":
      return [event.account.accountId];
    case "sent":
    case "answered":
    case "resolved":
      return [event.command.accountId];
    default:
      return "accountId" in event ? [event.accountId] : [];
  }
}
