// One pass of the loop for one market of one account: view, quote, plan, check. Nothing here waits: the same view, limits and state always
// give the same commands.

import { isDeepStrictEqual } from "node:util";
import type { ActionClass } from "../../../domain/command.ts";
import type { Modifies } from "../../../domain/dialect.ts";
import { noQuotes, type Quotes } from "../../../domain/quotes.ts";
import { shownView } from "../../../domain/shown-view.ts";
import { lastKnown, type View } from "../../../domain/view.ts";
import { type Answers, answersOf } from "../../risk/adverse.ts";
import { type GateReading, mostPermitted, readGates } from "../../risk/gates/gates.ts";
import { check, checkKept, type Verdict } from "../../risk/guard.ts";
import type { Limits } from "../../risk/limits/limits.ts";
import { atTrustedPrint } from "../../risk/prints.ts";
import type { RiskState } from "../../risk/risk-state.ts";
import { checkedQuotes, QuoteFault } from "../../strategy/checked-quotes.ts";
import type { RunningStrategy } from "../../strategy/loader.ts";
import { type Plan, plan, type Requoting, toleranceOf } from "../../strategy/plan.ts";
import { answered } from "./answered.ts";
import { clipped, reducedWhileUnconfirmed } from "./clip.ts";

export type Turn = {
  readonly view: View;
  readonly quotes: Quotes;
  /** Why the strategy gave no usable quotes; null: it did. */
  readonly fault: QuoteFault | null;
  readonly readings: readonly GateReading[];
  /** The most that quotes may do. */
  readonly permitted: ActionClass;
  /** The response to adverse fills. */
  readonly answers: Answers;
  readonly modifies: Modifies;
  readonly plan: Plan;
  readonly verdict: Verdict;
  /** The guard's state, including the strategy's fair value. */
  readonly state: RiskState;
};

export type TurnInputs = Requoting & {
  readonly view: View;
  readonly strategy: Pick<RunningStrategy, "quote">;
  readonly limits: Limits;
  /** Half-spread of the last quotes of both sides, basis points. */
  readonly usualHalfSpreadBps: number;
  readonly modifies: Modifies;
  /** All but what this turn adds. */
  readonly state: Omit<RiskState, "fairValueUsd">;
};

export function takeTurn(inputs: TurnInputs): Turn {
  const { view, strategy, limits, state, modifies } = inputs;
  const { quotes, fault } = quote(strategy, shownView(atTrustedPrint(view, state.observed.prints)));
  const judged: RiskState = { ...state, fairValueUsd: quotes.fairValueUsd };
  const readings = readGates({ view, limits, state: judged });
  const permitted = mostPermitted(readings);
  const answers = answersOf(state.observed.adverse, view, limits.market);
  const planned = planFor({ quotes, answers, permitted }, inputs);
  const commands = clipped(planned.commands, view, limits);
  const verdict = join(checkKept(commands, view, limits, judged), check(commands, view, limits, judged, readings));
  return { view, quotes, fault, readings, permitted, answers, modifies, plan: planned, verdict, state: judged };
}

type Wanted = Pick<Turn, "quotes" | "answers" | "permitted">;

function planFor({ quotes, answers, permitted }: Wanted, inputs: Omit<TurnInputs, "strategy" | "state">): Plan {
  const { view, limits, modifies } = inputs;
  const wanted = answered(quotes, answers, view, inputs.usualHalfSpreadBps);
  return plan(reducedWhileUnconfirmed(wanted, view, limits), view.orders, {
    accountId: view.accountId,
    marketId: view.marketId,
    inventory: lastKnown(view.position)?.inventory ?? null,
    permitted,
    maxOpenOrders: limits.market.maxOpenOrders,
    tolerance: toleranceOf(inputs, view),
    modifies,
  });
}

/** Whether the same quotes still need work once this turn's commands are on their way, beyond what the guard has denied. */
export const hasMore = (turn: Turn, after: Omit<TurnInputs, "strategy" | "state">): boolean =>
  planFor(turn, after).commands.some(
    (command) => !turn.verdict.denied.some((denied) => isDeepStrictEqual(denied.command, command)),
  );

const join = (first: Verdict, second: Verdict): Verdict => ({
  approved: [...first.approved, ...second.approved],
  denied: [...first.denied, ...second.denied],
});

/** A failing strategy wants no quotes: its resting orders are pulled. */
function quote(strategy: Pick<RunningStrategy, "quote">, view: View): Pick<Turn, "quotes" | "fault"> {
  try {
    return { quotes: checkedQuotes(() => strategy.quote(view)), fault: null };
  } catch (error) {
    if (!(error instanceof QuoteFault)) throw error;
    return { quotes: noQuotes(`the strategy ${error.message}`), fault: error };
  }
}
