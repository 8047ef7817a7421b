// Transfers as their owners read them (S2.9): newest first, in pages of 50, each from the owner's side.

import { accountId } from "../../domain/units.ts";
import type { TransferItem, TransferPage } from "../../wire/rest/owners.ts";
import { parsedText, textOf } from "../accounts/table.ts";
import type { ChainIndex } from "./chain-index.ts";
import { createPile, type Kept, keptNothing, type Pile } from "./pile.ts";

/** A transfer without the side of one owner. */
type TransferRow = Omit<TransferItem, "direction">;

/** `droppedMs`: time (Unix ms) of the newest dropped row when the page would continue among dropped rows; else null. */
export type KeptPage = TransferPage & Pick<Kept<never>, "droppedMs">;

export type TransferHistory = ChainIndex & {
  /** The page after `cursor`, or the first. Undefined for a cursor that was never given out. */
  readonly page: (owner: string, cursor: string | null) => KeptPage | undefined;
};

const PAGE_ITEMS = 50;
/** Transfers kept per owner: enough to read years, and a bound on memory. */
const KEPT = 10_000;

export function createTransferHistory(): TransferHistory {
  const byOwner = new Map<string, Pile<TransferRow>>();

  function push(owner: string, row: TransferRow): void {
    const pile = byOwner.get(owner) ?? createPile(KEPT, timeOf);
    byOwner.set(owner, pile);
    pile.push(row);
  }

  return {
    name: "transfers",
    add(batch) {
      const { height, timeMs, eventIndex, events } = batch;
      for (const [at, event] of events.entries()) {
        if (event.type !== "AccountChanged" || event.name !== "Transferred" || event.accountId === null) continue;
        const place = { blockHeight: height, eventIndex: eventIndex + at, timestampMs: timeMs, txHash: batch.txHash };
        const row = { ...place, fromAccountId: event.accountId, ...factsOf(event.facts) };
        push(row.fromOwner, row);
        if (row.toOwner !== row.fromOwner) push(row.toOwner, row);
      }
    },
    page(owner, cursor) {
      const { rows: newestFirst, droppedMs } = byOwner.get(owner)?.kept() ?? keptNothing;
      const last = cursor === null ? -1 : newestFirst.findIndex((row) => cursorOf(row) === cursor);
      // Only a full page with an older item after it gives a cursor; newer transfers only move it further down.
      const isGiven = last >= PAGE_ITEMS - 1 && (last < newestFirst.length - 1 || droppedMs !== null);
      if (cursor !== null && !isGiven) return undefined;
      const rest = newestFirst.slice(last + 1);
      const shown = rest.slice(0, PAGE_ITEMS);
      const end = shown.at(-1);
      const isLast = droppedMs === null && rest.length === shown.length;
      const nextCursor = end === undefined || isLast ? null : cursorOf(end);
      const items = shown.map((row) => ({ ...row, direction: directionOf(row, owner) }));
      return { items, nextCursor, droppedMs: shown.length < PAGE_ITEMS ? droppedMs : null };
    },
    save: () => textOf([...byOwner].map(([owner, pile]) => [owner, pile.kept()])),
    load(text) {
      byOwner.clear();
      for (const [owner, kept] of parsedText(text) as [string, Kept<TransferRow>][])
        byOwner.set(owner, createPile(KEPT, timeOf, kept));
    },
  };
}

/** Reads the facts of a Transferred event as `transferred` wrote them. */
function factsOf(facts: Readonly<Record<string, string>>) {
  return {
    toAccountId: accountId(BigInt(facts.to_account_id ?? "0")),
    fromOwner: facts.from_owner ?? "",
    toOwner: facts.to_owner ?? "",
    tokenId: Number(facts.token_id),
    amount: BigInt(facts.amount ?? "0"),
    reason: facts.reason === "SubaccountClose" ? ("SubaccountClose" as const) : ("Transfer" as const),
  };
}

const timeOf = ({ timestampMs }: TransferRow): number => timestampMs;
const cursorOf = (row: TransferRow): string => `${row.blockHeight}-${row.eventIndex}`;

function directionOf(row: TransferRow, owner: string): TransferItem["direction"] {
  if (row.fromOwner === row.toOwner) return "own";
  return row.fromOwner === owner ? "outgoing" : "incoming";
}
