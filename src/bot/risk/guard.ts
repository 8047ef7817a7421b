// Decides for each command whether it may be sent: pure, total, synchronous, on the current facts. It denies on an exception and on an
// unknown fact, and always approves a cancel. Only this file makes approved commands.

import {
  type ActionClass,
  type CancelCommand,
  type Command,
  isCancel,
  type ModifyCommand,
  type PlaceCommand,
} from "../../domain/command.ts";
import type { Side } from "../../domain/units.ts";
import type { View } from "../../domain/view.ts";
import { type Facts, messageOf } from "../../kernel/errors.ts";
import type { Approved } from "./approved.ts";
import { isFlatten } from "./classify.ts";
import { type GateId, gateIds } from "./gates/gate.ts";
import { blocking, type GateReading, type Origin, readGates } from "./gates/gates.ts";
import { type LimitId, type LimitRule, limitIds } from "./limits/limit-rule.ts";
import { limitRules, restingRules } from "./limits/limit-rules.ts";
import type { Limits } from "./limits/limits.ts";
import { keptOrders, orderOf, type Proposal, proposalOf, proposalToKeep, tallyProposal } from "./limits/proposal.ts";
import { type Tally, tallyOf, uncount } from "./limits/tally.ts";
import type { RiskInputs, RiskState, StuckQuotes } from "./risk-state.ts";

/** Closed set: label of `quoin_denials_total`. `guardFault`: the guard itself threw. */
export const denialReasons = [...gateIds, ...limitIds, "guardFault"] as const;
export type DenialReason = GateId | LimitId | "guardFault";

export type Denial = { readonly reason: DenialReason; readonly numbers: Facts };

export type Denied = {
  readonly command: Command;
  readonly actionClass: ActionClass;
  /** All reasons, at least one. */
  readonly denials: readonly Denial[];
};

export type Verdict = {
  /** In sending order. A denied modify becomes a cancel here: an order that may not move may not stay. */
  readonly approved: readonly Approved[];
  readonly denied: readonly Denied[];
};

/**
 * Judges a batch in order. An approved command counts as live for the following ones; an order counts as gone only once the exchange says
 * so. The queue has each command judged again when it starts, because an approval ends with its turn. `readings`: the gates on the same
 * facts, if the turn has read them already. Never throws.
 */
