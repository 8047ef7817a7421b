// The whole engine in process: matching with clearing, margin, fees, postings, change records and events, by depth of the book and number
// of markets. The reference is matching alone on the same flow.

import type { MarketSpec, PlaceOrder } from "../src/devnet/engine/calls.ts";
import { createEngine, type Engine } from "../src/devnet/engine/engine.ts";
import { type AccountId, accountId, type OrderId, price, size, usdc } from "../src/domain/units.ts";
import { type Flow, type FlowAction, makeFlow } from "./flow.ts";
import { matchingRate } from "./matching.ts";
import { type Bench, medianOf, rateOf } from "./measure.ts";

const SEED = 7n;
const ACTIONS = 200_000;
const ACCOUNTS = 64;
const TICK = 1_000_000n;
const START_MS = 1_790_000_000_000;
const ctx = { height: 1, timeMs: START_MS, emittedMs: START_MS, txHash: "00".repeat(32) };

type Call = { readonly marketId: number } & (
  | { readonly order: PlaceOrder; readonly id: number }
  | { readonly cancels: number }
);
type Work = { readonly markets: number; readonly resting: readonly Call[]; readonly actions: readonly Call[] };

const specOf = (marketId: number): MarketSpec => ({
  marketId,
  name: `INDEX-${marketId}`,
  assetClass: "RealEstate",
  status: "Active",
  tickSize: price(TICK),
  initialMarginRatioBps: 500,
  maintenanceMarginRatioBps: 250,
  priceBandBps: 1000,
  maxOpenInterest: size(1_000_000_000_000_000n),
  fundingIntervalSecs: 3600,
  premiumPeriodSecs: 28_800,
  interestRateMicroBps: 64,
  depthThreshold: usdc(500_000_000n),
  maxFundingRateBps: 625,
  marginTiers: [],
  backstopAccountId: accountId(1_000_000n),
});

function makeExchange(markets: number): Engine {
  const engine = createEngine({
    markets: Array.from({ length: markets }, (_, at) => specOf(at + 1)),
    feeTiers: [{ assetClass: "RealEstate", minVolume30d: usdc(0n), makerFeeBps: -1, takerFeeBps: 5 }],
    openOrderCap: 1_000_000,
    record: () => {},
  });
  for (let id = 1; id <= ACCOUNTS; id += 1) {
    engine.openAccount({ accountId: accountId(BigInt(id)), masterAccountId: null }, ctx);
    engine.post({ from: "custody", to: accountId(BigInt(id)), amount: usdc(10n ** 15n) }, ctx);
  }
  engine.beginBlock(ctx);
  for (const id of engine.marketIds()) {
    engine.publishPrint(id, price(20_000n * TICK), START_MS + 86_400_000, ctx);
    for (let account = 1; account <= ACCOUNTS; account += 1) meet(engine, accountId(BigInt(account)), id);
  }
  return engine;
}

/** Does the one-time set-up of an account's first order in a market, which is not part of a steady flow. */
function meet(engine: Engine, account: AccountId, marketId: number): void {
  const far = callOf({ kind: "place", id: 0, side: "buy", ticks: 1, units: 1 }, marketId);
  if ("order" in far) engine.place({ ...far.order, accountId: account }, ctx);
  engine.cancelAll(account, marketId, ctx);
}

/** An action as a call for one market of the engine; making exact integers is the caller's work, as on the wire. */
function callOf(action: FlowAction, marketId: number): Call {
  if (action.kind === "cancel") return { marketId, cancels: action.id };
  const isMarket = action.kind === "market";
  const order: PlaceOrder = {
    accountId: accountId(BigInt(1 + ((action.id * 7919) % ACCOUNTS))),
    marketId,
    side: action.side,
    orderType: isMarket ? "Market" : "Limit",
    price: price(isMarket ? 0n : BigInt(action.ticks) * TICK),
    size: size(BigInt(action.units)),
    triggerPrice: null,
    reduceOnly: false,
    postOnly: false,
    timeInForce: isMarket ? "IOC" : "GTC",
    takeProfit: null,
    stopLoss: null,
    maxSlippageBps: null,
    marginMode: "Cross",
    leverage: 0,
  };
  return { marketId, order, id: action.id };
}

/** The same number of actions and resting orders for any number of markets; the markets alternate. */
function makeWork(resting: number, markets: number, actions: number): Work {
  const flows = Array.from({ length: markets }, (_, at) =>
    makeFlow(SEED + BigInt(at), Math.ceil(resting / markets), Math.ceil(actions / markets)),
  );
  const turns = (actionsOf: (flow: Flow) => readonly FlowAction[]): readonly Call[] => {
    const calls: Call[] = [];
    const longest = Math.max(...flows.map((flow) => actionsOf(flow).length));
    for (let at = 0; at < longest; at += 1) {
      flows.forEach((flow, market) => {
        const action = actionsOf(flow)[at];
        if (action !== undefined) calls.push(callOf(action, market + 1));
      });
    }
    return calls;
  };
  return { markets, resting: turns((flow) => flow.resting), actions: turns((flow) => flow.actions) };
}

function rate(work: Work): number {
  const engine = makeExchange(work.markets);
  const ids: (OrderId | undefined)[][] = Array.from({ length: work.markets + 1 }, () => []);
  const act = (call: Call): void => {
    const named = ids[call.marketId] ?? [];
    if ("cancels" in call) {
      const id = named[call.cancels];
      if (id !== undefined) engine.cancel(id, ctx);
      return;
    }
    const receipt = engine.place(call.order, ctx);
    if (receipt.status === "failed") throw new Error(`${receipt.code}: ${receipt.error}`);
    const first = receipt.events[0];
    if (first?.type === "OrderPlaced") named[call.id] = first.order.orderId;
  };
  for (const call of work.resting) act(call);
  const result = rateOf(work.actions.length, () => {
    for (const call of work.actions) act(call);
  });
  engine.auditBalances();
  return result;
}

const GOAL = 1_000_000;
const WIDE_GOAL = 800_000;

export const clearing: Bench = {
  name: "clearing",
  async run({ quick }) {
    const [runs, actions] = quick ? [1, ACTIONS / 10] : [5, ACTIONS];
    const beside: Record<string, number> = {};
    for (const depth of [10, 1000, 100_000]) {
      const work = makeWork(depth, 1, actions);
      beside[`resting${depth}`] = medianOf(runs, () => rate(work));
    }
    const wideWork = makeWork(1000, 200, actions);
    const wide = medianOf(runs, () => rate(wideWork));
    const value = beside.resting1000 ?? 0;
    const referenceValue = matchingRate(1000, runs);
    return {
      name: "clearing",
      value,
      unit: "actions/s",
      reference: "matching alone",
      referenceValue,
      ratio: value / referenceValue,
      goal: { goal: GOAL, wanted: "atLeast" },
      goals: [{ figure: "markets200", value: wide, unit: "actions/s", goal: WIDE_GOAL, wanted: "atLeast" }],
      beside,
    };
  },
};
