// Matching alone: the order book and its match plan, without accounts, money or events, against the npm package nodejs-order-book on the
// same flow.

import { OrderBook as ReferenceBook } from "nodejs-order-book";
import { MatchPlan, planMatch } from "../src/devnet/engine/book/match-plan.ts";
import { OrderBook, type Resting } from "../src/devnet/engine/book/order-book.ts";
import { type Flow, type FlowAction, makeFlow } from "./flow.ts";
import { type Bench, medianOf, rateOf } from "./measure.ts";

const SEED = 7n;
const ACTIONS = 200_000;
const DEPTHS = [10, 1000, 100_000];

interface BareOrder extends Resting<BareOrder> {
  readonly id: number;
}

const grantAll = (maker: BareOrder): number => maker.remaining;

/** A book with only the index by id that an exchange needs. */
function bareMatcher() {
  const book = new OrderBook<BareOrder>();
  const plan = new MatchPlan<BareOrder>();
  const byId = new Map<number, BareOrder>();

  function take(order: BareOrder, limitTicks: number): void {
    planMatch(book, order, limitTicks, grantAll, plan);
    for (let row = 0; row < plan.count; row += 1) {
      const maker = plan.makers[row] as BareOrder;
      book.reduce(maker, plan.units[row] as number);
      if (maker.remaining === 0) byId.delete(maker.id);
    }
    order.remaining -= plan.filled;
  }

  return (action: FlowAction): void => {
    if (action.kind === "cancel") {
      const order = byId.get(action.id);
      if (order === undefined) return;
      byId.delete(action.id);
      book.remove(order);
      return;
    }
    const { id, side, units } = action;
    const ticks = action.kind === "place" ? action.ticks : 0;
    const order: BareOrder = { id, side, ticks, remaining: units, level: null, ahead: null, behind: null };
    if (action.kind === "market") {
      take(order, side === "buy" ? Number.MAX_SAFE_INTEGER : 0);
      return;
    }
    take(order, ticks);
    if (order.remaining === 0) return;
    book.add(order);
    byId.set(id, order);
  };
}

/** The package names orders by text; making those texts is not counted against it. */
function referenceMatcher(names: readonly string[]) {
  const book = new ReferenceBook();
  return (action: FlowAction): void => {
    if (action.kind === "cancel") book.cancel(names[action.id] ?? "");
    else if (action.kind === "market") book.market({ side: sideOf(action.side), size: action.units });
    else {
      book.limit({ id: names[action.id] ?? "", side: sideOf(action.side), size: action.units, price: action.ticks });
    }
  };
}

const sideOf = (side: "buy" | "sell") => side as Parameters<ReferenceBook["market"]>[0]["side"];

function rate(flow: Flow, act: (action: FlowAction) => void): number {
  for (const action of flow.resting) act(action);
  return rateOf(flow.actions.length, () => {
    for (const action of flow.actions) act(action);
  });
}

/** Actions per second of matching alone, with this many orders resting at the start. */
export function matchingRate(resting: number, runs: number): number {
  const flow = makeFlow(SEED, resting, ACTIONS);
  return medianOf(runs, () => rate(flow, bareMatcher()));
}

const GOAL = 20_000_000;

export const matching: Bench = {
  name: "matching",
  async run({ quick }) {
    const runs = quick ? 1 : 7;
    const beside: Record<string, number> = {};
    const flow = makeFlow(SEED, 1000, ACTIONS);
    const names = Array.from({ length: ACTIONS + 1001 }, (_, id) => String(id));
    const referenceValue = medianOf(quick ? 1 : 3, () => rate(flow, referenceMatcher(names)));
    for (const depth of DEPTHS) beside[`resting${depth}`] = matchingRate(depth, runs);
    const value = beside.resting1000 ?? 0;
    return {
      name: "matching",
      value,
      unit: "actions/s",
      reference: "nodejs-order-book",
      referenceValue,
      ratio: value / referenceValue,
      goal: { goal: GOAL, wanted: "atLeast" },
      beside,
    };
  },
};