export function check(
  commands: readonly Command[],
  view: View,
  limits: Limits,
  state: RiskState,
  readings?: readonly GateReading[],
): Verdict {
  const inputs = { view, limits, state };
  const batch: BatchState = { inputs, commands, readings, closed: undefined, tally: undefined };
  const approved: Approved[] = [];
  const denied: Denied[] = [];
  for (const command of commands) {
    const refusal = isCancel(command) ? undefined : judge(command, batch);
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

/**
 * Judges the orders that no command in `commands` changes: one that would be denied today is canceled. If there are too many, the last
 * levels are canceled.
 */
export function checkKept(commands: readonly Command[], view: View, limits: Limits, state: RiskState): Verdict {
  const kept = keptOrders(commands, view);
  if (kept.length === 0) return nothing;
  const inputs = { view, limits, state };
  const tally = tallyOf(view);
  uncount(tally); // Each is judged on top of the others.
  const approved: Approved[] = [];
  const denied: Denied[] = [];
  for (const order of kept) {
    const { accountId, marketId } = view;
    const refusal = judgeKept(proposalToKeep(order, view), inputs, tally);
    if (refusal === undefined) continue;
    denied.push(refusal);
    approved.push(approve({ kind: "cancel", accountId, marketId, orderId: order.orderId }));
    uncount(tally);
  }
  return { approved, denied };
}

const nothing: Verdict = { approved: [], denied: [] };

function judgeKept(proposal: Proposal, inputs: RiskInputs, tally: Tally): Denied | undefined {
  const { command, actionClass } = proposal;
  const denials = orFault(() => exceededBy(proposal, restingRules, inputs, tally));
  return denials.length === 0 ? undefined : { command, actionClass, denials };
}

function orFault(judged: () => readonly Denial[]): readonly Denial[] {
  try {
    return judged();
  } catch (error) {
    return [faultOf(error)];
  }
}

const faultOf = (error: unknown): Denial => ({ reason: "guardFault", numbers: { threw: messageOf(error) } });

/** Working state of one batch, filled by the first command that needs it. The tally grows with each approval. */
type BatchState = {
  readonly inputs: RiskInputs;
  readonly commands: readonly Command[];
  readonly readings: readonly GateReading[] | undefined;
  closed: readonly GateReading[] | undefined;
  tally: Tally | undefined;
};

/** Undefined: approved, and counted as live from now on. */
function judge(command: PlaceCommand | ModifyCommand, batch: BatchState): Denied | undefined {
  let actionClass: ActionClass = "increase";
  try {
    batch.closed ??= (batch.readings ?? readGates(batch.inputs)).filter((reading) => reading.closed !== null);
    batch.tally ??= tallyOf(batch.inputs.view);
    const { inputs, closed, tally } = batch;
    const proposal = proposalOf(command, inputs.view, tally);
    if (proposal === undefined) {
      return { command, actionClass, denials: [{ reason: "wellFormed", numbers: { order: "absent" } }] };
    }
    actionClass = proposal.actionClass;
    const denials = denialsOf(proposal, originOf(proposal, batch, closed), closed, inputs, tally);
    if (denials.length > 0) return { command, actionClass, denials };
    tallyProposal(tally, proposal);
    return undefined;
  } catch (error) {
    return { command, actionClass, denials: [faultOf(error)] };
  }
}

/** Every closed gate that blocks the proposal and every limit that it exceeds. */
function denialsOf(
  proposal: Proposal,
  origin: Origin,
  closed: readonly GateReading[],
  inputs: RiskInputs,
  tally: Tally,
): readonly Denial[] {
  const gates = blocking(closed, proposal.actionClass, origin);
  return [
    ...gates.map((reading) => ({ reason: reading.gate, numbers: reading.closed ?? {} })),
    ...exceededBy(proposal, limitRules, inputs, tally),
  ];
}

function exceededBy(
  proposal: Proposal,
  rules: readonly LimitRule[],
  inputs: RiskInputs,
  tally: Tally,
): readonly Denial[] {
  const denials: Denial[] = [];
  for (const rule of rules) {
    if (rule.judges === "adding" && proposal.actionClass !== "increase") continue;
    const numbers = rule.exceeded(proposal, inputs, tally);
    if (numbers !== null) denials.push({ reason: rule.id, numbers });
  }
  return denials;
}

function originOf(
  { command, side }: Proposal,
  { inputs, commands }: BatchState,
  closed: readonly GateReading[],
): Origin {
  if (isFlatten(command)) return "flatten";
  const { stuckQuotes } = inputs.state;
  const isShort = closed.some(({ gate }) => gate === "budget");
  const waits = (of: Side): boolean => isShort || isStuck(of, stuckQuotes);
  return waits(side) && command !== trialOf(commands, stuckQuotes, waits) ? "waiting" : "quote";
}

const isStuck = (side: Side, stuckQuotes: StuckQuotes): boolean =>
  stuckQuotes[side] !== null && stuckQuotes[side].blocks !== false;

/** The one trial order among the waiting ones. */
function trialOf(
  commands: readonly Command[],
  { trial }: StuckQuotes,
  waits: (side: Side) => boolean,
): Command | undefined {
  if (trial === null) return undefined;
  const waiting = commands.filter((command) => !isCancel(command) && waits(command.side));
  return waiting[trial % waiting.length];
}

/** The only place where a command becomes an approved one. */
const approve = <C extends Command>(command: C): Approved<C> => command as Approved<C>;

/** For a denied modify, the cancel of its order, unless a transaction of that order is already in flight. */
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
