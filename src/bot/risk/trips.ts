// Numbers that trip a latch: trading stops until a person has looked. A latch that is already active does not trip again.

import type { Latch, LatchKind } from "../../domain/latch.ts";
import { usdcOf } from "../../domain/rounding.ts";
import { type MarketId, usdc } from "../../domain/units.ts";
import { lastKnown } from "../../domain/view.ts";
import type { Facts } from "../../kernel/errors.ts";
import { durationText } from "../../kernel/text.ts";
import { riskTiming } from "../timing.ts";
import type { Control } from "./gates/gate.ts";
import { isLatched } from "./latches.ts";
import { nothingObserved, type Observed } from "./observed.ts";
import type { DailyPnl, RiskInputs } from "./risk-state.ts";
import { within } from "./window.ts";

type Tripped = { readonly marketId: MarketId | null; readonly reason: string; readonly numbers: Facts };
type Trip = Control & { readonly kind: LatchKind; readonly tripped: (inputs: RiskInputs) => readonly Tripped[] };

/** Trips by numbers. Other parts trip the latches for a mismatch, foreign activity, a liquidation and an operator's halt. */
export const trips: readonly Trip[] = [
  {
    kind: "loss",
    controls: "B3",
    rule: "The day's loss reached the limit, in the market or over all markets of the account, quoted or not; a position is worth the lower of print and mid. While a print awaits confirmation, the loss must last for 60 s.",
    missing: "nothing trips; the gate `dailyPnl` is closed meanwhile",
    limits: ["maxLoss", "account.maxLoss"],
    tripped: (inputs) => lossReached(inputs).filter((loss) => counts(loss, inputs)),
  },
  {
    kind: "drawdown",
    controls: "B3",
    rule: "The day's PnL, at the lower of print and mid, fell from its best by the limit, in the market or over the account. While a print awaits confirmation, the fall must last for 60 s.",
    missing: "nothing trips; the gate `dailyPnl` is closed meanwhile",
    limits: ["maxDrawdown", "account.maxDrawdown"],
    tripped: (inputs) => drawdownReached(inputs).filter((loss) => counts(loss, inputs)),
  },
  {
    kind: "repeatedExecution",
    controls: "A8",
    rule: "More fills, or more contracts filled, within a minute than the limit.",
    missing: "no fills are known at the start",
    limits: ["maxFillsPerMinute", "maxTurnoverPerMinute"],
    tripped: ({ view, limits, state }) => {
      const { count, amount } = within(state.observed.fills, view.nowMs);
      const { maxFillsPerMinute, maxTurnoverPerMinute, maxPosition } = limits.market;
      const turnover = Number(amount) / Number(maxPosition);
      if (count <= maxFillsPerMinute && turnover <= maxTurnoverPerMinute) return [];
      const numbers = { fills: count, maxFillsPerMinute, turnover, maxTurnoverPerMinute };
      return [{ marketId: view.marketId, reason: `${count} fills within a minute`, numbers }];
    },
  },
  {
    kind: "cannotAct",
    controls: "A10 A15 B8",
    rule: "The exchange has rejected every new order of the account before execution for a minute: signature, key or nonce. HTTP 429 and lost answers do not count.",
    missing: "nothing trips; the gate `cannotAct` is closed meanwhile",
    limits: [],
    tripped: ({ state: { rejections } }) => {
      if (rejections === null) return none;
      const { firstMs, lastMs, count, error } = rejections;
      const forMs = lastMs - firstMs;
      if (forMs < riskTiming.rejectedMs || count < REJECTIONS_MIN) return none;
      const reason = `the exchange has rejected every new order for ${durationText(forMs)}: ${error}`;
      return [{ marketId: null, reason, numbers: { forMs, count } }];
    },
  },
];

/** Fewer may be chance. */
const REJECTIONS_MIN = 5;

/** The latches to trip now. The ledger records them before they act. */
export function tripsNow(inputs: RiskInputs): readonly Latch[] {
  const { view, state } = inputs;
  const latches: Latch[] = [];
  for (const { kind, tripped } of trips) {
    for (const trip of tripped(inputs)) {
      const latch: Latch = { kind, accountId: view.accountId, holds: "halted", ...trip };
      if (!isLatched(state.latches, latch)) latches.push(latch);
    }
  }
  return latches;
}

/** Call in each turn before `tripsNow`: records since when an unconfirmed loss has been at its limit. */
export function observeLosses(observed: Observed, inputs: RiskInputs): Observed {
  const { market, account } = observed.lossSinceMs;
  const isUnconfirmed = inputs.state.isAccountPnlUnconfirmed || observed.prints.doubtful !== null;
  if (!isUnconfirmed)
    return market === null && account === null ? observed : { ...observed, lossSinceMs: nothingObserved.lossSinceMs };
  const losses = [...lossReached(inputs), ...drawdownReached(inputs)];
  const since = (marketId: MarketId | null, before: number | null) =>
    losses.some((loss) => loss.marketId === marketId) ? (before ?? inputs.view.nowMs) : null;
  return { ...observed, lossSinceMs: { market: since(inputs.view.marketId, market), account: since(null, account) } };
}

/** Whether a loss at its limit halts now: at once if confirmed, otherwise after a time. */
function counts({ marketId }: Tripped, { view, state }: RiskInputs): boolean {
  const { prints, lossSinceMs } = state.observed;
  const [isUnconfirmed, sinceMs] =
    marketId === null
      ? [state.isAccountPnlUnconfirmed, lossSinceMs.account]
      : [prints.doubtful !== null, lossSinceMs.market];
  return !isUnconfirmed || (sinceMs !== null && view.nowMs - sinceMs >= riskTiming.unconfirmedLossMs);
}

const lossReached = (inputs: RiskInputs): readonly Tripped[] =>
  eachDailyPnl(inputs, ({ pnl }, { maxLoss }, of) =>
    maxLoss !== null && -pnl >= maxLoss
      ? {
          reason: `the day's loss of ${usdcOf(usdc(-pnl))} USDC reached the ${of}'s limit`,
          numbers: { pnl, maxLoss },
        }
      : undefined,
  );

const drawdownReached = (inputs: RiskInputs): readonly Tripped[] =>
  eachDailyPnl(inputs, ({ pnl, best }, { maxDrawdown }, of) =>
    maxDrawdown !== null && best - pnl >= maxDrawdown
      ? {
          reason: `the day's PnL fell from ${usdcOf(best)} to ${usdcOf(pnl)} USDC and reached the ${of}'s limit`,
          numbers: { pnl, best, maxDrawdown },
        }
      : undefined,
  );

type LossLimits = { readonly maxLoss: bigint | null; readonly maxDrawdown: bigint | null };
const none: readonly Tripped[] = [];
type Judge = (result: DailyPnl, limits: LossLimits, of: "market" | "account") => Omit<Tripped, "marketId"> | undefined;

/** Judges the daily PnL of market and account, each by its own limits; a stale PnL can trip too. */
function eachDailyPnl({ view, limits, state }: RiskInputs, judge: Judge): readonly Tripped[] {
  const market = lastKnown(state.marketDailyPnl);
  const account = lastKnown(state.accountDailyPnl);
  const ofMarket = market && judge(market, limits.market, "market");
  const ofAccount = account && judge(account, limits.account, "account");
  if (!ofMarket && !ofAccount) return none;
  return [
    ...(ofMarket ? [{ marketId: view.marketId, ...ofMarket }] : []),
    ...(ofAccount ? [{ marketId: null, ...ofAccount }] : []),
  ];
}
