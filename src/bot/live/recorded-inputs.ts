// The inputs of a running machine as a recording holds them.

import type { VenueEvent } from "../../domain/event.ts";
import type { Input, Readings } from "../decider/input.ts";
import type { Output } from "../decider/output.ts";
import type { Turn } from "../decider/turns/turn.ts";
import {
  type Decided,
  type Entry,
  type RecordedInput,
  recordedAccount,
  recordedMarket,
  recordedReadings,
  type TurnDecision,
} from "../recording/entry.ts";
import type { Recorder } from "../recording/recorder.ts";
import { readsGiven } from "./kept-reads.ts";

/** Returns what records each input with its outputs. `begun`: the readings that the machine began with. */
export function recordInputs(recorder: Recorder, begun: Readings): (input: Input, outputs: readonly Output[]) => void {
  let known = begun;
  return (input, outputs) => {
    const { instant, readings, mayTurn } = input;
    const isNew = readings !== known;
    known = readings;
    const decided = decidedOf(outputs);
    const entry: Entry = {
      ...recordedInput(input),
      instant,
      readings: isNew ? recordedReadings(readings) : undefined,
      mayTurn: mayTurn ? undefined : false,
      decided,
      folded: foldedOf(outputs),
    };
    recorder.push(entry, otherOutputs(outputs));
  };
}

function recordedInput({ instant: _, readings: __, mayTurn: ___, ...told }: Input): RecordedInput {
  switch (told.kind) {
    case "account":
      return { ...told, quoted: recordedAccount(told.quoted) };
    case "requote":
      return { ...told, quoted: recordedMarket(told.quoted) };
    case "start":
      return { kind: "start", lastOrderedMs: [...told.lastOrderedMs] };
    case "take":
      return { ...told, quoted: recordedMarket(told.quoted), kept: readsGiven(told.kept) };
    default:
      return told;
  }
}

/** What a replay must reproduce. */
export function decidedOf(outputs: readonly Output[]): Decided | undefined {
  for (const output of outputs) {
    if (output.kind === "turned") {
      const { accountId, marketId, turn } = output;
      return { of: "turn", accountId, marketId, turn: turn === null ? null : decisionOf(turn) };
    }
  }
  return undefined;
}

/** Events that the machine itself made. */
export function foldedOf(outputs: readonly Output[]): readonly VenueEvent[] | undefined {
  const events = outputs.flatMap((output) => (output.kind === "folded" ? output.event : []));
  return events.length === 0 ? undefined : events;
}

/** The other outputs, except the summary of a day, which includes earlier runs. */
export const otherOutputs = (outputs: readonly Output[]): readonly Output[] =>
  outputs.filter(({ kind }) => kind !== "turned" && kind !== "folded" && kind !== "dayEnded").map(withoutStack);

/** A stack shows where the code is and its callers, which differ in a replay. */
function withoutStack(output: Output): Output {
  if (output.kind !== "notice" || !("stack" in output.notice.facts)) return output;
  const { stack: _, ...facts } = output.notice.facts;
  return { kind: "notice", notice: { ...output.notice, facts } };
}

const decisionOf = ({ quotes, fault, permitted, readings, verdict }: Turn): TurnDecision => ({
  quotes,
  fault: fault?.message ?? null,
  permitted,
  closed: readings.filter(({ closed }) => closed !== null),
  approved: verdict.approved,
  denied: verdict.denied,
});
