// The laws of attribution over random histories, against two naive books: the account as an exchange keeps it, which may round
// the cost of a partial close as it likes, and the walk of the position along the path of prices.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  foldPnl,
  type PnlEvent,
  type PnlState,
  pnlComponents,
  pnlOf,
  startPnl,
} from "../../src/bot/accounting/market-book.ts";
import { readPnlState } from "../../src/bot/accounting/snapshot.ts";
import type { Fill } from "../../src/domain/fill.ts";
import { price, type Side, size, usdc } from "../../src/domain/units.ts";
import { parseJson, stringifyJson } from "../../src/kernel/json.ts";
import { fillOf } from "../unit/bot/accounting/fill.ts";

const UNIT = 100_000_000n; // price units x size units in a USDC base unit
const floored = (raw: bigint): bigint => (raw - (((raw % UNIT) + UNIT) % UNIT)) / UNIT;

type FillStep = {
  readonly side: Side;
  readonly price: bigint;
  readonly size: bigint;
  readonly reference: bigint | null;
  readonly fee: bigint;
  /** How the exchange rounds the cost that a partial close releases: any share of a thousand of what is held. */
  readonly releasedPerMille: bigint;
};
type Step =
  | ({ readonly kind: "fill" } & FillStep)
  | { readonly kind: "print"; readonly oraclePrice: bigint }
  | { readonly kind: "funding"; readonly amount: bigint };

const priceArbitrary = fc.bigInt({ min: 1n, max: 50_000_000_000n });
/** Few and round sizes among the odd ones, so that positions close exactly and flip. */
const sizeArbitrary = fc.oneof(fc.constantFrom(1n, 500_000n, 1_000_000n), fc.bigInt({ min: 1n, max: 40_000_000n }));
const fillArbitrary: fc.Arbitrary<FillStep> = fc.record({
  side: fc.constantFrom<Side>("buy", "sell"),
  price: priceArbitrary,
  size: sizeArbitrary,
  reference: fc.option(priceArbitrary),
  fee: fc.bigInt({ min: -1_000n, max: 5_000n }),
  releasedPerMille: fc.bigInt({ min: 0n, max: 1_000n }),
});
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fillArbitrary.map((fill): Step => ({ kind: "fill", ...fill })) },
  { weight: 3, arbitrary: priceArbitrary.map((oraclePrice): Step => ({ kind: "print", oraclePrice })) },
  {
    weight: 1,
    arbitrary: fc.bigInt({ min: -90_000n, max: 90_000n }).map((amount): Step => ({ kind: "funding", amount })),
  },
);
const historyArbitrary = fc.array(stepArbitrary, { minLength: 1, maxLength: 60 });
const startArbitrary = fc.record({
  inventory: fc.oneof(fc.constant(0n), fc.bigInt({ min: -20_000_000n, max: 20_000_000n })),
  entryPrice: priceArbitrary,
  oraclePrice: priceArbitrary,
});
type Start = { readonly inventory: bigint; readonly entryPrice: bigint; readonly oraclePrice: bigint };

const signed = (side: Side, amount: bigint): bigint => (side === "buy" ? amount : -amount);
const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** The account as an exchange keeps it: collateral moves by realized profit, fees and funding; open cost is exact. */
class ExchangeAccount {
  inventory: bigint;
  cost: bigint;
  oraclePrice: bigint;
  /** Since the start: realized + funding - fees. */
  collateral = 0n;
  /** Since the start, by trades alone. */
  cash = 0n;

  constructor(start: Start) {
    this.inventory = start.inventory;
    this.cost = floored(start.inventory * start.entryPrice);
    this.oraclePrice = start.oraclePrice;
  }

  get value(): bigint {
    return floored(this.inventory * this.oraclePrice);
  }

  get equity(): bigint {
    return this.collateral + this.value - this.cost;
  }

  /** Returns the realized profit that the exchange tells. */
  trade(fill: FillStep): bigint {
    const notional = signed(fill.side, (fill.price * fill.size) / UNIT);
    const opens = this.inventory === 0n || this.inventory > 0n === (fill.side === "buy");
    const next = this.inventory + signed(fill.side, fill.size);
    let costAfter = this.cost + notional;
    if (!opens) {
      const flips = next !== 0n && next > 0n !== this.inventory > 0n;
      if (next === 0n) costAfter = 0n;
      else if (flips) costAfter = (notional * magnitude(next)) / fill.size;
      else costAfter = this.cost - (this.cost * fill.releasedPerMille) / 1_000n;
    }
    const realized = costAfter - this.cost - notional;
    this.inventory = next;
    this.cost = costAfter;
    this.cash -= notional;
    this.collateral += realized - fill.fee;
    return realized;
  }
}

