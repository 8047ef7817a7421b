// For each gate the ways in which its facts can go bad: missing, old, wrong or on the wrong side of its limit. Each breaks one
// thing in healthy inputs, so that a verdict of that one gate shows that the gate is there.

import type { GateId } from "../../../../src/bot/risk/gates/gate.ts";
import { accountLimitsSchema, type MarketLimits } from "../../../../src/bot/risk/limits/limits.ts";
import { noPrints } from "../../../../src/bot/risk/prints.ts";
import { nothingStuck, type RiskInputs, type RiskState } from "../../../../src/bot/risk/risk-state.ts";
import type { Latch } from "../../../../src/domain/latch.ts";
import { usdc } from "../../../../src/domain/units.ts";
import { absent, type View } from "../../../../src/domain/view.ts";
import {
  account,
  chainTimeMs,
  healthyLimits,
  healthyState,
  healthyView,
  lots,
  market,
  now,
  old,
  oracle,
  order,
  trusting,
  usd,
  withInventory,
} from "./healthy.ts";

export const healthy: RiskInputs = { view: healthyView, limits: healthyLimits, state: healthyState };

type Break = (inputs: RiskInputs) => RiskInputs;
const view =
  (changes: Partial<View>): Break =>
  (inputs) => ({ ...inputs, view: { ...inputs.view, ...changes } });
const state =
  (changes: Partial<RiskState>): Break =>
  (inputs) => ({ ...inputs, state: { ...inputs.state, ...changes } });
const watched = (changes: Partial<RiskState["observed"]>): Break =>
  state({ observed: { ...healthyState.observed, ...changes } });
const paused = (cause: "volatilityMs" | "rejectRatioMs"): Break =>
  watched({ pausedUntil: { ...healthyState.observed.pausedUntil, [cause]: healthyView.nowMs + 1 } });
const latched = (changes: Partial<Latch>): Break =>
  state({
    latches: [
      { kind: "operator", accountId: account, marketId: 1, holds: "halted", reason: "drill", numbers: {}, ...changes },
    ],
  });
const stuckSide = { forMs: 6000, why: "the exchange rejects them: a signature", blocks: true };
const still = (changes: Partial<RiskState["stuckQuotes"]>): Break =>
  state({ stuckQuotes: { ...nothingStuck, ...changes } });
const accountLimits =
  (written: object): Break =>
  (inputs) => ({
    ...inputs,
    limits: { ...inputs.limits, account: accountLimitsSchema.parse(written) },
  });
const marketLimits =
  (changes: Partial<MarketLimits>): Break =>
  (inputs) => ({ ...inputs, limits: { ...inputs.limits, market: { ...inputs.limits.market, ...changes } } });
const together =
  (...breaks: readonly Break[]): Break =>
  (inputs) =>
    breaks.reduce((broken, one) => one(broken), inputs);
const oracleExpires = (leftMs: number) =>
  view({
    oracle: now({ ...oracle, validUntilSec: chainTimeMs / 1000 + 10 }),
    chain: now({ height: 100, timeMs: chainTimeMs + 10_000 - leftMs, offsetMs: 20, blockMs: 500 }),
  });
const clockOff = (offsetMs: number, blockMs: number) =>
  view({ chain: now({ height: 100, timeMs: chainTimeMs, offsetMs, blockMs }) });
const agentEnds = (leftSec: number) =>
  view({ agent: now({ pubkey: "ab".repeat(32), name: "bot", expiresAtSec: chainTimeMs / 1000 + leftSec }) });
const book = (bid: number | null, ask: number | null) =>
  view({
    book: now({
      marketId: 1,
      bids: bid === null ? [] : [{ price: usd(bid), size: lots(1), orderCount: 1 }],
      asks: ask === null ? [] : [{ price: usd(ask), size: lots(1), orderCount: 1 }],
    }),
  });

/** Each closes the gate; `also` names gates that the same fact closes by its nature. */
export type Closing = {
  readonly gate: GateId;
  readonly how: string;
  readonly closes: Break;
  readonly also?: readonly GateId[];
};

