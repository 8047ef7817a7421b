// Replays a recording: every turn and every check again, compared with what was decided then, bit for bit; or another configuration's
// decisions on the same stream of events.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { QuotedAccount } from "../../config/config.ts";
import type { Entry } from "../../recording/entry.ts";
import { exactText } from "../../recording/exact-text.ts";
import { RecordingError } from "../../recording/format.ts";
import type { Recorded } from "../../recording/reader.ts";
import { loadAccount, needsLoading } from "./recorded-config.ts";
import { type Judge, ReplayedRun } from "./recorded-run.ts";

/** `entry` counts the entries of the recording from 1; one within another has its number. */
export type Difference = {
  readonly entry: number;
  readonly atMs: number;
  readonly accountId: AccountId;
  readonly marketId: MarketId | null;
  readonly field: string;
  readonly recorded: unknown;
  readonly replayed: unknown;
};

export type ReplayCounts = {
  events: number;
  turns: number;
  commands: number;
  differing: number;
  isCut: boolean;
  /** Of the first and the last entry, wall time; null: there is none. */
  fromMs: number | null;
  toMs: number | null;
};

/**
 * `accounts`: of another configuration, null: the recorded ones. `onDifference` gets each; false ends the replay. A run whose earlier
 * entries are lost is passed over as cut: what it decided depends on them. Rejects with StrategyFault, and with RecordingError, `continued`
 * where no other run was read.
 */
export async function replay(
  recording: AsyncIterable<Recorded>,
  accounts: readonly QuotedAccount[] | null,
  onDifference: (difference: Difference) => boolean,
): Promise<ReplayCounts> {
  const counts: ReplayCounts = {
    events: 0,
    turns: 0,
    commands: 0,
    differing: 0,
    isCut: false,
    fromMs: null,
    toMs: null,
  };
  let number = 0;
  let isOver = false;
  const judge: Judge = (entry, decided) => {
    // Commands in the queue are those of the recorded configuration.
    if (accounts !== null && entry.kind !== "turn") return;
    const found = differenceOf(entry, decided);
    if (found === null || isOver) return;
    counts.differing += 1;
    isOver = !onDifference({ ...found, ...placeOf(entry), entry: number });
  };
  let run: ReplayedRun | null = null;
  let passedOver: string | null = null;
  for await (const recorded of recording) {
    if (recorded.kind === "life" && recorded.isWithin) {
      run = null;
      counts.isCut = true;
      passedOver ??= recorded.file;
    } else if (recorded.kind === "life") {
      const { start } = recorded;
      const own = accounts ?? (await Promise.all(start.accounts.map(loadAccount)));
      const known = new Set(start.accounts.map(({ accountId }) => accountId));
      run = new ReplayedRun(
        start,
        own.filter(({ accountId }) => known.has(accountId)),
        accounts !== null,
        judge,
      );
    } else if (recorded.kind === "end") counts.isCut ||= recorded.isCut;
    else if (run !== null) {
      const { entry } = recorded;
      number += 1;
      count(entry, counts);
      counts.fromMs ??= entry.instant.wallMs;
      counts.toMs = entry.instant.wallMs;
      if (needsLoading(entry)) await run.prepare(entry);
      run.play(entry);
      if (isOver) break;
    }
  }
  if (number === 0 && passedOver !== null)
    throw new RecordingError(
      "continued",
      `${passedOver} begins within a run whose earlier files are lost: its decisions cannot be worked out again, and its events alone can be used`,
    );
  return counts;
}

function count(entry: Entry, counts: ReplayCounts): void {
  if (entry.kind === "event") counts.events += 1;
  if (entry.kind === "turn") {
    counts.turns += 1;
    counts.commands += (
      (entry.decided as { readonly approved?: readonly unknown[] } | undefined)?.approved ?? []
    ).length;
  }
  for (const inner of entry.inner ?? []) count(inner, counts);
}

function placeOf(entry: Entry): Pick<Difference, "atMs" | "accountId" | "marketId"> {
  const atMs = entry.instant.wallMs;
  if (entry.kind === "recheck" || entry.kind === "judge") {
    const { accountId, marketId } = entry.command;
    return { atMs, accountId, marketId };
  }
  const { accountId, marketId } = entry as Extract<Entry, { readonly kind: "turn" }>;
  return { atMs, accountId, marketId };
}

/** The first field of the decision that is another; null: none is. */
function differenceOf(entry: Entry, decided: unknown): Pick<Difference, "field" | "recorded" | "replayed"> | null {
  const [recorded, replayed] = [exactText(entry.decided), exactText(decided)];
  if (recorded === replayed) return null;
  const [then, now] = [fieldsOf(entry.decided), fieldsOf(decided)];
  for (const field of new Set([...Object.keys(then), ...Object.keys(now)])) {
    if (exactText(then[field]) !== exactText(now[field]))
      return {
        field: entry.kind === "turn" ? field : `${entry.kind}.${field}`,
        recorded: then[field],
        replayed: now[field],
      };
  }
  return { field: entry.kind, recorded: entry.decided, replayed: decided };
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};
