// Whether our quotes rest on each side of a market, and if not, why. Page, log, `quoin status`, /readyz and metrics show the same
// sentence. A new gate, limit or denial needs words in denial-text.ts, or it does not compile.

import { isCancel } from "../../../domain/command.ts";
import type { TrackedOrder } from "../../../domain/order.ts";
import type { Side } from "../../../domain/units.ts";
import type { Facts } from "../../../kernel/errors.ts";
import type { Answer } from "../../risk/adverse.ts";
import { gateIds } from "../../risk/gates/gate.ts";
import { type Denial, type DenialReason, denialReasons } from "../../risk/guard.ts";
import type { Turn } from "../turns/turn.ts";
import { adverseFillsText, denialText, halfSpreadsText } from "./denial-text.ts";
import { rootCauses } from "./root-causes.ts";

/**
 * Reasons other than gates and limits. `unplaced`: the orders have not been sent or answered yet, for a few seconds at most. `widened`
 * and `shrunk`: they rest further away or smaller than the strategy wants, since fills of the side lost.
 */
export const ownReasons = [
  "starting",
  "stopping",
  "turnFault",
  "strategyFault",
  "notWanted",
  "unplaced",
  "widened",
  "shrunk",
] as const;
type OwnReason = (typeof ownReasons)[number];

/** Closed set: label of `quoin_not_quoting_seconds_total`. */
export const notQuotingReasons = [...denialReasons, ...ownReasons] as const;
export type NotQuotingReason = DenialReason | OwnReason;

export type Why = { readonly reason: NotQuotingReason; readonly numbers: Facts };

export type SideStanding = {
  /** An order of ours that a target quote wants rests there. */
  readonly rests: boolean;
  /** Why less rests than the strategy's parameters ask for, the most telling first; empty: everything rests. */
  readonly why: readonly Why[];
  /** Nothing prevents quoting there: what rests is what is wanted, or is about to be. */
  readonly isReady: boolean;
};

export type Standing = Readonly<Record<Side, SideStanding>>;

/** Before the first turn. */
export const notStarted: Standing = bothSides({ reason: "starting", numbers: {} });
/** After the last turn. */
export const stopped: Standing = bothSides({ reason: "stopping", numbers: {} });

/** After a turn that threw. */
export const failed = (why: string): Standing => bothSides({ reason: "turnFault", numbers: { why } });

/** Returns the standing from the last turn's view, quotes and verdict. */
export function standingOf(turn: Turn): Standing {
  const [buy, sell] = [rests(turn, "buy"), rests(turn, "sell")];
  return {
    buy: sideStanding(turn, "buy", { rests: buy, opposite: sell }),
    sell: sideStanding(turn, "sell", { rests: sell, opposite: buy }),
  };
}

/** Returns `not quoting because …`, or null where everything rests. */
export function standingText(side: SideStanding): string | null {
  return side.why.length === 0 ? null : `${standsText(side)} because ${becauseText(side)}`;
}

/** Returns both sides in one sentence, with a shared cause said once; null where everything rests. */
export function sidesText({ buy, sell }: Standing): string | null {
  const [ofBuy, ofSell] = [standingText(buy), standingText(sell)];
  if (ofBuy === ofSell) return ofBuy;
  if (ofBuy !== null && ofSell !== null && becauseText(buy) === becauseText(sell))
    return `buy ${standsText(buy)}, sell ${standsText(sell)} because ${becauseText(buy)}`;
  return [ofBuy && `buy: ${ofBuy}`, ofSell && `sell: ${ofSell}`].filter((text) => text !== null).join("; ");
}

const standsText = ({ rests }: SideStanding): string => (rests ? "quoting less than wanted" : "not quoting");
const becauseText = ({ why }: SideStanding): string => [...new Set(why.map(whyText))].join("; ");

/** Returns the sentences of `told` for both sides, one where they are equal; null: none. */
export function eachSide(
  reported: (side: Side) => string | null,
): readonly { readonly of: string; readonly says: string }[] {
  const [buy, sell] = [reported("buy"), reported("sell")];
  if (buy !== null && buy === sell) return [{ of: "sell and buy", says: buy }];
  return [...(buy === null ? [] : [{ of: "buy", says: buy }]), ...(sell === null ? [] : [{ of: "sell", says: sell }])];
}

/** Returns a clause without a full stop. */
export function whyText({ reason, numbers }: Why): string {
  return isOwnReason(reason) ? texts[reason](numbers) : denialText(reason, numbers);
}

const texts: Readonly<Record<OwnReason, (numbers: Facts) => string>> = {
  starting: () => "the first data has not arrived",
  stopping: () => "the daemon is stopping",
  turnFault: ({ why }) => `a turn failed: ${why}`,
  strategyFault: ({ why }) => `the strategy ${why}`,
  notWanted: ({ why }) => (why === null ? "the strategy asks for no orders here" : `the strategy says: ${why}`),
  unplaced: () => "its orders are on their way",
  widened: (numbers) => `standing ${furtherText(numbers)} ${adverseFillsText(numbers)}`,
  shrunk: (numbers) =>
    `standing ${furtherText(numbers)}, with ${numbers.share === 0.5 ? "half" : "a quarter"} of its size, ${adverseFillsText(numbers)}`,
};