export const closings: readonly Closing[] = [
  { gate: "halted", how: "a latch on the market", closes: latched({}) },
  { gate: "halted", how: "a latch on the account", closes: latched({ kind: "loss", marketId: null }) },
  { gate: "reducing", how: "a soft stop", closes: latched({ holds: "reducing" }) },
  { gate: "journal", how: "a failed write", closes: state({ journal: now("failed") }) },
  { gate: "journal", how: "unknown", closes: state({ journal: absent }) },
  { gate: "ledgerSpace", how: "the reserve in use", closes: state({ ledgerSpace: now("reserve") }) },
  { gate: "ledgerSpace", how: "unknown", closes: state({ ledgerSpace: absent }) },
  { gate: "reconciled", how: "never", closes: view({ reconciled: absent }) },
  { gate: "reconciled", how: "long ago", closes: view({ reconciled: old(3) }) },
  { gate: "reconciled", how: "position unknown", closes: view({ position: absent }), also: ["exposure"] },
  {
    gate: "exposure",
    how: "position beyond the limit",
    closes: (inputs) => ({ ...inputs, view: withInventory(inputs.view, 20.000_001) }),
  },
  {
    gate: "exposure",
    how: "position and bids beyond the limit",
    closes: together(
      (inputs) => ({ ...inputs, view: withInventory(inputs.view, 19) }),
      view({ orders: [order(9, "buy", 198, 2)] }),
    ),
  },
  {
    gate: "exposure",
    how: "notional of all markets",
    closes: together(
      accountLimits({ maxGrossNotional: 100 }),
      state({ grossNotionalElsewhere: now(usdc(100_000_001n)) }),
    ),
  },
  {
    gate: "exposure",
    how: "notional elsewhere unknown",
    closes: together(accountLimits({ maxGrossNotional: 100 }), state({ grossNotionalElsewhere: absent })),
  },
  {
    gate: "exposure",
    how: "maintenance margin elsewhere",
    closes: view({ funds: now({ ...funds(), maintenanceMargin: usdc(50_000_000_001n) }) }),
  },
  {
    gate: "exposure",
    how: "initial margin elsewhere",
    closes: view({ funds: now({ ...funds(), initialMarginElsewhere: usdc(90_000_000_001n) }) }),
  },
  { gate: "stream", how: "silent", closes: view({ stream: old(1) }) },
  { gate: "stream", how: "never open", closes: view({ stream: absent }) },
  { gate: "marketStatus", how: "Paused", closes: view({ market: now({ ...market, status: "Paused" }) }) },
  {
    gate: "marketStatus",
    how: "a word we do not know",
    closes: view({ market: now({ ...market, status: "active" }) }),
  },
  { gate: "marketStatus", how: "read long ago", closes: view({ market: old(market) }), also: ["exposure"] },
  { gate: "oracleStatus", how: "Stale", closes: view({ oracle: now({ ...oracle, status: "Stale" }) }) },
  { gate: "oracleStatus", how: "Halted", closes: view({ oracle: now({ ...oracle, status: "Halted" }) }) },
  { gate: "oracleStatus", how: "Unknown", closes: view({ oracle: now({ ...oracle, status: "Unknown" }) }) },
  {
    gate: "oracleStatus",
    how: "heard long ago",
    closes: view({ oracle: old(oracle) }),
    also: ["oracleExpiry", "exposure"],
  },
  {
    gate: "oracleStatus",
    how: "never heard",
    closes: view({ oracle: absent }),
    also: ["oracleExpiry", "book", "exposure"],
  },
  { gate: "oracleExpiry", how: "expired", closes: oracleExpires(-1) },
  { gate: "oracleExpiry", how: "within the guard and a block", closes: oracleExpires(750) },
  { gate: "printMove", how: "a jump just now", closes: watched({ prints: trusting(195) }) },
  {
    gate: "printMove",
    how: "a jump a while ago that nobody has confirmed",
    closes: watched({ prints: { ...trusting(195), doubtful: { price: usd(200), publishedMs: 0, isDated: true } } }),
  },
  {
    gate: "printMove",
    how: "an older print than the newest is shown",
    closes: watched({ prints: { ...trusting(200), newestMs: trusting(200).newestMs + 1000 } }),
  },
  { gate: "book", how: "never heard", closes: view({ book: absent }) },
  { gate: "book", how: "heard long ago", closes: view({ book: old({ marketId: 1, bids: [], asks: [] }) }) },
  { gate: "book", how: "crossed", closes: book(200.1, 200.1) },
  { gate: "book", how: "far above the oracle price", closes: book(220, 220.1) },
  { gate: "book", how: "far below the oracle price", closes: book(179, 180.9) },
  { gate: "volatility", how: "wild", closes: view({ signals: { ...healthyView.signals, volatilityBps: 3.1 } }) },
  { gate: "volatility", how: "wild a while ago", closes: paused("volatilityMs") },
  { gate: "clock", how: "chain time unknown", closes: view({ chain: absent }), also: ["oracleExpiry"] },
  { gate: "clock", how: "ahead by more than a second and a block", closes: clockOff(1501, 500) },
  { gate: "clock", how: "behind by more than a second and a block", closes: clockOff(-1501, 500) },
  { gate: "clock", how: "off by more than a second, and how long a block takes not known", closes: clockOff(1001, 0) },
  { gate: "funds", how: "unknown", closes: view({ funds: absent }), also: ["exposure"] },
  { gate: "funds", how: "read long ago", closes: view({ funds: old(funds()) }), also: ["exposure"] },
  { gate: "agentKey", how: "not listed on the account", closes: view({ agent: absent }) },
  { gate: "agentKey", how: "expired", closes: agentEnds(-1) },
  { gate: "agentKey", how: "expires within the margin", closes: agentEnds(600) },
  { gate: "eventLoop", how: "stalled", closes: state({ eventLoopLagMs: now(1001) }) },
  { gate: "eventLoop", how: "not measured", closes: state({ eventLoopLagMs: absent }) },
  { gate: "rejectRatio", how: "too many refusals a while ago", closes: paused("rejectRatioMs") },
  { gate: "nonce", how: "refused", closes: state({ nonceRefusal: now({ code: "lockedOut" }) }) },
  { gate: "nonce", how: "unknown", closes: state({ nonceRefusal: absent }) },
  {
    gate: "cannotAct",
    how: "neither side's quotes come to rest",
    closes: still({ buy: stuckSide, sell: stuckSide }),
  },
  { gate: "budget", how: "only the reserve is left", closes: state({ budget: now({ remaining: 20n, reserve: 0n }) }) },
  {
    gate: "budget",
    how: "only the exchange's share is left",
    closes: state({ budget: now({ remaining: 120n, reserve: 120n }) }),
  },
  {
    gate: "budget",
    how: "open orders need what is left",
    closes: together(state({ budget: now({ remaining: 30n, reserve: 0n }) }), view({ accountOrderCount: 5 })),
  },
  { gate: "dailyPnl", how: "unknown", closes: state({ marketDailyPnl: absent }) },
  { gate: "dailyPnl", how: "near the day's loss", closes: state({ marketDailyPnl: result(-400, 0) }) },
  {
    gate: "dailyPnl",
    how: "near the day's loss, where it may fall further from its best",
    closes: together(marketLimits({ maxDrawdown: usdc(5_000_000_000n) }), state({ marketDailyPnl: result(-400, 0) })),
  },
  { gate: "dailyPnl", how: "fallen from the day's best", closes: state({ marketDailyPnl: result(100, 500) }) },
  {
    gate: "dailyPnl",
    how: "of the account near its limit",
    closes: together(accountLimits({ maxLoss: 1000 }), state({ accountDailyPnl: result(-800, 0) })),
  },
  {
    gate: "dailyPnl",
    how: "of the account fallen, where only that is limited",
    closes: together(accountLimits({ maxDrawdown: 1000 }), state({ accountDailyPnl: result(100, 900) })),
  },
  {
    gate: "dailyPnl",
    how: "of the account unknown",
    closes: together(accountLimits({ maxLoss: 1000 }), state({ accountDailyPnl: absent })),
  },
];