const startOf = ({ inventory, entryPrice, oraclePrice }: Start): PnlState =>
  startPnl({ inventory: size(inventory), entryPrice: price(entryPrice), oraclePrice: price(oraclePrice) });

/** A history as the exchange executes it: the events that we hear, and the account after each. */
function executed(start: Start, history: readonly Step[]) {
  const account = new ExchangeAccount(start);
  const equityAtStart = account.equity;
  return history.map((step, index) => {
    const event = execute(account, step, `${index}`);
    return { event, equityGain: account.equity - equityAtStart, cash: account.cash, value: account.value };
  });
}

function execute(account: ExchangeAccount, step: Step, key: string): PnlEvent {
  switch (step.kind) {
    case "fill": {
      const realizedPnl = account.trade(step);
      const referencePrice = step.reference === null ? null : price(step.reference);
      return { kind: "fill", fill: fillOf({ ...step, key, realizedPnl }), referencePrice };
    }
    case "print":
      account.oraclePrice = step.oraclePrice;
      return { kind: "print", oraclePrice: price(step.oraclePrice) };
    case "funding":
      account.collateral += step.amount;
      return { kind: "funding", amount: usdc(step.amount) };
  }
}

const eventsOf = (start: Start, history: readonly Step[]) => executed(start, history).map(({ event }) => event);
const folded = (start: Start, events: readonly PnlEvent[]) => events.reduce(foldPnl, startOf(start));

function holds(law: (start: Start, history: readonly Step[], pick: fc.GeneratorValue) => void): void {
  fc.assert(fc.property(startArbitrary, historyArbitrary, fc.gen(), law), { numRuns: 300 });
}

describe("attribution", () => {
  test("the components sum to the total after every event", () => {
    holds((start, history) => {
      let state = startOf(start);
      for (const event of eventsOf(start, history)) {
        state = foldPnl(state, event);
        const { total, ...parts } = pnlOf(state);
        expect(Object.values(parts).reduce<bigint>((sum, part) => sum + part, 0n)).toBe(total);
        expect(new Set(Object.keys(pnlOf(state)))).toEqual(new Set(pnlComponents));
      }
    });
  });

  test("the total is the gain of the account's equity to the base unit, however the exchange splits the cost", () => {
    holds((start, history) => {
      let state = startOf(start);
      for (const { event, equityGain } of executed(start, history)) {
        state = foldPnl(state, event);
        expect(pnlOf(state).total).toBe(equityGain);
      }
    });
  });

  test("trading is cash paid and received, and the change of what the position is worth", () => {
    holds((start, history) => {
      const valueAtStart = floored(start.inventory * start.oraclePrice);
      let state = startOf(start);
      for (const { event, cash, value } of executed(start, history)) {
        state = foldPnl(state, event);
        const { spread, inventory } = pnlOf(state);
        expect(spread + inventory).toBe(cash + value - valueAtStart);
      }
    });
  });

  test("a profit that nobody told yet does not move the total", () => {
    holds((start, history) => {
      const events = eventsOf(start, history);
      const silent = events.map((event) => (event.kind === "fill" ? withoutProfit(event) : event));
      const told = folded(start, events);
      expect(pnlOf(folded(start, silent))).toEqual(pnlOf(told));
    });
  });

  test("inventory is the position walked along the path of reference prices and prints", () => {
    holds((start, history) => {
      let held = start.inventory;
      let reference = start.oraclePrice;
      let oraclePrice = start.oraclePrice;
      let walked = 0n;
      const walkTo = (next: bigint) => {
        walked += held * (next - reference);
        reference = next;
      };
      for (const step of history) {
        if (step.kind === "print") oraclePrice = step.oraclePrice;
        if (step.kind !== "fill") continue;
        walkTo(step.reference ?? oraclePrice);
        held += signed(step.side, step.size);
      }
      walkTo(oraclePrice);
      const { inventory } = pnlOf(folded(start, eventsOf(start, history)));
      // Each fill truncates its notional and its spread, the start and the end their value.
      const rounding = BigInt(2 * history.length + 2);
      expect(magnitude(inventory * UNIT - walked)).toBeLessThanOrEqual(rounding * UNIT);
    });
  });

  test("the total does not know in which order, or how often, prices were marked: the last print counts", () => {
    holds((start, history, pick) => {
      const last: Step = { kind: "print", oraclePrice: 21_694_000_000n };
      const others = history.filter(({ kind }) => kind !== "print");
      const prints = history.filter(({ kind }) => kind === "print");
      const scattered = [...others];
      for (const print of prints) scattered.splice(pick(fc.nat, { max: scattered.length }), 0, print);
      const { total } = pnlOf(folded(start, eventsOf(start, [...history, last])));
      expect(pnlOf(folded(start, eventsOf(start, [...scattered, last]))).total).toBe(total);
      expect(pnlOf(folded(start, eventsOf(start, [...others, last]))).total).toBe(total);
    });
  });
});

