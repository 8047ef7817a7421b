// Replays a recording: feeds every input again and compares the outputs with the recorded ones, bit for bit; or runs another
// configuration's turns on the same stream of events.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { QuotedAccount } from "../../config/config.ts";
import type { Output } from "../../decider/output.ts";
import { decidedOf, foldedOf, otherOutputs } from "../../live/recorded-inputs.ts";
import { type Decided, digestOf, type Entry } from "../../recording/entry.ts";
import { isSameData } from "../../recording/exact-text.ts";
import { RecordingError } from "../../recording/format.ts";
import type { Recorded } from "../../recording/reader.ts";
import { loadAccount, needsLoading } from "./recorded-config.ts";
import { ReplayedRun } from "./recorded-run.ts";

/** `entry`: its number in the recording, from 1. `field`: `folded` for the machine's own events, `outputs` for other outputs. */
export type Difference = {
  readonly entry: number;
  readonly atMs: number;
  readonly accountId: AccountId | null;
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
  /** Wall time of the first and the last entry; null: there is none. */
  fromMs: number | null;
  toMs: number | null;
};

/**
 * `accounts`: another configuration's; null: the recorded ones. `onDifference` gets each difference; false ends the replay. A run whose
 * earlier entries are lost is skipped as cut: its decisions depend on them. Rejects with StrategyFault, and with RecordingError,
 * `continued` where no other run was read.
 */
export async function replay(
  recording: Iterable<Recorded>,
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
  const judge = (entry: Entry, outputs: readonly Output[]): void => {
    const found =
      accounts === null
        ? differenceOf(entry, outputs)
        : entry.decided?.of === "turn"
          ? decisionDifference(entry.decided, decidedOf(outputs))
          : null;
    if (found === null || isOver) return;
    counts.differing += 1;
    isOver = !onDifference({ ...found, ...placeOf(entry), entry: number });
  };
  let run: ReplayedRun | null = null;
  let passedOver: string | null = null;
  for (const recorded of recording) {
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
      );
    } else if (recorded.kind === "end") counts.isCut ||= recorded.isCut;
    else if (run !== null) {
      const { entry } = recorded;
      number += 1;
      count(entry, counts);
      counts.fromMs ??= entry.instant.wallMs;
      counts.toMs = entry.instant.wallMs;
      if (needsLoading(entry)) await run.prepare(entry);
      judge(entry, run.play(entry));
      if (isOver) break;
    }
  }
  if (number === 0 && passedOver !== null)
    throw new RecordingError(
      "continued",
      `${passedOver} begins within a run whose earlier files are lost: its decisions cannot be replayed, only its events can be used`,
    );
  return counts;
}

function count({ kind, decided }: Entry, counts: ReplayCounts): void {
  if (kind === "event") counts.events += 1;
  if (decided?.of !== "turn") return;
  counts.turns += 1;
  counts.commands += decided.turn?.approved.length ?? 0;
}

function placeOf(entry: Entry): Pick<Difference, "atMs" | "accountId" | "marketId"> {
  const atMs = entry.instant.wallMs;
  const { decided } = entry;
  if (decided?.of === "turn") return { atMs, accountId: decided.accountId, marketId: decided.marketId };
  return { atMs, accountId: null, marketId: null };
}

type Differs = Pick<Difference, "field" | "recorded" | "replayed">;

/** Returns the first differing field of the outputs; null: none. */
function differenceOf(entry: Entry, outputs: readonly Output[]): Differs | null {
  const differs = decisionDifference(entry.decided, decidedOf(outputs));
  if (differs !== null) return differs;
  const folded = foldedOf(outputs);
  if (!isSameData(entry.folded, folded)) return { field: "folded", recorded: entry.folded, replayed: folded };
  const [recorded, replayed] = [entry.digest, digestOf(otherOutputs(outputs))];
  return recorded === replayed ? null : { field: "outputs", recorded, replayed };
}

function decisionDifference(then: Decided | undefined, now: Decided | undefined): Differs | null {
  if (isSameData(then, now)) return null;
  const [recorded, replayed] = [fieldsOf(then), fieldsOf(now)];
  for (const field of new Set([...Object.keys(recorded), ...Object.keys(replayed)]))
    if (!isSameData(recorded[field], replayed[field]))
      return { field, recorded: recorded[field], replayed: replayed[field] };
  return { field: "turn", recorded: then, replayed: now };
}

/** Fields of the turn, without those that identify it. */
const fieldsOf = (decided: Decided | undefined): Readonly<Record<string, unknown>> => {
  if (decided === undefined) return {};
  const { turn, ...whose } = decided;
  return { ...whose, ...turn };
};