function funds() {
  const known = healthyView.funds;
  if (known.state !== "fresh") throw new Error("the healthy view knows its funds");
  return known.value;
}

function result(pnl: number, best: number) {
  return now({ pnl: usdc(BigInt(pnl) * 1_000_000n), best: usdc(BigInt(best) * 1_000_000n) });
}

/** Facts on the good side of each limit, to the last unit. */
export const openings: readonly { readonly gate: GateId; readonly how: string; readonly stays: Break }[] = [
  { gate: "halted", how: "a latch on another market", stays: latched({ marketId: 2 }) },
  {
    gate: "exposure",
    how: "position at the limit",
    stays: (inputs) => ({ ...inputs, view: withInventory(inputs.view, 20) }),
  },
  {
    gate: "exposure",
    how: "reduce-only orders do not count",
    stays: together(
      (inputs) => ({ ...inputs, view: withInventory(inputs.view, -20) }),
      view({ orders: [order(9, "buy", 198, 2), order(8, "buy", 198, 2, { reduceOnly: true })] }),
    ),
  },
  {
    gate: "exposure",
    how: "margin to the last unit",
    stays: view({
      funds: now({
        ...funds(),
        maintenanceMargin: usdc(50_000_000_000n),
        initialMarginElsewhere: usdc(90_000_000_000n),
      }),
    }),
  },
  { gate: "oracleExpiry", how: "a millisecond before guard and block", stays: oracleExpires(751) },
  {
    gate: "printMove",
    how: "a move at the limit",
    stays: watched({ prints: trusting(200 / 1.02 + 1e-8) }),
  },
  { gate: "printMove", how: "a first print", stays: watched({ prints: noPrints }) },
  { gate: "book", how: "an empty side", stays: book(null, 250) },
  { gate: "book", how: "mid at the limit", stays: book(219, 221) },
  {
    gate: "volatility",
    how: "at six times the usual",
    stays: view({ signals: { ...healthyView.signals, volatilityBps: 3 } }),
  },
  {
    gate: "volatility",
    how: "in the first hour, at 100",
    stays: view({ signals: { ...healthyView.signals, volatilityBps: 100, slowVolatilityBps: null } }),
  },
  { gate: "volatility", how: "no estimate", stays: view({ signals: { ...healthyView.signals, volatilityBps: null } }) },
  { gate: "clock", how: "offset at the limit", stays: clockOff(-1500, 500) },
  { gate: "clock", how: "offset at the limit of a slower chain", stays: clockOff(-2000, 1000) },
  { gate: "agentKey", how: "a second more than the margin", stays: agentEnds(601) },
  { gate: "eventLoop", how: "lag at the limit", stays: state({ eventLoopLagMs: now(1000) }) },
  { gate: "cannotAct", how: "an order may try, and nothing stands still", stays: still({ trial: 3 }) },
  { gate: "budget", how: "more than the reserve", stays: state({ budget: now({ remaining: 21n, reserve: 0n }) }) },
  {
    gate: "budget",
    how: "one more than the exchange's share",
    stays: state({ budget: now({ remaining: 121n, reserve: 120n }) }),
  },
  { gate: "budget", how: "never read", stays: state({ budget: absent }) },
  { gate: "dailyPnl", how: "a little below a good best", stays: state({ marketDailyPnl: result(1000, 1399) }) },
  { gate: "dailyPnl", how: "just short of the share", stays: state({ marketDailyPnl: result(-399, 0) }) },
  { gate: "dailyPnl", how: "an account without limits needs no result", stays: state({ accountDailyPnl: absent }) },
];