describe("memory", () => {
  test("a restart from a snapshot at any point changes nothing", () => {
    holds((start, history, pick) => {
      const events = eventsOf(start, history);
      const at = pick(fc.nat, { max: events.length });
      const before = events.slice(0, at).reduce(foldPnl, startOf(start));
      const restored = readPnlState(parseJson(stringifyJson(before)));
      expect(restored).toEqual(before);
      // What came just before the snapshot is told again after it.
      const again = events.slice(0, at).filter(({ kind }) => kind === "fill");
      const after = [...again, ...events.slice(at)].reduce(foldPnl, restored);
      expect(after).toEqual(folded(start, events));
    });
  });

  test("fills told again, anywhere later, change nothing", () => {
    holds((start, history, pick) => {
      const events = eventsOf(start, history);
      const repeated = [...events];
      for (const event of events) {
        if (event.kind !== "fill" || pick(fc.boolean)) continue;
        const first = repeated.indexOf(event);
        repeated.splice(pick(fc.integer, { min: first + 1, max: repeated.length }), 0, { ...event });
      }
      expect(folded(start, repeated)).toEqual(folded(start, events));
    });
  });

  test("fills first told without fee and profit, and amended in any order, end in the same profit", () => {
    holds((start, history, pick) => {
      const events = eventsOf(start, history);
      const fills = events.filter((event) => event.kind === "fill");
      const amendments = fc.shuffledSubarray(fills, { minLength: fills.length });
      const bare = events.map((event) => (event.kind === "fill" ? unpriced(event) : event));
      const amended = [...bare, ...pick(() => amendments)];
      const state = folded(start, amended);
      expect(state.unpriced).toEqual([]);
      expect(pnlOf(state)).toEqual(pnlOf(folded(start, events)));
    });
  });

  test("once flat, the collateral that unpriced fills moved says the same as their fees", () => {
    holds((start, history) => {
      const events = eventsOf(start, closed(start, history));
      const fills = events.flatMap((event) => (event.kind === "fill" ? [event.fill] : []));
      const bare = events.map((event) => (event.kind === "fill" ? unpriced(event) : event));
      const settled = folded(start, [
        ...bare,
        { kind: "fillsSettled", fillKeys: keysOf(fills), amount: gainOf(fills) },
      ]);
      expect(settled.inventory).toBe(0n);
      expect(settled.unpriced).toEqual([]);
      expect(pnlOf(settled)).toEqual(pnlOf(folded(start, events)));
    });
  });
});

/** The history with a last fill that closes the position. */
function closed(start: Start, history: readonly Step[]): readonly Step[] {
  const held = history.reduce(
    (sum, step) => sum + (step.kind === "fill" ? signed(step.side, step.size) : 0n),
    start.inventory,
  );
  if (held === 0n) return history;
  const side: Side = held > 0n ? "sell" : "buy";
  const figures = { price: 21_694_000_000n, reference: null, fee: 3n, releasedPerMille: 0n };
  return [...history, { kind: "fill", side, size: magnitude(held), ...figures }];
}

type FillEvent = Extract<PnlEvent, { readonly kind: "fill" }>;
const withoutProfit = (event: FillEvent): FillEvent => ({ ...event, fill: { ...event.fill, realizedPnl: null } });
const unpriced = (event: FillEvent): FillEvent => ({ ...event, fill: { ...event.fill, fee: null, realizedPnl: null } });
const keysOf = (fills: readonly Fill[]) => fills.map(({ key }) => key);
const gainOf = (fills: readonly Fill[]) =>
  usdc(fills.reduce((sum, { realizedPnl, fee }) => sum + (realizedPnl ?? 0n) - (fee ?? 0n), 0n));