const furtherText = ({ widened }: Facts): string => `${halfSpreadsText(`${widened}`)} further away`;

const isOwnReason = (reason: NotQuotingReason): reason is OwnReason => reason in texts;

/** Limits that deny only one side, because the account is full or the side loses: the other side goes on, and nothing is wrong. */
const heldInFull: ReadonlySet<NotQuotingReason> = new Set(["worstPosition", "grossNotional", "margin", "adverseFills"]);

type Resting = { readonly rests: boolean; readonly opposite: boolean };

function sideStanding(turn: Turn, side: Side, { rests, opposite }: Resting): SideStanding {
  const closed = closedNow(turn);
  if (closed.length > 0) return { rests, why: closed, isReady: false };
  if (turn.fault !== null) {
    return { rests, why: [{ reason: "strategyFault", numbers: { why: turn.fault.message } }], isReady: false };
  }
  const stuckSide = turn.state.stuckQuotes[side];
  if (rests && stuckSide === null) return restingAsAnswered(turn.answers[side]);
  const denials = limitDenials(turn, side);
  const why = [...new Map(denials.map(({ denial }) => [denial.reason, denial])).values()];
  if (stuckSide !== null) {
    const { forMs, why: obstacle, blocks } = stuckSide;
    const cannotAct: Why = { reason: "cannotAct", numbers: { forMs, why: obstacle } };
    return { rests, why: blocks || why.length === 0 ? [cannotAct, ...why] : why, isReady: false };
  }
  if (turn.plan[side].wanted === 0) return wantsNone(turn.quotes.reason);
  const shortage = budgetShortage(turn);
  const isHeldInFull = why.length > 0 && denials.every(({ isFull }) => isFull);
  if (shortage !== null && !isHeldInFull)
    return { rests, why: [{ reason: "budget", numbers: shortage }, ...why], isReady: false };
  if (why.length === 0) return unplaced;
  return { rests, why, isReady: opposite && isHeldInFull };
}

/** Orders rest; adverse fills may keep them further away or smaller than the strategy wants. */
function restingAsAnswered({ level, cause, ...numbers }: Answer): SideStanding {
  const reason = level === "stopped" ? "shrunk" : level;
  return reason === "none" ? quoting : { ...quoting, why: [{ reason, numbers: { ...numbers, ...cause } }] };
}

const quoting: SideStanding = { rests: true, why: [], isReady: true };
const unplaced: SideStanding = { rests: false, why: [{ reason: "unplaced", numbers: {} }], isReady: true };

const wantsNone = (why: string | null): SideStanding => ({
  rests: false,
  why: [{ reason: "notWanted", numbers: { why } }],
  isReady: true,
});

/** Closed gates that no other explains, where one blocks new exposure. */
const closedNow = ({ permitted, readings }: Turn): readonly Why[] =>
  permitted === "increase"
    ? []
    : rootCauses(readings.flatMap(({ gate, closed }) => (closed === null ? [] : { reason: gate, numbers: closed })));

/** Returns the numbers of a request budget that is down to its reserve; null where more is left, or the exchange reports none. */
export const budgetShortage = ({ readings }: Turn): Facts | null =>
  readings.find(({ gate }) => gate === "budget")?.closed ?? null;

const gates: ReadonlySet<string> = new Set(gateIds);

/** A limit that denied the order of a level; `isFull`: the other side goes on. */
export type LimitDenial = { readonly level: number | null; readonly denial: Denial; readonly isFull: boolean };

/** Returns every limit that denied orders of the side this turn, each once. */
export function limitDenials({ verdict }: Turn, side: Side): readonly LimitDenial[] {
  const found: LimitDenial[] = [];
  for (const { command, denials } of verdict.denied) {
    if (isCancel(command) || command.side !== side) continue;
    for (const denial of denials) {
      if (!gates.has(denial.reason))
        found.push({ level: command.level, denial, isFull: heldInFull.has(denial.reason) });
    }
  }
  return found;
}

/** An order that the exchange has named rests, moved or not, until a cancel is on its way. */
const rests = ({ view, plan }: Turn, side: Side): boolean =>
  plan[side].wanted > 0 && view.orders.some((order) => order.side === side && isResting(order));

const isResting = ({ state, orderId, isForeign, isConditional }: TrackedOrder): boolean =>
  state === "working" && orderId !== null && !isForeign && !isConditional;

function bothSides(why: Why): Standing {
  const side: SideStanding = { rests: false, why: [why], isReady: false };
  return { buy: side, sell: side };
}
