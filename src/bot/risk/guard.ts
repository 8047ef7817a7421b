// May it be sent? One pure, total, synchronous answer for each command, on the facts of now. What throws is denied, what is unknown
// is denied, a cancel always passes; and only here does a command become an approved one.

import type {
  ActionClass,
  CancelAllCommand,
  CancelCommand,
  Command,
  ModifyCommand,
  PlaceCommand,
} from "../../domain/command.ts";
import type { View } from "../../domain/view.ts";
import { type Facts, messageOf } from "../../kernel/errors.ts";
import type { Approved } from "./approved.ts";
import { type GateId, gateIds } from "./gates/gate.ts";
import { blocking, type GateReading, readGates } from "./gates/gates.ts";
import { type LimitId, limitIds } from "./limits/limit-rule.ts";
import { limitRules } from "./limits/limit-rules.ts";
import type { Limits } from "./limits/limits.ts";
import { orderOf, type Proposal, proposalOf, tallyProposal } from "./limits/proposal.ts";
import { type Tally, tallyOf } from "./limits/tally.ts";
import type { Ground, RiskState } from "./risk-state.ts";

/** Closed set: label of `quoin_denials_total`. `guardFault`: judging it threw. */
export const denialReasons = [...gateIds, ...limitIds, "guardFault"] as const;
export type DenialReason = GateId | LimitId | "guardFault";

export type Denial = { readonly reason: DenialReason; readonly numbers: Facts };

export type Denied = {
  readonly command: Command;
  readonly actionClass: ActionClass;
  /** Every reason, at least one. */
  readonly denials: readonly Denial[];
};

export type Verdict = {
  /** In the order to be sent. A modify that was denied stands here as a cancel: what may not be moved may not stay. */
  readonly approved: readonly Approved[];
  readonly denied: readonly Denied[];
};

/**
 * Judges a batch in order: what is approved counts as live for what follows, and nothing counts as gone before the exchange has
 * said so. A ticket is judged again, alone, when it starts: its approval died with its turn. `readings` are those of the gates on
 * the same facts, where the turn has read them. Never throws.
 */
export function check(
  commands: readonly Command[],
  view: View,
  limits: Limits,
  state: RiskState,
  readings?: readonly GateReading[],
): Verdict {
  const ground = { view, limits, state };
  const bench: Bench = { ground, readings, closed: undefined, tally: undefined };
  const approved: Approved[] = [];
  const denied: Denied[] = [];
  for (const command of commands) {
    const refusal = isCancel(command) ? undefined : judge(command, bench);
    if (refusal === undefined) {
      approved.push(approve(command));
      continue;
    }
    denied.push(refusal);
    const instead = cancelInstead(command, view);
    if (instead !== undefined) approved.push(approve(instead));
  }
  return { approved, denied };
}

/** What a batch is judged with, made for the first command that needs judging. The tally grows with each that is approved. */
type Bench = {
  readonly ground: Ground;
  readonly readings: readonly GateReading[] | undefined;
  closed: readonly GateReading[] | undefined;
  tally: Tally | undefined;
};

/** Undefined: approved, and counted as live. */
function judge(command: PlaceCommand | ModifyCommand, bench: Bench): Denied | undefined {
  let actionClass: ActionClass = "increase";
  try {
    bench.closed ??= (bench.readings ?? readGates(bench.ground)).filter((reading) => reading.closed !== null);
    bench.tally ??= tallyOf(bench.ground.view);
    const { ground, closed, tally } = bench;
    const proposal = proposalOf(command, ground.view, tally);
    if (proposal === undefined) {
      return { command, actionClass, denials: [{ reason: "wellFormed", numbers: { order: "absent" } }] };
    }
    actionClass = proposal.actionClass;
    const denials = denialsOf(proposal, closed, ground, tally);
    if (denials.length > 0) return { command, actionClass, denials };
    tallyProposal(tally, proposal);
    return undefined;
  } catch (error) {
    return { command, actionClass, denials: [{ reason: "guardFault", numbers: { threw: messageOf(error) } }] };
  }
}

/** Every closed gate in its way and every limit that it passes. */
function denialsOf(
  proposal: Proposal,
  closed: readonly GateReading[],
  ground: Ground,
  tally: Tally,
): readonly Denial[] {
  const { command, actionClass } = proposal;
  const origin = command.kind === "place" && command.level === null ? "flatten" : "quote";
  const denials: Denial[] = [];
  for (const reading of blocking(closed, actionClass, origin)) {
    denials.push({ reason: reading.gate, numbers: reading.closed ?? {} });
  }
  for (const rule of limitRules) {
    if (rule.judges === "adding" && actionClass !== "increase") continue;
    const numbers = rule.exceeded(proposal, ground, tally);
    if (numbers !== null) denials.push({ reason: rule.id, numbers });
  }
  return denials;
}

const isCancel = (command: Command): command is CancelCommand | CancelAllCommand =>
  command.kind === "cancel" || command.kind === "cancelAll";

/** The one place where a command becomes an approved one. */
const approve = <C extends Command>(command: C): Approved<C> => command as Approved<C>;

/** For a denied modify the cancel of its order, unless a transaction of that order is on its way already. */
function cancelInstead(command: Command, view: View): CancelCommand | undefined {
  if (command.kind !== "modify") return undefined;
  const { accountId, marketId, orderId } = command;
  const order = lookUp(command, view);
  return order?.state === "working" && order.pending === null
    ? { kind: "cancel", accountId, marketId, orderId }
    : undefined;
}

function lookUp(command: ModifyCommand, view: View) {
  try {
    return orderOf(command, view);
  } catch {
    return undefined;
  }
}
